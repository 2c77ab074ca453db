//===- Processor.h - What this machine's processor can do -------*- C++ -*-===//
//
// Generated code uses the instructions of the processor that it was compiled
// for. Whether this machine has them is asked before any of it runs.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_CORE_PROCESSOR_H
#define TAPESTRY_RT_CORE_PROCESSOR_H

#include "tapestry-rt/ABI.h"
#include "tapestry-rt/Status.h"
#include <functional>

namespace tapestry {
namespace rt {

/// The registers eax, ebx, ecx, edx that cpuid leaves.
struct CPUIDResult {
  uint32_t registers[4] = {0, 0, 0, 0};
};

/// Where facts come from.
struct Processor {
  /// All 0 for a leaf that the processor does not have.
  std::function<CPUIDResult(uint32_t leaf, uint32_t subleaf)> cpuid;
  /// Which parts of the register state the system saves (XCR0).
  std::function<uint64_t()> savedState;
  /// Asks the system for tile registers, for all threads of this process;
  /// whether it gives them.
  std::function<bool()> requestTiles = [] { return true; };
};

/// The processor that this runs on.
const Processor &thisProcessor();

/// Whether this runtime can tell if a processor has the feature.
bool isKnownFeature(const std::string &name);

/// Fails, naming them, where the processor lacks features that the program's
/// code uses.
Status checkFeatures(const TapestryProgram &program,
                     const Processor &processor = thisProcessor());

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_PROCESSOR_H
