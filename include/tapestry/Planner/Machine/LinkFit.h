//===- LinkFit.h - A link's numbers from measured times ---------*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_MACHINE_LINKFIT_H
#define TAPESTRY_PLANNER_MACHINE_LINKFIT_H

#include "tapestry/Planner/Machine/Machine.h"

namespace tapestry::machine {

/// What the busiest device of a collective waited for, and for how long.
struct LinkSample {
  /// Messages one after the other: what the cost model counts latencies of.
  double messages = 0;
  /// Bytes that the device receives: what it counts against the bandwidth.
  double bytes = 0;
  double seconds = 0;
};

/// The link for which messages * latency + bytes / bandwidth is nearest to the
/// samples' seconds: least squares of errors relative to both, so that small
/// messages count as much as large ones and twice as slow as much as twice as
/// fast. Neither number is negative; where no
/// latency fits best, it is 0. Fails unless some samples differ in the share of
/// bytes and messages and all took time.
llvm::Expected<Link> fitLink(llvm::ArrayRef<LinkSample> samples);

} // namespace tapestry::machine

#endif // TAPESTRY_PLANNER_MACHINE_LINKFIT_H
