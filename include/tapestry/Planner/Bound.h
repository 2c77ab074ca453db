//===- Bound.h - Lower bounds on planning problems --------------*- C++ -*-===//
//
// A certificate for any plan: no choice of partitions costs less. Costs are
// moved between variables and edges without changing any solution's total until
// the sum of the smallest entries is as large as it gets (sequential
// tree-reweighted message passing, Kolmogorov 2006). The same figures show
// which choices cannot be part of a solution that beats a known one.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_BOUND_H
#define TAPESTRY_PLANNER_BOUND_H

#include "tapestry/Planner/Problem.h"

namespace tapestry {

struct DualBound {
  /// No solution costs less.
  double lowerBound = 0;
  /// Per variable and choice: no solution with this choice costs less.
  std::vector<std::vector<double>> choiceBounds;
  /// A solution that the bound suggests, improved until no single variable can
  /// make it cheaper.
  Solution solution;
};

/// The bound after this many rounds, each of which looks at every entry of
/// every edge's table twice. Zero rounds give independentBound().
DualBound computeDualBound(const PlanProblem &problem, unsigned rounds);

/// Entries of all tables: what half a round costs.
double tableEntries(const PlanProblem &problem);

/// The problem without the choices whose bound exceeds `cost`, the cost of a
/// known solution: every solution that costs at most that much is still there.
struct ReducedProblem {
  PlanProblem problem;
  /// Per variable: the original number of every choice that is left.
  std::vector<std::vector<uint32_t>> original;
};
ReducedProblem reduceProblem(const PlanProblem &problem, const DualBound &bound,
                             double cost);

/// Moves single variables to their cheapest choice until none moves.
void descend(const PlanProblem &problem, std::vector<uint32_t> &choice);

} // namespace tapestry

#endif // TAPESTRY_PLANNER_BOUND_H
