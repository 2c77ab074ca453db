//===- NeighbourhoodSearch.cpp - Large neighbourhood search ---------------===//

#include "NeighbourhoodSearch.h"
#include "Elimination.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <random>

using namespace tapestry;
using namespace tapestry::optimize;

namespace {

class Neighbourhoods {
public:
  Neighbourhoods(const PlanProblem &problem, std::vector<uint32_t> &choice)
      : problem(problem), choice(choice), edgesOf(problem.variables.size()),
        numberIn(problem.variables.size(), outside) {
    for (unsigned e = 0; e < problem.edges.size(); ++e) {
      edgesOf[problem.edges[e].from].push_back(e);
      edgesOf[problem.edges[e].to].push_back(e);
    }
  }

  void run(double mostWork, double lowerBound);
  double work = 0;

private:
  static constexpr unsigned outside = ~0u;

  /// Up to `size` variables around `start`, found breadth first with random
  /// order among neighbours; ascending.
  std::vector<unsigned> regionAround(unsigned start, unsigned size);
  /// The problem of the region, its surroundings fixed.
  PlanProblem problemOf(llvm::ArrayRef<unsigned> region);
  /// Whether elimination could solve the region.
  bool solve(llvm::ArrayRef<unsigned> region);

  const PlanProblem &problem;
  std::vector<uint32_t> &choice;
  std::vector<llvm::SmallVector<unsigned, 4>> edgesOf;
  /// The number of every variable in the region at hand.
  std::vector<unsigned> numberIn;
  std::mt19937 random{1};
  bool hasImproved = false;
};

} // namespace

std::vector<unsigned> Neighbourhoods::regionAround(unsigned start,
                                                   unsigned size) {
  std::vector<unsigned> region = {start};
  std::vector<bool> isIn(problem.variables.size(), false);
  isIn[start] = true;
  for (size_t next = 0; next < region.size() && region.size() < size; ++next) {
    llvm::SmallVector<unsigned, 4> edges = edgesOf[region[next]];
    for (size_t i = edges.size(); i > 1; --i)
      std::swap(edges[i - 1], edges[random() % i]);
    for (unsigned e : edges) {
      const PlanProblem::Edge &edge = problem.edges[e];
      unsigned other = edge.from == region[next] ? edge.to : edge.from;
      if (!isIn[other] && region.size() < size) {
        isIn[other] = true;
        region.push_back(other);
      }
    }
  }
  llvm::sort(region);
  return region;
}

PlanProblem Neighbourhoods::problemOf(llvm::ArrayRef<unsigned> region) {
  for (auto [number, var] : llvm::enumerate(region))
    numberIn[var] = number;
  PlanProblem part;
  for (unsigned var : region) {
    const PlanProblem::Variable &variable = problem.variables[var];
    auto costs = std::make_shared<std::vector<double>>(*variable.costs);
    for (unsigned e : edgesOf[var]) {
      const PlanProblem::Edge &edge = problem.edges[e];
      bool isTo = edge.to == var;
      unsigned other = isTo ? edge.from : edge.to;
      if (numberIn[other] != outside) {
        if (isTo)
          part.edges.push_back({numberIn[other], numberIn[var],
                                edge.fromClasses, edge.toClasses, edge.table});
        continue;
      }
      work += costs->size();
      const ClassMap &own = isTo ? *edge.toClasses : *edge.fromClasses;
      uint32_t fixed =
          (isTo ? *edge.fromClasses : *edge.toClasses).classOf[choice[other]];
      for (size_t c = 0; c < costs->size(); ++c)
        (*costs)[c] += isTo ? edge.table->at(fixed, own.classOf[c])
                            : edge.table->at(own.classOf[c], fixed);
    }
    PlanProblem::Variable own = variable;
    own.costs = std::move(costs);
    part.variables.push_back(std::move(own));
  }
  for (unsigned var : region)
    numberIn[var] = outside;
  return part;
}

bool Neighbourhoods::solve(llvm::ArrayRef<unsigned> region) {
  PlanProblem part = problemOf(region);
  EliminationLimits limits;
  limits.mostStepWork = 2e6;
  limits.mostWork = 2e7;
  limits.tableBytes = int64_t(256) << 20;
  auto best = eliminateAll(part, limits);
  if (!best) {
    llvm::consumeError(best.takeError());
    return false;
  }
  work += best->work + 100.0 * region.size();
  if (!best->isComplete)
    return false;
  std::vector<uint32_t> current;
  for (unsigned var : region)
    current.push_back(choice[var]);
  // Rounding must not make equally good parts chase each other.
  double before = part.evaluate(current);
  if (part.evaluate(best->choice) < before - 1e-12 * std::abs(before)) {
    hasImproved = true;
    for (auto [var, number] : llvm::zip_equal(region, best->choice))
      choice[var] = number;
  }
  return true;
}

void Neighbourhoods::run(double mostWork, double lowerBound) {
  unsigned count = problem.variables.size();
  if (count == 0)
    return;
  unsigned size = std::min(count, 8u);
  std::vector<unsigned> order(count);
  for (unsigned v = 0; v < count; ++v)
    order[v] = v;
  double accepted = problem.evaluate(choice);
  for (unsigned idle = 0; idle < 3;) {
    for (size_t i = count; i > 1; --i)
      std::swap(order[i - 1], order[random() % i]);
    hasImproved = false;
    unsigned solved = 0, tried = 0;
    // Larger parts overlap more, so fewer of them cover the problem.
    unsigned wanted = std::max(1u, 4 * count / size);
    for (unsigned i = 0; i < std::min(count, wanted); ++i) {
      if (work >= mostWork)
        return;
      ++tried;
      solved += solve(regionAround(order[i], size));
    }
    accepted = problem.evaluate(choice);
    if (accepted <= lowerBound + 1e-12 * std::abs(accepted))
      return;
    if (solved == tried && size == count)
      return; // The whole problem was solved.
    bool canGrow = 2 * solved > tried && size < count;
    if (canGrow)
      size = std::min(count, size + (size + 1) / 2);
    else if (2 * solved <= tried && size > 2)
      size -= size / 4;
    idle = hasImproved || canGrow ? 0 : idle + 1;
  }
}

double optimize::searchLargeNeighbourhoods(const PlanProblem &problem,
                                           std::vector<uint32_t> &choice,
                                           double mostWork, double lowerBound) {
  Neighbourhoods neighbourhoods(problem, choice);
  neighbourhoods.run(mostWork, lowerBound);
  return neighbourhoods.work;
}
