//===- MemoryLimited.cpp - Solving with a memory limit --------------------===//

#include "MemoryLimited.h"
#include "MemorySearch.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::optimize;

namespace {

struct Outcome {
  Solution solution;
  /// Whether any plan was found.
  bool isFound = false;
  /// Whether the search came to its end.
  bool isDone = false;
};

} // namespace

/// Searches for the best plan within the limit, starting from the best plan
/// without one.
static llvm::Expected<Outcome> search(const PlanProblem &problem,
                                      const SolverOptions &options,
                                      SolverFunction solveUnlimited) {
  if (llvm::Error error = checkMemoryTerms(problem))
    return error;
  PlanProblem unlimited = problem;
  unlimited.memoryLimit = 0;
  auto first = solveUnlimited(unlimited, options);
  Outcome outcome;
  if (first && problem.peakBytes(first->choice) <= problem.memoryLimit) {
    outcome.solution = std::move(*first);
    outcome.isFound = outcome.isDone = true;
    return outcome;
  }
  llvm::consumeError(first.takeError());

  MemoryRows rows(problem);
  MemorySearch search(problem, rows, problem.memoryLimit, /*withCosts=*/true,
                      options);
  search.run(options.work);
  outcome.isDone = search.isDone;
  outcome.isFound = !search.choice.empty();
  if (outcome.isFound) {
    Solution &solution = outcome.solution;
    solution.choice = search.choice;
    solution.cost = problem.evaluate(solution.choice);
    solution.lowerBound = search.isDone
                              ? solution.cost
                              : std::min(search.lowerBound, solution.cost);
    solution.provedOptimal = search.isDone;
  }
  return outcome;
}

/// Why there is no plan within the limit, and what it would take.
static llvm::Error explainFailure(const PlanProblem &problem,
                                  const SolverOptions &options,
                                  const char *solver, bool isCertain) {
  auto need = leastMemory(problem, options);
  if (!need)
    return need.takeError();
  std::string what = describeMemoryNeed(*need);
  std::string text =
      isCertain || need->lowerBound > problem.memoryLimit
          ? "no plan keeps within "
          : joinedText("solver '", solver, "' found no plan within ");
  return llvm::make_error<MemoryError>(
      need->bytes, problem.memoryLimit,
      joinedText(text, problem.memoryLimit, " bytes per device: ", what), what);
}

llvm::Expected<Solution>
optimize::solveExactWithinMemory(const PlanProblem &problem,
                                 const SolverOptions &options) {
  auto outcome = search(problem, options, solveExact);
  if (!outcome)
    return outcome.takeError();
  if (!outcome->isFound)
    return explainFailure(problem, options, "exact", outcome->isDone);
  const Solution &solution = outcome->solution;
  if (!outcome->isDone) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "solver 'exact': the best plan found within " << problem.memoryLimit
       << " bytes per device costs " << llvm::format("%.9g", solution.cost)
       << ", no plan costs less than "
       << llvm::format("%.9g", solution.lowerBound)
       << "; solver 'bounded' takes such a plan, more work may prove it";
    return llvm::make_error<NotProvedError>(text);
  }
  return std::move(outcome->solution);
}

llvm::Expected<Solution>
optimize::solveAnytimeWithinMemory(const PlanProblem &problem,
                                   const SolverOptions &options) {
  auto outcome = search(problem, options, solveAnytime);
  if (!outcome)
    return outcome.takeError();
  if (!outcome->isFound)
    return explainFailure(problem, options, "bounded", outcome->isDone);
  return std::move(outcome->solution);
}
