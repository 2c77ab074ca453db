//===- Fault.h - Failures on purpose, for tests -----------------*- C++ -*-===//
//
// TAPESTRY_FAULT="rank=1,collective=0,mode=fail" makes one rank misbehave so
// that tests can see how the others end:
//   rank        which rank (default 0)
//   collective  when it starts this collective, or, with `write`, its outputs
//               (default 0); in the greedy executor, which has no ranks, the
//               shard of this number, or a write
//   mode        fail: reports a failure; kill: dies without a word (a process
//               by SIGKILL, a thread by ending); exit: its process ends as if
//               all were well; stop: its process is stopped; stall: lives on
//               and does nothing; late: comes two seconds late
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_FAULT_H
#define TAPESTRY_RT_RUN_FAULT_H

#include "tapestry-rt/Status.h"
#include <functional>

namespace tapestry {
namespace rt {

struct Fault {
  enum class Mode { None, Fail, Kill, Exit, Stop, Stall, Late };
  static constexpr int64_t atWrite = -1;

  Mode mode = Mode::None;
  int64_t rank = 0;
  int64_t collective = 0;

  bool strikes(int64_t atRank, int64_t atCollective) const {
    return mode != Mode::None && rank == atRank && collective == atCollective;
  }
  /// Misbehaves in `where`. A process of its own can be killed; who stalls does
  /// so until `stopped` says that others have failed.
  Status strike(const std::string &where, bool isProcess,
                const std::function<bool()> &stopped) const;
};

/// Reads TAPESTRY_FAULT's value; null: no fault.
Status parseFault(const char *text, Fault &fault);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_FAULT_H
