//===- Marginals.h - The best plan with every single choice -----*- C++ -*-===//
//
// The min-marginal of a choice is the least cost of all solutions that have it:
// what a plan would cost in which one vertex is cut so and all others are
// chosen anew. All of them come from two passes over the bucket tree of
// variable elimination (Dechter 1999, "Bucket elimination"): its tables are the
// messages upwards, and each bucket then tells those below it what everything
// else costs at least. Works on any PlanProblem without a memory limit.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_OPTIMIZE_MARGINALS_H
#define TAPESTRY_PLANNER_OPTIMIZE_MARGINALS_H

#include "tapestry/Planner/Optimize/Problem.h"

namespace tapestry::optimize {

struct MarginalLimits {
  /// About how many elementary sums may be formed; one core forms about 10^9 a
  /// second. A count and not a time, so that equal problems are treated alike.
  double work = 5e9;
  /// The most bytes that either pass may fill with tables.
  int64_t tableBytes = int64_t(1) << 30;
};

struct Marginals {
  /// The least cost of all solutions, in the problem's unit.
  double optimum = 0;
  /// Per variable and choice, the least cost of the solutions with it, in the
  /// problem's unit; the least of every variable is `optimum`.
  std::vector<std::vector<double>> costs;
  /// The sums that were formed.
  double work = 0;
};

/// All min-marginals of `problem`, right to 10^-9 of the optimum or of their
/// own value, whichever is more: costs are first rounded to 2^-46 of what a
/// plan costs, for equal blocks of a model to be recognised and done once.
///
/// Where buckets have up to T entries over the classes of their variable and
/// its neighbours, T' over those of the neighbours, and f factors, n variables
/// take O(n f T) time and O(n f T') memory, as solveExact() does but for a
/// small factor; equal buckets with equal messages count once, so that what
/// repeated blocks add is mostly near the ends of a model. Equal problems give
/// equal marginals. Fails for a problem with a memory limit and where limits
/// would be exceeded; the error says which.
llvm::Expected<Marginals> computeMarginals(const PlanProblem &problem,
                                           const MarginalLimits &limits = {});

} // namespace tapestry::optimize

#endif // TAPESTRY_PLANNER_OPTIMIZE_MARGINALS_H
