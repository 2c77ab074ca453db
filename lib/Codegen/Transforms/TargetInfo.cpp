//===- TargetInfo.cpp - What code generation knows of a CPU ---------------===//
//
// Reads a processor's features from LLVM's tables or from the host.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/TargetInfo.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;

namespace tapestry {

/// The features of `cpu`; none when LLVM does not know the name.
static std::optional<StringSet<>> featuresOf(StringRef cpu) {
  StringSet<> features;
  if (cpu == "native") {
    for (const auto &feature : sys::getHostCPUFeatures())
      if (feature.second)
        features.insert(feature.first());
    return features;
  }
  if (X86::parseArchX86(cpu) == X86::CK_None)
    return std::nullopt;
  SmallVector<StringRef> names;
  X86::getFeaturesForCPU(cpu, names);
  for (StringRef name : names)
    features.insert(name);
  return features;
}

std::optional<TargetInfo> TargetInfo::get(StringRef cpu, unsigned vectorBits) {
  std::optional<StringSet<>> features = featuresOf(cpu);
  if (!features)
    return std::nullopt;
  if (vectorBits && vectorBits != 128 && vectorBits != 256 && vectorBits != 512)
    return std::nullopt;

  bool avx512 =
      features->contains("avx512f") && features->contains("avx512bw") &&
      features->contains("avx512dq") && features->contains("avx512vl");
  TargetInfo target;
  target.vectorBits = avx512 ? 512 : features->contains("avx") ? 256 : 128;
  target.vectorRegisters = avx512 ? 32 : 16;
  target.maskedMemory = avx512;
  target.bf16Conversion = features->contains("avx512bf16") && avx512;
  if (vectorBits)
    target.vectorBits = vectorBits;
  return target;
}

} // namespace tapestry
