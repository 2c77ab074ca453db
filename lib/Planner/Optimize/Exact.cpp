//===- Exact.cpp - The optimum, proved ------------------------------------===//
//
// Elimination over the whole graph where that is cheap. Where it is not, a dual
// bound and the plan that it suggests show which choices can be left out, and
// elimination then works on the few that are left.
//
//===----------------------------------------------------------------------===//

#include "Elimination.h"
#include "MemoryLimited.h"
#include "NeighbourhoodSearch.h"
#include "tapestry/Planner/Optimize/DualBound.h"
#include "tapestry/Planner/Optimize/Solver.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::optimize;

/// Steps of more sums than this (about a tenth of a second) are worth a bound,
/// and so are more sums than this in all.
static constexpr double mostDirectStep = 1e8;
static constexpr double mostDirectWork = 1e9;
/// A plan that is not as cheap as the bound says is worth improving before
/// choices are left out because of it.
static constexpr unsigned boundRounds = 40;
static constexpr double improvementWork = 3e8;

/// Elimination after leaving out what cannot be part of an optimum.
static llvm::Expected<std::vector<uint32_t>>
solveReduced(const PlanProblem &problem, const SolverOptions &options) {
  BoundLimits boundLimits;
  boundLimits.rounds = boundRounds;
  boundLimits.mostWork = options.mostWork;
  DualBound bound = computeDualBound(problem, boundLimits);
  Solution &known = bound.solution;
  if (known.cost > bound.lowerBound * (1 + 1e-9))
    searchLargeNeighbourhoods(problem, known.choice,
                              std::min(improvementWork, options.mostWork),
                              bound.lowerBound);
  ReducedProblem reduced =
      reduceProblem(problem, bound, problem.evaluate(known.choice));
  EliminationLimits limits;
  limits.tableBytes = options.tableBytes;
  limits.mostStepWork = limits.mostWork = options.mostWork;
  auto left = eliminateAll(reduced.problem, limits);
  if (!left)
    return planError("solver 'exact': ", llvm::toString(left.takeError()));
  if (!left->isComplete)
    return planError("solver 'exact': elimination needs more than ",
                     llvm::format("%.1e", options.mostWork), " sums");
  return reduced.originalOf(left->choice);
}

llvm::Expected<Solution> optimize::solveExact(const PlanProblem &problem,
                                              const SolverOptions &options) {
  if (problem.memoryLimit > 0)
    return solveExactWithinMemory(problem, options);
  Solution solution;
  EliminationLimits limits;
  limits.mostStepWork = std::min(mostDirectStep, options.mostWork);
  limits.mostWork = std::min(mostDirectWork, options.mostWork);
  limits.tableBytes = options.tableBytes;
  auto direct = eliminateAll(problem, limits);
  if (direct && direct->isComplete) {
    solution.choice = std::move(direct->choice);
  } else {
    llvm::consumeError(direct.takeError());
    auto choice = solveReduced(problem, options);
    if (!choice)
      return choice.takeError();
    solution.choice = std::move(*choice);
  }
  solution.cost = problem.evaluate(solution.choice);
  solution.lowerBound = solution.cost;
  solution.provedOptimal = true;
  return solution;
}
