//===- MemoryRows.cpp - The steps at which memory can peak ----------------===//

#include "MemoryRows.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

using namespace tapestry;
using namespace tapestry::optimize;

Prices optimize::roundPrices(llvm::ArrayRef<double> prices) {
  double sum = 0;
  for (double price : prices)
    sum += price;
  Prices result(prices.size(), 0);
  if (!(sum > 0) || !std::isfinite(sum))
    return result;
  // Sums stay below 2^42 quanta, far from the 2^53 that a double holds.
  double quantum = std::ldexp(1.0, std::ilogb(sum) - 40);
  for (auto [rounded, price] : llvm::zip_equal(result, prices))
    rounded = std::floor(price / quantum) * quantum;
  return result;
}

int64_t optimize::bytesOfTerm(const PlanProblem &problem,
                              const PlanProblem::MemoryTerm &term,
                              llvm::ArrayRef<uint32_t> choice) {
  if (!term.ofEdge)
    return (*term.bytes)[choice[term.owner]];
  const PlanProblem::Edge &edge = problem.edges[term.owner];
  return (*term.bytes)[size_t(edge.fromClasses->classOf[choice[edge.from]]) *
                           edge.table->columns +
                       edge.toClasses->classOf[choice[edge.to]]];
}

llvm::Error optimize::checkMemoryTerms(const PlanProblem &problem) {
  for (auto [number, term] : llvm::enumerate(problem.memory))
    for (int64_t bytes : *term.bytes)
      if (bytes < 0)
        return planError("memory term ", number, " holds ", bytes, " bytes");
  return llvm::Error::success();
}

MemoryRows::MemoryRows(const PlanProblem &problem) {
  // Sweeping over the ends of ranges: where a range ends and another has begun
  // since the last row, the terms held form a set that is in no other.
  std::set<unsigned> firsts, lasts;
  for (const PlanProblem::MemoryTerm &term : problem.memory) {
    firsts.insert(term.first);
    lasts.insert(term.last);
  }
  auto first = firsts.begin();
  for (unsigned last : lasts) {
    bool hasBegun = false;
    for (; first != firsts.end() && *first <= last; ++first)
      hasBegun = true;
    if (hasBegun)
      steps.push_back(last);
  }
  for (const PlanProblem::MemoryTerm &term : problem.memory) {
    auto begin = llvm::lower_bound(steps, term.first);
    auto end = llvm::upper_bound(steps, term.last);
    spans.push_back(
        {unsigned(begin - steps.begin()), unsigned(end - steps.begin()) - 1});
  }
}

std::vector<int64_t> MemoryRows::held(const PlanProblem &problem,
                                      llvm::ArrayRef<uint32_t> choice) const {
  std::vector<int64_t> result(size() + 1, 0);
  for (auto [term, span] : llvm::zip_equal(problem.memory, spans)) {
    int64_t bytes = bytesOfTerm(problem, term, choice);
    result[span.first] += bytes;
    result[span.last + 1] -= bytes;
  }
  for (size_t row = 1; row < result.size(); ++row)
    result[row] += result[row - 1];
  result.pop_back();
  return result;
}

namespace {
/// What is added to costs: lists of bytes, each with a price.
using Additions = std::vector<std::pair<const std::vector<int64_t> *, double>>;
} // namespace

static std::vector<double> withAdditions(const std::vector<double> &costs,
                                         bool withCosts,
                                         const Additions &additions) {
  std::vector<double> sum =
      withCosts ? costs : std::vector<double>(costs.size(), 0.0);
  for (auto [bytes, price] : additions)
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += price * (*bytes)[i];
  return sum;
}

PlanProblem MemoryRows::priced(const PlanProblem &problem, const Prices &prices,
                               bool withCosts) const {
  std::vector<double> before = {0};
  for (double price : prices)
    before.push_back(before.back() + price);
  std::vector<Additions> ofVariable(problem.variables.size());
  std::vector<Additions> ofEdge(problem.edges.size());
  for (auto [term, span] : llvm::zip_equal(problem.memory, spans)) {
    double price = before[span.last + 1] - before[span.first];
    if (price > 0)
      (term.ofEdge ? ofEdge : ofVariable)[term.owner].push_back(
          {term.bytes.get(), price});
  }

  PlanProblem result;
  result.variables = problem.variables;
  result.edges = problem.edges;
  std::map<std::pair<const void *, Additions>, SharedCosts> costs;
  std::map<std::pair<const void *, Additions>, SharedTable> tables;
  for (auto [variable, additions] :
       llvm::zip_equal(result.variables, ofVariable)) {
    if (withCosts && additions.empty())
      continue;
    llvm::sort(additions);
    SharedCosts &shared = costs[{variable.costs.get(), additions}];
    if (!shared)
      shared = std::make_shared<const std::vector<double>>(
          withAdditions(*variable.costs, withCosts, additions));
    variable.costs = shared;
  }
  for (auto [edge, additions] : llvm::zip_equal(result.edges, ofEdge)) {
    if (withCosts && additions.empty())
      continue;
    llvm::sort(additions);
    SharedTable &shared = tables[{edge.table.get(), additions}];
    if (!shared)
      shared = std::make_shared<const CostTable>(
          CostTable{edge.table->rows, edge.table->columns,
                    withAdditions(edge.table->values, withCosts, additions)});
    edge.table = shared;
  }
  if (withCosts)
    return result;
  // Edges that hold nothing cost nothing and only widen tables.
  llvm::erase_if(result.edges, [&](const PlanProblem::Edge &edge) {
    return ofEdge[&edge - result.edges.data()].empty();
  });
  return result;
}
