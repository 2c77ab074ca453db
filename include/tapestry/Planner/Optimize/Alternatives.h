//===- Alternatives.h - What another choice would have cost -----*- C++ -*-===//
//
// Why a vertex is cut as it is: the best that the whole problem allows once one
// variable is denied its choice. Works on any PlanProblem, so on every cost
// model, constraint and memory limit that a problem can express.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_OPTIMIZE_ALTERNATIVES_H
#define TAPESTRY_PLANNER_OPTIMIZE_ALTERNATIVES_H

#include "tapestry/Planner/Optimize/Marginals.h"
#include "tapestry/Planner/Optimize/Solver.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tapestry::optimize {

/// Another choice for one variable, and the cost of the whole problem with it.
struct Alternative {
  uint32_t choice = 0;
  double cost = 0;
  /// No solution with this choice costs less; `cost` itself where the solver
  /// proved it.
  double lowerBound = 0;
};

/// The problem in which `variable` has only the choices numbered `kept`, in
/// their order. Everything else is shared with `problem`.
PlanProblem restrictVariable(const PlanProblem &problem, unsigned variable,
                             llvm::ArrayRef<uint32_t> kept);

/// The cheapest choices of `variable` that are not in `excluded`, cheapest
/// first, at most `count`, each with all other variables chosen anew by
/// `solve`: as many solutions as there are alternatives. `groupOf` (empty, or
/// one number per choice) says which choices count as the same alternative: a
/// group is excluded, and shown, once. Stops early, without an error, when no
/// choice is left or none fits into the problem's memory limit. Fails where the
/// solver fails on the first of them for another reason.
llvm::Expected<std::vector<Alternative>>
reoptimizedAlternatives(const PlanProblem &problem, unsigned variable,
                        llvm::ArrayRef<uint32_t> excluded, unsigned count,
                        llvm::ArrayRef<uint32_t> groupOf = {},
                        SolverFunction solve = solveExact,
                        const SolverOptions &options = {});

/// What reoptimizedAlternatives() is asked of one variable.
struct AlternativeQuery {
  unsigned variable = 0;
  llvm::SmallVector<uint32_t, 1> excluded;
  std::vector<uint32_t> groupOf;
};

/// reoptimizedAlternatives() of many variables from the marginals of the whole
/// problem or, where those exceed `limits`, of the problem without the choices
/// that a dual bound shows to be dearer than what was asked for. Nothing for
/// the queries for which that exceeds the limits, too, the dearest. There must
/// not be a memory limit.
std::vector<std::optional<std::vector<Alternative>>>
alternativesByMarginals(const PlanProblem &problem,
                        llvm::ArrayRef<AlternativeQuery> queries,
                        unsigned count, const MarginalLimits &limits = {});

/// The same from what a solution with each choice of one variable costs at
/// least (Marginals.h); ties go to the smallest choice.
std::vector<Alternative>
cheapestAlternatives(llvm::ArrayRef<double> costs,
                     llvm::ArrayRef<uint32_t> excluded, unsigned count,
                     llvm::ArrayRef<uint32_t> groupOf = {});

/// As reoptimizedAlternatives(), while all other variables keep `choice`:
/// cheap, and an upper bound. A memory limit is not looked at.
std::vector<Alternative>
fixedAlternatives(const PlanProblem &problem, llvm::ArrayRef<uint32_t> choice,
                  unsigned variable, unsigned count,
                  llvm::ArrayRef<uint32_t> groupOf = {});

} // namespace tapestry::optimize

#endif // TAPESTRY_PLANNER_OPTIMIZE_ALTERNATIVES_H
