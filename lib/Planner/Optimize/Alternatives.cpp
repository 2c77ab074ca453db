//===- Alternatives.cpp - What another choice would have cost -------------===//

#include "tapestry/Planner/Optimize/Alternatives.h"
#include "tapestry/Planner/Optimize/DualBound.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

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

//===----------------------------------------------------------------------===//
// Many variables at once
//===----------------------------------------------------------------------===//

namespace {

/// Answers queries by marginals of ever larger parts of a problem. A part has
/// the choices that may cost up to some sum: marginals up to that sum are those
/// of the whole problem, greater ones are no less than those.
class NearMarginals {
public:
  NearMarginals(const PlanProblem &problem,
                llvm::ArrayRef<AlternativeQuery> queries, unsigned count,
                const MarginalLimits &limits);
  void answerAll();
  std::vector<std::optional<std::vector<Alternative>>> answers;

private:
  static double costOf(llvm::ArrayRef<Alternative> found) {
    return found.empty() ? 0 : found.back().cost;
  }
  bool answerUpTo(double cost);

  const PlanProblem &problem;
  llvm::ArrayRef<AlternativeQuery> queries;
  unsigned count;
  MarginalLimits limits;
  DualBound bound;
  /// Per query, up to what cost a part must go that may answer it.
  std::vector<double> needed;
};

} // namespace

NearMarginals::NearMarginals(const PlanProblem &problem,
                             llvm::ArrayRef<AlternativeQuery> queries,
                             unsigned count, const MarginalLimits &limits)
    : answers(queries.size()), problem(problem), queries(queries), count(count),
      limits(limits) {
  BoundLimits boundLimits;
  boundLimits.rounds = 40;
  boundLimits.trees = 4;
  boundLimits.mostWork = limits.work / 4;
  bound = computeDualBound(problem, boundLimits);
  for (const AlternativeQuery &query : queries)
    needed.push_back(
        costOf(cheapestAlternatives(bound.choiceBounds[query.variable],
                                    query.excluded, count, query.groupOf)));
}

/// False where the marginals would exceed the limits.
bool NearMarginals::answerUpTo(double cost) {
  ReducedProblem part = reduceProblem(problem, bound, cost);
  auto marginals = computeMarginals(part.problem, limits);
  if (!marginals) {
    llvm::consumeError(marginals.takeError());
    return false;
  }
  limits.work -= marginals->work;
  for (size_t q = 0; q < queries.size(); ++q) {
    if (answers[q])
      continue;
    unsigned variable = queries[q].variable;
    std::vector<double> costs(problem.variables[variable].numChoices(),
                              std::numeric_limits<double>::infinity());
    for (auto [number, own] :
         llvm::zip_equal(part.original[variable], marginals->costs[variable]))
      costs[number] = own;
    std::vector<Alternative> found = cheapestAlternatives(
        costs, queries[q].excluded, count, queries[q].groupOf);
    if (costOf(found) <= cost)
      answers[q] = std::move(found);
    else if (!std::isinf(costOf(found)))
      needed[q] = costOf(found);
  }
  return true;
}

void NearMarginals::answerAll() {
  // A part that is refused costs about as much as building it.
  constexpr unsigned mostRefusals = 4;
  double done = -std::numeric_limits<double>::infinity(), tooMuch = -done;
  for (unsigned refusals = 0; refusals < mostRefusals;) {
    std::vector<double> open;
    for (size_t q = 0; q < queries.size(); ++q)
      if (!answers[q] && needed[q] > done && needed[q] < tooMuch)
        open.push_back(needed[q]);
    if (open.empty())
      return;
    llvm::sort(open);
    double next = open[refusals == 0 ? open.size() - 1 : open.size() / 2];
    if (answerUpTo(next)) {
      done = next;
    } else {
      tooMuch = next;
      ++refusals;
    }
  }
}

std::vector<std::optional<std::vector<Alternative>>>
optimize::alternativesByMarginals(const PlanProblem &problem,
                                  llvm::ArrayRef<AlternativeQuery> queries,
                                  unsigned count,
                                  const MarginalLimits &limits) {
  auto all = computeMarginals(problem, limits);
  if (!all) {
    llvm::consumeError(all.takeError());
    NearMarginals near(problem, queries, count, limits);
    near.answerAll();
    return std::move(near.answers);
  }
  std::vector<std::optional<std::vector<Alternative>>> answers;
  for (const AlternativeQuery &query : queries)
    answers.push_back(cheapestAlternatives(
        all->costs[query.variable], query.excluded, count, query.groupOf));
  return answers;
}

//===----------------------------------------------------------------------===//
// Others kept
//===----------------------------------------------------------------------===//

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
