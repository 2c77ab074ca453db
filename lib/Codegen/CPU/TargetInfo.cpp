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
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace llvm;

namespace tapestry {

/// Asks the system for tile registers, for all threads of this process; whether
/// it gives them.
static bool requestTiles() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long request = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, request, tileData) == 0;
#else
  return false;
#endif
}

/// The features of this machine that this process may use.
static StringMap<bool> hostFeatures() {
  StringMap<bool> features = sys::getHostCPUFeatures();
  if (features.lookup("amx-tile") && !requestTiles())
    features["amx-tile"] = features["amx-bf16"] = features["amx-int8"] = false;
  return features;
}

/// The features of `cpu`; none when LLVM does not know the name.
static std::optional<StringMap<bool>> featuresOf(StringRef cpu) {
  StringMap<bool> features;
  if (cpu == "native") {
    // Asked for every kernel, and slow to ask for on virtual machines.
    static const StringMap<bool> host = hostFeatures();
    return host;
  }
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

std::vector<std::string> TargetInfo::featuresUsed(StringRef cpu) {
  // What instruction selection takes unasked and the dot products that we ask
  // for. Others need intrinsics that we do not make, and a machine may well
  // lack them.
  static constexpr StringLiteral selectable[] = {
      "sse3",        "ssse3",        "sse4.1",       "sse4.2",
      "sse4a",       "popcnt",       "lzcnt",        "movbe",
      "bmi",         "bmi2",         "tbm",          "avx",
      "f16c",        "fma",          "fma4",         "xop",
      "avx2",        "avx512f",      "avx512cd",     "avx512dq",
      "avx512bw",    "avx512vl",     "avx512ifma",   "avx512vbmi",
      "avx512vbmi2", "avx512vnni",   "avx512bitalg", "avx512vpopcntdq",
      "avx512bf16",  "avx512fp16",   "gfni",         "avxvnni",
      "avxifma",     "avxneconvert", "avxvnniint8",  "avxvnniint16",
      "egpr",        "amx-tile",     "amx-bf16",     "amx-int8"};
  std::optional<StringMap<bool>> features = featuresOf(cpu);
  std::vector<std::string> used;
  for (StringRef name : selectable)
    if (features && features->lookup(name))
      used.push_back(name.str());
  return used;
}

SmallVector<StringRef> TargetInfo::allNames() {
  SmallVector<StringRef> known, names;
  X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  // Levels before products.
  for (bool isLevel : {true, false})
    llvm::copy_if(known, std::back_inserter(names), [&](StringRef name) {
      return name.starts_with("x86-64") == isLevel;
    });
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
  target.fusedMultiplyAdd = features->lookup("fma");
  // Intel's (Sapphire Rapids) takes four times an FMA's time; sse4a is AMD's.
  target.dotBF16 =
      avx512 && features->lookup("avx512bf16") && features->lookup("sse4a");
  target.dotIntegers = (avx512 && features->lookup("avx512vnni")) ||
                       (!avx512 && features->lookup("avxvnni"));
  if (vectorBits)
    target.vectorBits = vectorBits;
  bool tiles = target.vectorBits == 512 && features->lookup("amx-tile");
  target.tilesBF16 = tiles && features->lookup("amx-bf16");
  target.tilesI8 = tiles && features->lookup("amx-int8");
  target.addsPairs = target.vectorBits == 128 || features->lookup("avx2");
  return target;
}

} // namespace tapestry
