//===- Alternatives.cpp - What another choice would have cost -------------===//

#include "tapestry/Planner/Optimize/Alternatives.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::optimize;

/// The entries of a list that are numbered `kept`.
template <typename T>
static std::vector<T> selected(const std::vector<T> &list,
                               llvm::ArrayRef<uint32_t> kept) {
  std::vector<T> result;
  for (uint32_t number : kept)
    result.push_back(list[number]);
  return result;
}

PlanProblem optimize::restrictVariable(const PlanProblem &problem,
                                       unsigned variable,
                                       llvm::ArrayRef<uint32_t> kept) {
  PlanProblem result = problem;
  PlanProblem::Variable &own = result.variables[variable];
  own.costs =
      std::make_shared<const std::vector<double>>(selected(*own.costs, kept));
  if (own.choices)
    own.choices = std::make_shared<const std::vector<PartVector>>(
        selected(*own.choices, kept));
  auto restrictClasses = [&](SharedClasses &classes) {
    ClassMap map;
    map.classOf = selected(classes->classOf, kept);
    map.numClasses = classes->numClasses;
    classes = std::make_shared<const ClassMap>(std::move(map));
  };
  for (PlanProblem::Edge &edge : result.edges) {
    if (edge.from == variable)
      restrictClasses(edge.fromClasses);
    if (edge.to == variable)
      restrictClasses(edge.toClasses);
  }
  for (PlanProblem::MemoryTerm &term : result.memory)
    if (!term.ofEdge && term.owner == variable)
      term.bytes = std::make_shared<const std::vector<int64_t>>(
          selected(*term.bytes, kept));
  return result;
}

/// Whether two choices count as the same alternative.
static bool isSame(llvm::ArrayRef<uint32_t> groupOf, uint32_t a, uint32_t b) {
  return a == b || (!groupOf.empty() && groupOf[a] == groupOf[b]);
}

llvm::Expected<std::vector<Alternative>> optimize::reoptimizedAlternatives(
    const PlanProblem &problem, unsigned variable,
    llvm::ArrayRef<uint32_t> excluded, unsigned count,
    llvm::ArrayRef<uint32_t> groupOf, SolverFunction solve,
    const SolverOptions &options) {
  std::vector<uint32_t> kept;
  for (uint32_t c = 0; c < problem.variables[variable].numChoices(); ++c)
    if (llvm::none_of(excluded,
                      [&](uint32_t e) { return isSame(groupOf, c, e); }))
      kept.push_back(c);
  std::vector<Alternative> result;
  while (result.size() < count && !kept.empty()) {
    auto solution = solve(restrictVariable(problem, variable, kept), options);
    if (!solution) {
      // With a memory limit, what is left may not fit.
      if (result.empty() && problem.memoryLimit == 0)
        return solution.takeError();
      llvm::consumeError(solution.takeError());
      break;
    }
    uint32_t found = kept[solution->choice[variable]];
    result.push_back(
        {found, solution->cost,
         solution->provedOptimal ? solution->cost : solution->lowerBound});
    llvm::erase_if(kept, [&](uint32_t c) { return isSame(groupOf, c, found); });
  }
  return result;
}

std::vector<Alternative> optimize::cheapestAlternatives(
    llvm::ArrayRef<double> costs, llvm::ArrayRef<uint32_t> excluded,
    unsigned count, llvm::ArrayRef<uint32_t> groupOf) {
  std::vector<uint32_t> order;
  for (uint32_t c = 0; c < costs.size(); ++c)
    order.push_back(c);
  llvm::sort(order, [&](uint32_t a, uint32_t b) {
    return costs[a] != costs[b] ? costs[a] < costs[b] : a < b;
  });
  llvm::SmallVector<uint32_t, 8> taken(excluded);
  std::vector<Alternative> result;
  for (uint32_t next : order) {
    if (result.size() == count)
      break;
    if (llvm::any_of(taken,
                     [&](uint32_t c) { return isSame(groupOf, next, c); }))
      continue;
    result.push_back({next, costs[next], costs[next]});
    taken.push_back(next);
  }
  return result;
}

std::vector<Alternative>
optimize::fixedAlternatives(const PlanProblem &problem,
                            llvm::ArrayRef<uint32_t> choice, unsigned variable,
                            unsigned count, llvm::ArrayRef<uint32_t> groupOf) {
  std::vector<uint32_t> tried(choice.begin(), choice.end());
  std::vector<const PlanProblem::Edge *> around;
  for (const PlanProblem::Edge &edge : problem.edges)
    if (edge.from == variable || edge.to == variable)
      around.push_back(&edge);
  auto costAround = [&](uint32_t number) {
    tried[variable] = number;
    double cost = (*problem.variables[variable].costs)[number];
    for (const PlanProblem::Edge *edge : around)
      cost += problem.edgeCost(*edge, tried);
    return cost;
  };
  double whole = problem.evaluate(choice);
  double own = costAround(choice[variable]);
  std::vector<double> costs;
  for (uint32_t c = 0; c < problem.variables[variable].numChoices(); ++c)
    costs.push_back(whole + costAround(c) - own);
  std::vector<Alternative> result =
      cheapestAlternatives(costs, {choice[variable]}, count, groupOf);
  for (Alternative &alternative : result)
    alternative.lowerBound = 0;
  return result;
}
