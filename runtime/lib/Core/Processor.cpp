//===- Processor.cpp - What this machine's processor can do ---------------===//
//
// Bits of cpuid as in Intel's and AMD's manuals, under LLVM's names. Compilers'
// own checks know fewer features and cannot be asked by name.
//
//===----------------------------------------------------------------------===//

#include "Core/Processor.h"
#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

using namespace tapestry;
using namespace tapestry::rt;

namespace {

enum Register { EAX, EBX, ECX, EDX };

// Register state that the system has to save: parts of XCR0.
constexpr uint64_t none = 0;
constexpr uint64_t ymm = 0x6;
constexpr uint64_t zmm = 0xe6;
constexpr uint64_t apx = uint64_t(1) << 19;
constexpr uint64_t tiles = 0x60000;

struct Feature {
  const char *name;
  uint32_t leaf, subleaf;
  Register where;
  int bit;
  uint64_t state;
};

constexpr uint32_t extended = 0x80000001;

constexpr Feature features[] = {
    {"sse3", 1, 0, ECX, 0, none},
    {"ssse3", 1, 0, ECX, 9, none},
    {"fma", 1, 0, ECX, 12, ymm},
    {"sse4.1", 1, 0, ECX, 19, none},
    {"sse4.2", 1, 0, ECX, 20, none},
    {"movbe", 1, 0, ECX, 22, none},
    {"popcnt", 1, 0, ECX, 23, none},
    {"avx", 1, 0, ECX, 28, ymm},
    {"f16c", 1, 0, ECX, 29, ymm},
    {"bmi", 7, 0, EBX, 3, none},
    {"avx2", 7, 0, EBX, 5, ymm},
    {"bmi2", 7, 0, EBX, 8, none},
    {"avx512f", 7, 0, EBX, 16, zmm},
    {"avx512dq", 7, 0, EBX, 17, zmm},
    {"avx512ifma", 7, 0, EBX, 21, zmm},
    {"avx512cd", 7, 0, EBX, 28, zmm},
    {"avx512bw", 7, 0, EBX, 30, zmm},
    {"avx512vl", 7, 0, EBX, 31, zmm},
    {"avx512vbmi", 7, 0, ECX, 1, zmm},
    {"avx512vbmi2", 7, 0, ECX, 6, zmm},
    {"gfni", 7, 0, ECX, 8, none},
    {"avx512vnni", 7, 0, ECX, 11, zmm},
    {"avx512bitalg", 7, 0, ECX, 12, zmm},
    {"avx512vpopcntdq", 7, 0, ECX, 14, zmm},
    {"amx-bf16", 7, 0, EDX, 22, tiles},
    {"avx512fp16", 7, 0, EDX, 23, zmm},
    {"amx-tile", 7, 0, EDX, 24, tiles},
    {"amx-int8", 7, 0, EDX, 25, tiles},
    {"avxvnni", 7, 1, EAX, 4, ymm},
    {"avx512bf16", 7, 1, EAX, 5, zmm},
    {"avxifma", 7, 1, EAX, 23, ymm},
    {"avxvnniint8", 7, 1, EDX, 4, ymm},
    {"avxneconvert", 7, 1, EDX, 5, ymm},
    {"avxvnniint16", 7, 1, EDX, 10, ymm},
    {"egpr", 7, 1, EDX, 21, apx},
    {"sse4a", extended, 0, ECX, 6, none},
    {"lzcnt", extended, 0, ECX, 5, none},
    {"xop", extended, 0, ECX, 11, ymm},
    {"fma4", extended, 0, ECX, 16, ymm},
    {"tbm", extended, 0, ECX, 21, none},
};

const Feature *findFeature(const char *name) {
  for (const Feature &feature : features)
    if (strcmp(feature.name, name) == 0)
      return &feature;
  return nullptr;
}

bool has(const Processor &processor, const Feature &feature) {
  CPUIDResult result = processor.cpuid(feature.leaf, feature.subleaf);
  if (!(result.registers[feature.where] >> feature.bit & 1))
    return false;
  if ((processor.savedState() & feature.state) != feature.state)
    return false;
  return feature.state != tiles || processor.requestTiles();
}

#if defined(__x86_64__)
CPUIDResult askProcessor(uint32_t leaf, uint32_t subleaf) {
  CPUIDResult result;
  uint32_t *r = result.registers;
  if (!__get_cpuid_count(leaf, subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX]))
    return CPUIDResult();
  return result;
}

uint64_t askSystem() {
  // Without this bit (OSXSAVE), asking would be an illegal instruction.
  if (!(askProcessor(1, 0).registers[ECX] >> 27 & 1))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t(high) << 32 | low;
}

bool askForTiles() {
#if defined(__linux__)
  constexpr long request = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM
  return syscall(SYS_arch_prctl, request, tileData) == 0;
#else
  return false;
#endif
}
#else
bool askForTiles() { return false; }
CPUIDResult askProcessor(uint32_t, uint32_t) { return CPUIDResult(); }
uint64_t askSystem() { return 0; }
#endif

} // namespace

const Processor &tapestry::rt::thisProcessor() {
  static const Processor processor{askProcessor, askSystem, askForTiles};
  return processor;
}

bool tapestry::rt::isKnownFeature(const std::string &name) {
  return findFeature(name.c_str()) != nullptr;
}

Status tapestry::rt::checkFeatures(const TapestryProgram &program,
                                   const Processor &processor) {
  std::string missing;
  for (int64_t i = 0; i < program.num_features; ++i) {
    // What this runtime does not know, it cannot promise.
    const Feature *feature = findFeature(program.features[i]);
    if (!feature || !has(processor, *feature))
      missing +=
          (missing.empty() ? "" : ", ") + std::string(program.features[i]);
  }
  if (missing.empty())
    return Status::success();
  return Status::failure(ExitEnvironment,
                         "the program was compiled for a processor with " +
                             missing + ", which this one lacks");
}
