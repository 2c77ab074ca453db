//===- Anytime.cpp - A good plan and how good it is -----------------------===//
//
// The order of work: elimination where it is cheap; a dual bound, the plan that
// it suggests and its improvement; elimination of the choices that the two
// leave. What is not proved by then is returned with the bound.
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

/// Elimination with a part of the work that is allowed; whether it got to the
/// end. Tables that would be too large count as too much work.
static bool tryElimination(const PlanProblem &problem,
                           const SolverOptions &options, double mostStep,
                           double mostWork, Elimination &result) {
  EliminationLimits limits;
  limits.mostStepWork = mostStep;
  limits.mostWork = mostWork;
  limits.tableBytes = options.tableBytes;
  auto elimination = eliminateAll(problem, limits);
  if (!elimination) {
    llvm::consumeError(elimination.takeError());
    return false;
  }
  result = std::move(*elimination);
  return result.isComplete;
}

static Solution proved(const PlanProblem &problem,
                       std::vector<uint32_t> choice) {
  Solution solution;
  solution.choice = std::move(choice);
  solution.cost = problem.evaluate(solution.choice);
  solution.lowerBound = solution.cost;
  solution.provedOptimal = true;
  return solution;
}

llvm::Expected<Solution> optimize::solveAnytime(const PlanProblem &problem,
                                                const SolverOptions &options) {
  if (problem.memoryLimit > 0)
    return solveAnytimeWithinMemory(problem, options);
  double quarter = options.work / 4;
  Elimination elimination;
  if (tryElimination(problem, options, quarter / 10, quarter, elimination))
    return proved(problem, std::move(elimination.choice));

  BoundLimits limits;
  limits.rounds = 500;
  limits.mostWork = quarter;
  DualBound bound = computeDualBound(problem, limits);
  Solution best = bound.solution;
  auto improve = [&](std::vector<uint32_t> choice) {
    searchLargeNeighbourhoods(problem, choice, quarter / 2, bound.lowerBound);
    double cost = problem.evaluate(choice);
    if (cost < best.cost) {
      best.choice = std::move(choice);
      best.cost = cost;
    }
  };
  double small = 1e-12 * std::abs(best.cost);
  if (best.cost > bound.lowerBound + small)
    improve(best.choice);
  if (best.cost > bound.lowerBound + small)
    improve(descendFromCheapest(problem));

  ReducedProblem reduced = reduceProblem(problem, bound, best.cost);
  if (tryElimination(reduced.problem, options, quarter / 2, quarter,
                     elimination))
    return proved(problem, reduced.originalOf(elimination.choice));
  best.lowerBound = std::min(bound.lowerBound, best.cost);
  best.provedOptimal = best.lowerBound == best.cost;
  return best;
}
