//===- DualBound.h - Lower bounds on planning problems ----------*- C++ -*-===//
//
// A certificate for any plan: no choice of partitions costs less. Costs are
// moved between variables and edges without changing any solution's total until
// the sum of the smallest entries is as large as it gets (sequential
// tree-reweighted message passing, Kolmogorov 2006). The same figures show
// which choices cannot be part of a solution that beats a known one.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_OPTIMIZE_DUALBOUND_H
#define TAPESTRY_PLANNER_OPTIMIZE_DUALBOUND_H

#include "tapestry/Planner/Optimize/Problem.h"
#include <limits>

namespace tapestry::optimize {

struct DualBound {
  /// No solution costs less.
  double lowerBound = 0;
  /// Per variable and choice: no solution with this choice costs less.
  std::vector<std::vector<double>> choiceBounds;
  /// A solution that the bound suggests, improved until no single variable can
  /// make it cheaper.
  Solution solution;
  /// Table entries that were looked at.
  double work = 0;
};

struct BoundLimits {
  /// Zero rounds give independentBound().
  unsigned rounds = 10;
  /// Stops once this many table entries have been looked at.
  double mostWork = std::numeric_limits<double>::infinity();
  /// Stops once the bound is that high.
  double enough = std::numeric_limits<double>::infinity();
  /// After how many rounds the bound is worked out, which costs about half of
  /// one, and the limits are looked at.
  unsigned checkEvery = 5;
  /// Whether choiceBounds are wanted, which is half of that cost.
  bool boundChoices = true;
  /// By how many spanning trees choiceBounds are raised, each for two rounds'
  /// work: they then nearly say what the best solution with a choice costs.
  unsigned trees = 0;
};

/// The bound after some rounds, each of which looks at every entry of every
/// edge's table twice, save that equal messages about shared tables are worked
/// out once. Ends early when the bound meets its solution or hardly grows any
/// more. Memory terms are not looked at.
DualBound computeDualBound(const PlanProblem &problem,
                           const BoundLimits &limits);
DualBound computeDualBound(const PlanProblem &problem, unsigned rounds);

/// Entries of all tables: what half a round costs.
double tableEntries(const PlanProblem &problem);

/// A problem with some choices only.
struct ReducedProblem {
  PlanProblem problem;
  /// Per variable: the original number of every choice that is left.
  std::vector<std::vector<uint32_t>> original;

  std::vector<uint32_t> originalOf(llvm::ArrayRef<uint32_t> choice) const;
};

/// The problem with the choices in `kept` only (ascending, at least one per
/// variable), memory terms included. What was shared and keeps the same is
/// shared again.
ReducedProblem restrictProblem(const PlanProblem &problem,
                               std::vector<std::vector<uint32_t>> kept);

/// The problem without the choices whose bound exceeds `cost`, the cost of a
/// known solution: every solution that costs at most that much is still there.
ReducedProblem reduceProblem(const PlanProblem &problem, const DualBound &bound,
                             double cost);

/// Moves single variables to their cheapest choice until none moves.
void descend(const PlanProblem &problem, std::vector<uint32_t> &choice);
/// The same from every variable's own cheapest choice: a start that owes
/// nothing to a bound.
std::vector<uint32_t> descendFromCheapest(const PlanProblem &problem);

} // namespace tapestry::optimize

#endif // TAPESTRY_PLANNER_OPTIMIZE_DUALBOUND_H
