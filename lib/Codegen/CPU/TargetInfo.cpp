//===- TargetInfo.cpp - What code generation knows of a CPU ---------------===//
//
// Reads a processor's features from LLVM's tables or from the host.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/CPU/TargetInfo.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace llvm;

namespace tapestry {

/// The features of `cpu`; none when LLVM does not know the name.
static std::optional<StringMap<bool>> featuresOf(StringRef cpu) {
  StringMap<bool> features;
  if (cpu == "native")
    return sys::getHostCPUFeatures();
  if (X86::parseArchX86(cpu, /*Only64Bit=*/true) == X86::CK_None)
    return std::nullopt;
  SmallVector<StringRef> names;
  X86::getFeaturesForCPU(cpu, names);
  // The table leaves out what other features imply.
  for (StringRef name : names) {
    features[name] = true;
    X86::updateImpliedFeatures(name, true, features);
  }
  return features;
}

SmallVector<StringRef> TargetInfo::allNames() {
  SmallVector<StringRef> names;
  X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
  // Levels before products.
  llvm::stable_partition(
      names, [](StringRef name) { return name.starts_with("x86-64"); });
  return names;
}

std::optional<TargetInfo> TargetInfo::get(StringRef cpu, unsigned vectorBits) {
  std::optional<StringMap<bool>> features = featuresOf(cpu);
  if (!features)
    return std::nullopt;
  if (vectorBits && vectorBits != 128 && vectorBits != 256 && vectorBits != 512)
    return std::nullopt;

  bool avx512 = features->lookup("avx512f") && features->lookup("avx512bw") &&
                features->lookup("avx512dq") && features->lookup("avx512vl");
  TargetInfo target;
  target.vectorBits = avx512 ? 512 : features->lookup("avx") ? 256 : 128;
  target.vectorRegisters = avx512 ? 32 : 16;
  target.maskedMemory = avx512;
  target.bf16Conversion = features->lookup("avx512bf16") && avx512;
  if (vectorBits)
    target.vectorBits = vectorBits;
  return target;
}

} // namespace tapestry
