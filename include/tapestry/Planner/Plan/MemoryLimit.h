//===- MemoryLimit.h - Plans whose programs keep a memory limit -*- C++ -*-===//
//
// One search in two steps, since three numbers are limited one after another:
// solvers limit the bytes of choices, planWithinEstimate() an estimate of the
// peak from layouts and lifetimes. What counts is what the program will
// allocate, which only its lowering can say (more, and often less): that is
// planWithinPeak().
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_MEMORYLIMIT_H
#define TAPESTRY_PLANNER_PLAN_MEMORYLIMIT_H

#include "tapestry/Planner/Plan/Plan.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tapestry::plan {

/// A plan whose choices hold at most `limit` bytes (0: any).
using ChoicesPlanner = llvm::function_ref<llvm::Expected<Plan>(int64_t limit)>;

/// A plan whose estimated peak is at most `limit` (0: any). The placement of a
/// solution may need more than its choices, e.g. where axes cannot be aligned:
/// then it is solved again with that much less. Fails with a MemoryError that
/// has both numbers.
llvm::Expected<Plan> planWithinEstimate(int64_t limit, ChoicesPlanner planner);

/// A plan whose estimated peak is at most `limit` (0: any), by this solver.
using LimitedPlanner = llvm::function_ref<llvm::Expected<Plan>(
    int64_t limit, llvm::StringRef solver)>;

/// The most bytes that any device will hold when a plan's program runs; nothing
/// where that cannot be found out.
using PeakMeter = llvm::function_ref<std::optional<int64_t>(const Plan &)>;

/// Sets a plan's peak to the exact one, where that is known.
void measurePeak(Plan &plan, PeakMeter meter);

/// A good plan whose program needs at most `allowed` bytes on any device:
/// searches for the limit on the estimate under which it just fits. A plan that
/// fits without any limit is as good as it was proved to be; of others the
/// bound without a limit holds. `exact` gives way to `bounded` where it cannot
/// prove what is best. Fails with a MemoryError that has both numbers and, as
/// far as the estimate goes, says what holds the memory.
llvm::Expected<Plan> planWithinPeak(int64_t allowed, llvm::StringRef solver,
                                    LimitedPlanner planner, PeakMeter meter);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_MEMORYLIMIT_H
