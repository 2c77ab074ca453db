//===- MemoryRepair.cpp - Plans that keep a memory limit ------------------===//

#include "MemoryRepair.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <set>

using namespace tapestry;
using namespace tapestry::optimize;

/// Moves can chase each other where the limit is out of reach.
static constexpr unsigned mostSweeps = 30;

MemoryRepair::MemoryRepair(const PlanProblem &problem, const MemoryRows &rows)
    : problem(problem), rows(rows), edgesOf(problem.variables.size()),
      termsOf(problem.variables.size()), segmentsOf(problem.variables.size()) {
  for (auto [number, edge] : llvm::enumerate(problem.edges)) {
    edgesOf[edge.from].push_back(number);
    edgesOf[edge.to].push_back(number);
  }
  for (auto [number, term] : llvm::enumerate(problem.memory)) {
    if (!term.ofEdge) {
      termsOf[term.owner].push_back(number);
      continue;
    }
    termsOf[problem.edges[term.owner].from].push_back(number);
    termsOf[problem.edges[term.owner].to].push_back(number);
  }
  for (unsigned v = 0; v < problem.variables.size(); ++v)
    findSegments(v);
}

void MemoryRepair::findSegments(unsigned var) {
  std::set<unsigned> starts;
  for (unsigned term : termsOf[var]) {
    starts.insert(rows.spanOf(term).first);
    starts.insert(rows.spanOf(term).last + 1);
  }
  for (auto it = starts.begin(); it != starts.end(); ++it) {
    auto next = std::next(it);
    if (next == starts.end())
      break;
    Segment segment{*it, *next - 1, {}};
    for (auto [i, term] : llvm::enumerate(termsOf[var])) {
      MemoryRows::Span span = rows.spanOf(term);
      if (span.first <= segment.first && segment.last <= span.last)
        segment.terms.push_back(i);
    }
    if (!segment.terms.empty())
      segmentsOf[var].push_back(std::move(segment));
  }
}

void MemoryRepair::addTerms(unsigned var, llvm::ArrayRef<uint32_t> choice,
                            int64_t sign) {
  for (unsigned number : termsOf[var]) {
    int64_t bytes = sign * bytesOfTerm(problem, problem.memory[number], choice);
    MemoryRows::Span span = rows.spanOf(number);
    work += span.last - span.first + 1;
    for (unsigned row = span.first; row <= span.last; ++row)
      held[row] += bytes;
  }
}

std::vector<int64_t>
MemoryRepair::bytesOf(unsigned number, unsigned var,
                      llvm::ArrayRef<uint32_t> choice) const {
  const PlanProblem::MemoryTerm &term = problem.memory[number];
  if (!term.ofEdge)
    return *term.bytes;
  const PlanProblem::Edge &edge = problem.edges[term.owner];
  bool isTo = edge.to == var;
  const ClassMap &own = isTo ? *edge.toClasses : *edge.fromClasses;
  size_t fixed = isTo ? edge.fromClasses->classOf[choice[edge.from]]
                      : edge.toClasses->classOf[choice[edge.to]];
  std::vector<int64_t> result;
  for (uint32_t number : own.classOf)
    result.push_back(
        (*term.bytes)[isTo ? fixed * edge.table->columns + number
                           : number * size_t(edge.table->columns) + fixed]);
  return result;
}

std::vector<double>
MemoryRepair::costsOf(unsigned var, llvm::ArrayRef<uint32_t> choice) const {
  std::vector<double> costs = *problem.variables[var].costs;
  for (unsigned e : edgesOf[var]) {
    const PlanProblem::Edge &edge = problem.edges[e];
    bool isTo = edge.to == var;
    const ClassMap &own = isTo ? *edge.toClasses : *edge.fromClasses;
    uint32_t fixed = isTo ? edge.fromClasses->classOf[choice[edge.from]]
                          : edge.toClasses->classOf[choice[edge.to]];
    for (size_t c = 0; c < costs.size(); ++c)
      costs[c] += isTo ? edge.table->at(fixed, own.classOf[c])
                       : edge.table->at(own.classOf[c], fixed);
  }
  return costs;
}

bool MemoryRepair::move(unsigned var, std::vector<uint32_t> &choice,
                        int64_t limit) {
  size_t count = problem.variables[var].numChoices();
  if (count == 1)
    return false;
  std::vector<double> costs = costsOf(var, choice);
  work += count * (edgesOf[var].size() + termsOf[var].size() + 1);
  addTerms(var, choice, -1);
  std::vector<std::vector<int64_t>> bytes;
  for (unsigned term : termsOf[var])
    bytes.push_back(bytesOf(term, var, choice));
  std::vector<int64_t> excess(count, 0);
  for (const Segment &segment : segmentsOf[var]) {
    int64_t others = *std::max_element(held.begin() + segment.first,
                                       held.begin() + segment.last + 1);
    for (size_t c = 0; c < count; ++c) {
      int64_t sum = others;
      for (unsigned term : segment.terms)
        sum += bytes[term][c];
      excess[c] += std::max<int64_t>(0, sum - limit);
    }
  }
  uint32_t old = choice[var], best = old;
  for (uint32_t c = 0; c < count; ++c)
    if (excess[c] < excess[best] ||
        (excess[c] == excess[best] &&
         costs[c] < costs[best] - 1e-12 * std::abs(costs[best])))
      best = c;
  choice[var] = best;
  addTerms(var, choice, 1);
  return best != old;
}

bool MemoryRepair::run(std::vector<uint32_t> &choice, int64_t limit) {
  held = rows.held(problem, choice);
  bool moved = true;
  for (unsigned sweep = 0; moved && sweep < mostSweeps; ++sweep) {
    moved = false;
    for (unsigned v = 0; v < choice.size(); ++v)
      moved |= move(v, choice, limit);
  }
  return llvm::all_of(held, [&](int64_t bytes) { return bytes <= limit; });
}
