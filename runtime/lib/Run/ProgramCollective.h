//===- ProgramCollective.h - One collective on one rank ---------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_PROGRAMCOLLECTIVE_H
#define TAPESTRY_RT_RUN_PROGRAMCOLLECTIVE_H

#include "Collectives/Collectives.h"
#include "tapestry-rt/Backend.h"
#include <memory>

namespace tapestry {
namespace rt {

/// The number by which a program calls a collective, or a part of one.
struct CollectiveNumber {
  int64_t index;
  int64_t part = 0;
  int64_t parts = 0; ///< 0: it is called whole

  explicit CollectiveNumber(int64_t called)
      : index(called & 0xffffffff),
        part((called >> TAPESTRY_PART_SHIFT) & 0xffff),
        parts(called >> TAPESTRY_PARTS_SHIFT) {}
};

/// What of a collective of the program does not change from call to call, and
/// who does it: the runtime's algorithms, or the back end whole.
class ProgramCollective {
public:
  /// Where `own` is given, the back end's are used for what it supports. The
  /// program has a collective of this index.
  Status prepare(const TapestryProgram &program, CollectiveNumber number,
                 Communicator &communicator, BackendCollectives *own);
  bool isPrepared() const { return collective != nullptr; }

  /// Bytes that a call needs beside its buffers: the same, as they are
  /// predicted, whoever does it.
  int64_t scratchBytes() const;
  /// Bytes of the buffers that a call is given, of whose target it may leave
  /// some as they are.
  int64_t sourceBytes() const;
  int64_t targetBytes() const;
  bool writesAll() const { return !isPart && collective->fragments == 0; }
  /// `scratch` has so many bytes.
  Status run(Communicator &communicator, const void *from, void *target,
             char *scratch);

  /// Has a device do what is done whole, on buffers of its memory, behind what
  /// it was told before.
  Status runOnDevice(Communicator &communicator, Device &gpu, const void *from,
                     void *target);

  /// "all_reduce of 'C' (collective 0)".
  const std::string &name() const { return what; }
  /// Whether the back end does it.
  bool isWhole() const { return whole != nullptr; }
  /// Whether its bytes are those that are predicted.
  bool isExact() const { return !whole || whole->isExact(); }

private:
  Status prepareReduction(int64_t devices, CollectiveNumber number);
  Status prepareWhole(int64_t devices, BackendCollectives &own);

  const TapestryCollective *collective = nullptr;
  int64_t device = 0;
  std::string what;
  bool exchanges = false;
  bool isPart = false;
  ExchangePlan exchange;
  ReductionGroup group;
  // What the group's members hold before, and each after.
  Box source;
  std::vector<Box> targetBoxes;
  std::vector<BoxRef> targets;
  int64_t before = 0; ///< elements of other parts in this device's target
  std::unique_ptr<WholeCollective> whole;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_PROGRAMCOLLECTIVE_H
