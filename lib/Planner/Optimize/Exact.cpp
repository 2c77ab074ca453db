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
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::optimize;

/// Steps of more sums than this (about a tenth of a second) are worth a bound,
/// and so are more sums than this in all, and more bytes of tables.
static constexpr double mostDirectStep = 1e8;
static constexpr double mostDirectWork = 1e9;
static constexpr int64_t mostDirectBytes = int64_t(256) << 20;
/// A plan that is not as cheap as the bound says is worth improving before
/// choices are left out because of it.
static constexpr unsigned boundRounds = 40;
static constexpr double improvementWork = 3e8;

/// What is tried before any more is done about a problem.
static EliminationLimits directLimits(const SolverOptions &options) {
  EliminationLimits limits;
  limits.mostStepWork = std::min(mostDirectStep, options.mostWork);
  limits.mostWork = std::min(mostDirectWork, options.mostWork);
  limits.tableBytes = std::min(options.tableBytes, mostDirectBytes);
  return limits;
}

static bool eliminateWithin(const EliminationLimits &limits,
                            const PlanProblem &problem,
                            std::vector<uint32_t> &choice,
                            std::string &reason) {
  auto elimination = eliminateAll(problem, limits);
  if (elimination && elimination->isComplete) {
    choice = std::move(elimination->choice);
    return true;
  }
  reason = elimination
               ? llvm::formatv("elimination needs more than {0:e1} sums",
                               limits.mostWork)
                     .str()
               : llvm::toString(elimination.takeError());
  return false;
}

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
  double cost = problem.evaluate(known.choice);
  ReducedProblem reduced = reduceProblem(problem, bound, cost);
  std::vector<uint32_t> left;
  std::string reason;
  if (eliminateWithin(directLimits(options), reduced.problem, left, reason))
    return reduced.originalOf(left);
  // What costs no more than the bound needs no other proof.
  if (cost <= bound.lowerBound * (1 + 1e-9))
    return known.choice;
  EliminationLimits limits;
  limits.tableBytes = options.tableBytes;
  limits.mostStepWork = limits.mostWork = options.mostWork;
  if (eliminateWithin(limits, reduced.problem, left, reason))
    return reduced.originalOf(left);
  return planError("solver 'exact': ", reason,
                   "; solver 'bounded' finds good plans and says how far from "
                   "optimal they may be");
}

llvm::Expected<Solution> optimize::solveExact(const PlanProblem &problem,
                                              const SolverOptions &options) {
  if (problem.memoryLimit > 0)
    return solveExactWithinMemory(problem, options);
  Solution solution;
  std::string reason;
  if (llvm::all_of(problem.variables, [](const PlanProblem::Variable &v) {
        return v.numChoices() == 1;
      })) {
    // As on one device.
    solution.choice.assign(problem.variables.size(), 0);
  } else if (!eliminateWithin(directLimits(options), problem, solution.choice,
                              reason)) {
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
