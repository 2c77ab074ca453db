//===- ProgramCollective.h - One collective on one rank ---------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_PROGRAMCOLLECTIVE_H
#define TAPESTRY_RT_RUN_PROGRAMCOLLECTIVE_H

#include "Collectives/Collectives.h"
#include "tapestry-rt/Backend.h"
#include <memory>

namespace tapestry {
namespace rt {

/// What of a collective of the program does not change from call to call, and
/// who does it: the runtime's algorithms, or the back end whole.
class ProgramCollective {
public:
  /// Where `own` is given, the back end's are used for what it supports.
  Status prepare(const TapestryProgram &program, int64_t index,
                 Communicator &communicator, BackendCollectives *own);
  bool isPrepared() const { return collective != nullptr; }

  /// Bytes that a call needs beside its buffers; what messages have to be
  /// packed into is not counted.
  int64_t scratchBytes() const;
  /// `scratch` has so many bytes.
  Status run(Communicator &communicator, Arena &arena, const void *source,
             void *target, char *scratch);

  /// "all_reduce of 'C' (collective 0)".
  const std::string &name() const { return what; }
  /// Whether the back end does it.
  bool isWhole() const { return whole != nullptr; }

private:
  Status prepareWhole(int64_t devices, BackendCollectives &own);

  const TapestryCollective *collective = nullptr;
  int64_t device = 0;
  std::string what;
  bool exchanges = false;
  ExchangePlan exchange;
  ReductionGroup group;
  std::vector<BoxRef> targets; // of the group's members
  std::unique_ptr<WholeCollective> whole;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_PROGRAMCOLLECTIVE_H
