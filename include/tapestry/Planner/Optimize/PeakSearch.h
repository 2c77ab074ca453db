//===- PeakSearch.h - Plans whose programs keep a memory limit --*- C++ -*-===//
//
// Memory terms of a problem that are lower bounds leave plans out that cannot
// keep a limit; of the others, only the peak of the program itself can tell.
// Where the plans can be listed, they are measured in the order of their cost,
// or of their bounds, until nothing better can follow: what is said then is
// what an exhaustive search would say, but for the least peak where no plan
// keeps the limit, of which a bound may be all that is known. Where there are
// too many, limits on what is expected of them (PlanProblem::expected) are
// tried by halves, and the leanest plan is improved move by move.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_OPTIMIZE_PEAKSEARCH_H
#define TAPESTRY_PLANNER_OPTIMIZE_PEAKSEARCH_H

#include "tapestry/Planner/Optimize/Solver.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <limits>

namespace tapestry::optimize {

/// The peak of the program that a choice leads to, in bytes: never less than
/// PlanProblem::peakBytes() of it. Nothing where the choice means no program.
using ChoicePeak =
    llvm::function_ref<std::optional<int64_t>(llvm::ArrayRef<uint32_t>)>;

struct PeakSearchLimits {
  /// Up to so many plans are listed.
  double mostListed = 1 << 18;
  /// So many programs are measured for a problem of one variable; n that leave
  /// a choice make each dearer, and take fewer by the factor n.
  unsigned mostMeasured = 8'000;
  /// The same once it is certain that no plan keeps the limit: only what is
  /// said of the least peak depends on it.
  unsigned mostForLeast = 400;
  /// The fewest that are measured all the same.
  unsigned fewestMeasured = 12;
};

struct PeakOutcome {
  /// The cheapest plan that was found to keep the limit; without choices: none
  /// was. Bound and proof are among the plans that do.
  Solution solution;
  /// The smallest peak that was measured.
  int64_t leanest = std::numeric_limits<int64_t>::max();
  /// No plan's program has a smaller peak; of a search that found a plan only 0
  /// may be known.
  int64_t lowerBound = 0;
  /// Of a search that found none: what holds most of what is certain of the
  /// leanest.
  std::string holders;
};

/// Looks for the cheapest plan whose program keeps `problem.memoryLimit`.
/// `known`: one that does not, which may be the leanest, or empty.
llvm::Expected<PeakOutcome>
searchWithinPeak(const PlanProblem &problem, const SolverOptions &options,
                 ChoicePeak peakOf, const PeakSearchLimits &limits = {},
                 llvm::ArrayRef<uint32_t> known = {});

} // namespace tapestry::optimize

#endif // TAPESTRY_PLANNER_OPTIMIZE_PEAKSEARCH_H
