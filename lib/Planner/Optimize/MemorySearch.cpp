//===- MemorySearch.cpp - Branch and bound under a memory limit -----------===//

#include "MemorySearch.h"
#include "MemoryRepair.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace tapestry;
using namespace tapestry::optimize;

static constexpr unsigned rootIterations = 60;
static constexpr unsigned nodeIterations = 10;
static constexpr unsigned dropRounds = 3;
/// Plans that differ by less than this part of their cost are equally good.
static constexpr double tolerance = 1e-9;

double MemorySearch::target() const {
  if (choice.empty())
    return std::numeric_limits<double>::infinity();
  return withCosts ? cost - tolerance * std::abs(cost)
                   : -std::numeric_limits<double>::infinity();
}

void MemorySearch::offer(const std::vector<uint32_t> &offered) {
  for (int64_t held : rows.held(problem, offered))
    if (held > limit)
      return;
  double offeredCost = withCosts ? problem.evaluate(offered) : 0;
  if (!choice.empty() && offeredCost >= cost)
    return;
  choice = offered;
  cost = offeredCost;
}

void MemorySearch::offerPart(const ReducedProblem &part,
                             std::vector<uint32_t> partChoice) {
  MemoryRepair repair(part.problem, rows);
  if (repair.run(partChoice, limit))
    offer(part.originalOf(partChoice));
  work += repair.work;
}

void MemorySearch::raiseBound(Node &node, const ReducedProblem &part,
                              MemoryRelaxation::Point &point) {
  bool isLost = false;
  auto visit = [&](const MemoryRelaxation::Point &visited) {
    point = visited;
    offerPart(part, visited.choice);
    return !(node.bound >= target()) && spent() < options.work;
  };
  unsigned iterations = node.isRoot ? rootIterations : nodeIterations;
  if (choice.empty()) {
    // Is there any plan at all? The way there also finds first ones.
    auto untilFound = [&](const MemoryRelaxation::Point &visited) {
      return visit(visited) && choice.empty();
    };
    isLost = relaxation.raisePeakBound(part.problem, iterations, limit,
                                       untilFound) > limit;
  }
  if (isLost) {
    node.bound = std::numeric_limits<double>::infinity();
    return;
  }
  if (withCosts)
    node.bound = std::max(
        node.bound, relaxation.raiseCostBound(part.problem, limit, target(),
                                              iterations, node.prices, visit));
}

/// Per term the least that it holds whatever is chosen.
static std::vector<int64_t> leastOfTerms(const PlanProblem &problem) {
  std::vector<int64_t> least;
  for (const PlanProblem::MemoryTerm &term : problem.memory)
    least.push_back(*std::min_element(term.bytes->begin(), term.bytes->end()));
  return least;
}

bool MemorySearch::dropByMemory(Node &node, const ReducedProblem &part,
                                bool &dropped) {
  const PlanProblem &p = part.problem;
  std::vector<int64_t> least = leastOfTerms(p);
  std::vector<int64_t> room(rows.size() + 1, 0);
  for (unsigned t = 0; t < least.size(); ++t) {
    room[rows.spanOf(t).first] += least[t];
    room[rows.spanOf(t).last + 1] -= least[t];
  }
  std::partial_sum(room.begin(), room.end(), room.begin());
  for (int64_t &bytes : room)
    bytes = limit - bytes;
  room.pop_back();
  for (int64_t bytes : room)
    if (bytes < 0)
      return false;

  std::vector<std::vector<bool>> fits;
  for (const PlanProblem::Variable &variable : p.variables)
    fits.emplace_back(variable.numChoices(), true);
  for (unsigned t = 0; t < least.size(); ++t) {
    const PlanProblem::MemoryTerm &term = p.memory[t];
    MemoryRows::Span span = rows.spanOf(t);
    int64_t most = least[t] + *std::min_element(room.begin() + span.first,
                                                room.begin() + span.last + 1);
    if (!term.ofEdge) {
      for (size_t c = 0; c < term.bytes->size(); ++c)
        if ((*term.bytes)[c] > most)
          fits[term.owner][c] = false;
      continue;
    }
    const PlanProblem::Edge &edge = p.edges[term.owner];
    std::vector<bool> row(edge.table->rows), column(edge.table->columns);
    for (size_t entry = 0; entry < term.bytes->size(); ++entry)
      if ((*term.bytes)[entry] <= most)
        row[entry / column.size()] = column[entry % column.size()] = true;
    for (size_t c = 0; c < fits[edge.from].size(); ++c)
      if (!row[edge.fromClasses->classOf[c]])
        fits[edge.from][c] = false;
    for (size_t c = 0; c < fits[edge.to].size(); ++c)
      if (!column[edge.toClasses->classOf[c]])
        fits[edge.to][c] = false;
  }
  for (unsigned v = 0; v < fits.size(); ++v) {
    std::vector<uint32_t> kept;
    for (size_t c = 0; c < fits[v].size(); ++c)
      if (fits[v][c])
        kept.push_back(part.original[v][c]);
    if (kept.empty())
      return false;
    dropped |= kept.size() < node.kept[v].size();
    node.kept[v] = std::move(kept);
  }
  return true;
}

void MemorySearch::dropByCost(Node &node, const ReducedProblem &part,
                              bool &dropped) {
  PlanProblem priced = rows.priced(part.problem, node.prices, true);
  DualBound bound = computeDualBound(priced, node.isRoot ? 30 : 5);
  work += bound.work;
  double sum = 0;
  for (double price : node.prices)
    sum += price;
  double most = cost + sum * limit;
  most += 1e-9 * std::abs(most);
  for (unsigned v = 0; v < node.kept.size(); ++v) {
    std::vector<uint32_t> kept;
    for (size_t c = 0; c < bound.choiceBounds[v].size(); ++c)
      if (bound.choiceBounds[v][c] <= most)
        kept.push_back(part.original[v][c]);
    if (kept.empty()) {
      // No plan of interest is left; the best one known is as good as any.
      node.bound = std::max(node.bound, target());
      return;
    }
    dropped |= kept.size() < node.kept[v].size();
    node.kept[v] = std::move(kept);
  }
}

void MemorySearch::split(Node node, const ReducedProblem &part,
                         const MemoryRelaxation::Point &point) {
  const PlanProblem &p = part.problem;
  // At the row that is fullest, the variable whose choices differ most; where
  // none differs, the one with the most choices.
  unsigned row = llvm::max_element(point.held) - point.held.begin();
  std::vector<std::vector<int64_t>> bytes;
  for (const PlanProblem::Variable &variable : p.variables)
    bytes.emplace_back(variable.numChoices(), 0);
  auto least = [](int64_t &value, int64_t other) {
    value = std::min(value, other);
  };
  for (auto [number, term] : llvm::enumerate(p.memory)) {
    MemoryRows::Span span = rows.spanOf(number);
    if (point.held.empty() || row < span.first || row > span.last)
      continue;
    if (!term.ofEdge) {
      for (size_t c = 0; c < term.bytes->size(); ++c)
        bytes[term.owner][c] += (*term.bytes)[c];
      continue;
    }
    const PlanProblem::Edge &edge = p.edges[term.owner];
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    std::vector<int64_t> rowLeast(edge.table->rows, most);
    std::vector<int64_t> columnLeast(edge.table->columns, most);
    for (size_t entry = 0; entry < term.bytes->size(); ++entry) {
      least(rowLeast[entry / columnLeast.size()], (*term.bytes)[entry]);
      least(columnLeast[entry % columnLeast.size()], (*term.bytes)[entry]);
    }
    for (size_t c = 0; c < bytes[edge.from].size(); ++c)
      bytes[edge.from][c] += rowLeast[edge.fromClasses->classOf[c]];
    for (size_t c = 0; c < bytes[edge.to].size(); ++c)
      bytes[edge.to][c] += columnLeast[edge.toClasses->classOf[c]];
  }
  unsigned var = 0;
  std::pair<int64_t, size_t> widest = {-1, 0};
  for (unsigned v = 0; v < bytes.size(); ++v) {
    if (bytes[v].size() == 1)
      continue;
    auto [low, high] = std::minmax_element(bytes[v].begin(), bytes[v].end());
    std::pair<int64_t, size_t> width = {*high - *low, bytes[v].size()};
    if (width > widest) {
      widest = width;
      var = v;
    }
  }

  const std::vector<int64_t> &own = bytes[var];
  uint32_t chosen = point.choice[var];
  int64_t low = *llvm::min_element(own);
  bool isTooFull = !point.held.empty() && point.held[row] > limit;
  auto isFirst = [&](uint32_t c) {
    if (widest.first == 0)
      return c == chosen;
    return own[chosen] == low ? own[c] == low : own[c] < own[chosen];
  };
  Node first = node, second = std::move(node);
  first.isRoot = second.isRoot = false;
  first.kept[var].clear();
  second.kept[var].clear();
  for (uint32_t c = 0; c < own.size(); ++c)
    (isFirst(c) ? first : second).kept[var].push_back(part.original[var][c]);
  // The side that is to be searched first goes on top.
  if (!isTooFull && !isFirst(chosen))
    std::swap(first, second);
  open.push_back(std::move(second));
  open.push_back(std::move(first));
}

void MemorySearch::expand(Node node) {
  MemoryRelaxation::Point point;
  for (unsigned round = 0;; ++round) {
    ReducedProblem part = restrictProblem(problem, node.kept);
    bool dropped = false;
    if (!dropByMemory(node, part, dropped))
      return;
    if (dropped)
      part = restrictProblem(problem, node.kept);
    raiseBound(node, part, point);
    if (node.bound >= target())
      return;
    if (spent() >= options.work) {
      open.push_back(std::move(node));
      return;
    }
    dropped = false;
    if (withCosts && !choice.empty()) {
      dropByCost(node, part, dropped);
      if (node.bound >= target())
        return;
    }
    if (dropped && round < dropRounds)
      continue;
    if (dropped) {
      part = restrictProblem(problem, node.kept);
      point = relaxation.minimise(part.problem, node.prices, withCosts);
    }
    bool isSingle = llvm::all_of(
        node.kept, [](const auto &list) { return list.size() == 1; });
    if (isSingle)
      offer(part.originalOf(std::vector<uint32_t>(node.kept.size(), 0)));
    else
      split(std::move(node), part, point);
    return;
  }
}

void MemorySearch::run(double mostWork) {
  Node root;
  root.isRoot = true;
  root.prices.assign(rows.size(), 0);
  for (const PlanProblem::Variable &variable : problem.variables) {
    std::vector<uint32_t> all(variable.numChoices());
    std::iota(all.begin(), all.end(), 0);
    root.kept.push_back(std::move(all));
  }
  open.push_back(std::move(root));
  while (!open.empty() && spent() < mostWork) {
    Node node = std::move(open.back());
    open.pop_back();
    // What every node costs whatever it finds.
    work += 1e4 * node.kept.size();
    if (node.bound < target())
      expand(std::move(node));
  }
  isDone = open.empty() || (!withCosts && !choice.empty());
  lowerBound = cost;
  for (const Node &node : open)
    lowerBound = std::min(lowerBound, node.bound);
  work = spent();
  relaxation.work = 0;
}
