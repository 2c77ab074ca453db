//===- TestProblems.cpp - Problems of no graph, and their optima ----------===//

#include "TestProblems.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <map>

using namespace tapestry;
using namespace tapestry::optimize;
using namespace tapestry::test;

static uint32_t below(std::mt19937 &random, uint32_t n) {
  return static_cast<uint32_t>(random() % n);
}

PlanProblem test::randomProblem(std::mt19937 &random, unsigned variables,
                                uint32_t mostChoices) {
  PlanProblem problem;
  for (unsigned v = 0; v < variables; ++v) {
    std::vector<double> costs(1 + below(random, mostChoices));
    for (double &cost : costs)
      cost = below(random, 1000) / 8.0;
    PlanProblem::Variable variable;
    variable.name = "v" + std::to_string(v);
    variable.costs = std::make_shared<const std::vector<double>>(costs);
    variable.hasWork = below(random, 4) != 0;
    problem.variables.push_back(variable);
  }
  auto classesFor = [&](unsigned v) {
    ClassMap map;
    map.numClasses = 1 + below(random, mostChoices);
    for (uint32_t c = 0; c < problem.variables[v].numChoices(); ++c)
      map.classOf.push_back(below(random, map.numClasses));
    return std::make_shared<const ClassMap>(map);
  };
  for (unsigned to = 1; to < variables; ++to)
    for (unsigned count = below(random, 3); count > 0; --count) {
      PlanProblem::Edge edge;
      edge.to = to;
      edge.from = below(random, to);
      edge.fromClasses = classesFor(edge.from);
      edge.toClasses = classesFor(to);
      CostTable table{
          edge.fromClasses->numClasses, edge.toClasses->numClasses, {}};
      for (uint32_t i = 0; i < table.rows * table.columns; ++i)
        table.values.push_back(below(random, 4) ? below(random, 1000) / 4.0
                                                : 0);
      edge.table = std::make_shared<const CostTable>(table);
      problem.edges.push_back(edge);
    }
  return problem;
}

PlanProblem test::randomDenseProblem(std::mt19937 &random, unsigned variables,
                                     uint32_t choices, double density) {
  PlanProblem problem;
  auto identity = std::make_shared<const ClassMap>(ClassMap::identity(choices));
  for (unsigned v = 0; v < variables; ++v) {
    std::vector<double> costs(choices);
    for (double &cost : costs)
      cost = below(random, 1000);
    PlanProblem::Variable variable;
    variable.name = "v" + std::to_string(v);
    variable.costs = std::make_shared<const std::vector<double>>(costs);
    problem.variables.push_back(variable);
  }
  for (unsigned to = 1; to < variables; ++to)
    for (unsigned from = 0; from < to; ++from) {
      if (below(random, 1000) >= 1000 * density)
        continue;
      CostTable table{choices, choices,
                      std::vector<double>(size_t(choices) * choices)};
      for (double &cost : table.values)
        cost = below(random, 1000);
      problem.edges.push_back({from, to, identity, identity,
                               std::make_shared<const CostTable>(table)});
    }
  return problem;
}

void test::addRandomMemory(std::mt19937 &random, PlanProblem &problem,
                           unsigned steps) {
  auto add = [&](bool ofEdge, unsigned owner, size_t entries) {
    PlanProblem::MemoryTerm term;
    term.ofEdge = ofEdge;
    term.owner = owner;
    std::vector<int64_t> bytes(entries);
    for (int64_t &value : bytes)
      value = below(random, 5) ? below(random, 100) : 0;
    term.bytes = std::make_shared<const std::vector<int64_t>>(bytes);
    if (below(random, 3)) {
      term.first = below(random, steps);
      term.last = term.first + below(random, steps - term.first);
    } else {
      term.last = steps - 1;
    }
    problem.memory.push_back(term);
  };
  for (unsigned v = 0; v < problem.variables.size(); ++v)
    for (unsigned count = below(random, 3); count > 0; --count)
      add(false, v, problem.variables[v].numChoices());
  for (unsigned e = 0; e < problem.edges.size(); ++e)
    if (below(random, 2))
      add(true, e, problem.edges[e].table->values.size());
}

//===----------------------------------------------------------------------===//
// A model of layers
//===----------------------------------------------------------------------===//

namespace {

/// Choices and classes as points of a small lattice: choice c of n cuts
/// dimension i into some number of parts, and what it costs to get from one
/// layout to another grows with how much they differ.
class Layers {
public:
  Layers(uint32_t choices, uint32_t classes, bool withMemory)
      : choices(choices), classes(classes), withMemory(withMemory),
        identity(
            std::make_shared<const ClassMap>(ClassMap::identity(classes))) {}
  PlanProblem build(unsigned layers);

private:
  /// Work of one of `forms` forms over homes `reads`; returns its home.
  unsigned addVertex(unsigned form, std::vector<unsigned> reads);
  unsigned addInput(unsigned form);
  unsigned addVariable(const std::string &name, SharedCosts costs);
  void addEdge(unsigned from, unsigned to, SharedClasses fromClasses,
               SharedClasses toClasses, unsigned seed);
  SharedClasses classesOf(unsigned form, unsigned side);
  SharedCosts costsOf(unsigned form, uint32_t count, double scale);
  void hold(unsigned variable, unsigned form, unsigned first, unsigned last);

  uint32_t choices, classes;
  bool withMemory;
  SharedClasses identity;
  PlanProblem problem;
  unsigned step = 0;
  std::map<std::pair<unsigned, unsigned>, SharedClasses> maps;
  std::map<std::pair<unsigned, uint32_t>, SharedCosts> costs;
  std::map<unsigned, SharedTable> tables;
  std::map<unsigned, SharedBytes> bytes;
  /// The home variable, its form and its last reader's step.
  std::map<unsigned, std::pair<unsigned, unsigned>> lives;
  std::map<unsigned, unsigned> firsts;
  std::vector<std::pair<unsigned, unsigned>> weights;
};

} // namespace

static double noise(unsigned a, unsigned b, unsigned c) {
  std::mt19937 random(a * 7919 + b * 104729 + c * 1299709 + 1);
  random();
  return (random() % 1024) / 1024.0;
}

SharedClasses Layers::classesOf(unsigned form, unsigned side) {
  SharedClasses &shared = maps[{form, side}];
  if (shared)
    return shared;
  ClassMap map;
  map.numClasses = classes;
  for (uint32_t c = 0; c < choices; ++c)
    map.classOf.push_back((c * (2 * side + 3) + form * 5 + c / classes) %
                          classes);
  shared = std::make_shared<const ClassMap>(std::move(map));
  return shared;
}

SharedCosts Layers::costsOf(unsigned form, uint32_t count, double scale) {
  SharedCosts &shared = costs[{form, count}];
  if (!shared) {
    std::vector<double> values;
    for (uint32_t c = 0; c < count; ++c)
      values.push_back(scale * (1 + 3 * noise(form, c, count)));
    shared = std::make_shared<const std::vector<double>>(std::move(values));
  }
  return shared;
}

unsigned Layers::addVariable(const std::string &name, SharedCosts costs) {
  PlanProblem::Variable variable;
  variable.name = name + std::to_string(problem.variables.size());
  variable.costs = std::move(costs);
  problem.variables.push_back(std::move(variable));
  return problem.variables.size() - 1;
}

void Layers::addEdge(unsigned from, unsigned to, SharedClasses fromClasses,
                     SharedClasses toClasses, unsigned seed) {
  SharedTable &table = tables[seed];
  if (!table) {
    CostTable made;
    made.rows = made.columns = classes;
    for (uint32_t row = 0; row < classes; ++row)
      for (uint32_t column = 0; column < classes; ++column) {
        // Layouts as numbers of two digits: each differing digit costs.
        uint32_t base = 14;
        double differs =
            (row % base != column % base) + (row / base != column / base);
        made.values.push_back(
            row == column ? 0
                          : differs * (0.5 + noise(seed, row * 31, column)));
      }
    table = std::make_shared<const CostTable>(std::move(made));
  }
  problem.edges.push_back({from, to, fromClasses, toClasses, table});
}

void Layers::hold(unsigned variable, unsigned form, unsigned first,
                  unsigned last) {
  SharedBytes &shared = bytes[form];
  if (!shared) {
    std::vector<int64_t> values;
    for (uint32_t c = 0; c < classes; ++c)
      values.push_back(int64_t(1 + form % 5) << (20 - c % 4));
    shared = std::make_shared<const std::vector<int64_t>>(std::move(values));
  }
  PlanProblem::MemoryTerm term;
  term.owner = variable;
  term.bytes = shared;
  term.first = first;
  term.last = last;
  problem.memory.push_back(std::move(term));
}

unsigned Layers::addInput(unsigned form) {
  auto zero = costsOf(1000 + form, classes, 0);
  unsigned home = addVariable("input", zero);
  weights.push_back({home, form});
  return home;
}

unsigned Layers::addVertex(unsigned form, std::vector<unsigned> reads) {
  unsigned work = addVariable("work", costsOf(form, choices, 10));
  ++step;
  for (auto [side, read] : llvm::enumerate(reads)) {
    addEdge(read, work, identity, classesOf(form, side + 1), form % 3);
    if (lives.count(read))
      lives[read].second = step;
  }
  unsigned home = addVariable("home", costsOf(3000, classes, 0));
  addEdge(work, home, classesOf(form, 0), identity, 3 + form % 2);
  lives[home] = {form, step};
  firsts[home] = step;
  return home;
}

PlanProblem Layers::build(unsigned layers) {
  unsigned stream = addInput(0);
  for (unsigned layer = 0; layer < layers; ++layer) {
    auto norm = [&](unsigned form) {
      unsigned square = addVertex(form, {stream});
      unsigned root = addVertex(form + 1, {square});
      return addVertex(form + 2, {stream, root});
    };
    auto product = [&](unsigned form, unsigned left) {
      return addVertex(form, {left, addInput(form)});
    };
    unsigned normed = norm(1);
    unsigned q = addVertex(5, {product(4, normed)});
    unsigned k = addVertex(5, {product(4, normed)});
    unsigned v = product(4, normed);
    unsigned scores = addVertex(6, {q, k});
    unsigned most = addVertex(7, {scores});
    unsigned shifted = addVertex(8, {scores, most});
    unsigned sum = addVertex(9, {shifted});
    unsigned soft = addVertex(10, {shifted, sum});
    unsigned mixed = product(12, addVertex(11, {soft, v}));
    stream = addVertex(13, {stream, mixed});
    normed = norm(1);
    unsigned gate = addVertex(15, {product(14, normed)});
    unsigned both = addVertex(16, {gate, product(14, normed)});
    stream = addVertex(13, {stream, product(17, both)});
  }
  if (withMemory) {
    for (auto [home, form] : weights)
      hold(home, form, 0, step);
    for (auto [home, life] : lives)
      hold(home, 20 + life.first, firsts[home], life.second);
  }
  return std::move(problem);
}

PlanProblem test::layeredProblem(unsigned layers, uint32_t choices,
                                 uint32_t classes, bool withMemory) {
  return Layers(choices, classes, withMemory).build(layers);
}

//===----------------------------------------------------------------------===//
// Going through all choices
//===----------------------------------------------------------------------===//

namespace {

/// Depth first over the variables in order. What earlier choices cost and hold
/// is known; costs and bytes are not negative, so branches that are already too
/// dear or too large are left.
class Exhaustive {
public:
  explicit Exhaustive(const PlanProblem &problem) : problem(problem) {
    unsigned last = 0;
    for (const PlanProblem::MemoryTerm &term : problem.memory)
      last = std::max(last, term.last);
    held.assign(last + 1, 0);
    choice.assign(problem.variables.size(), 0);
  }

  void visit(unsigned v, double cost) {
    if (cost >= best)
      return;
    int64_t peak = *std::max_element(held.begin(), held.end());
    if (peak > limit)
      return;
    if (v == choice.size()) {
      found(cost, peak);
      return;
    }
    for (uint32_t c = 0; c < problem.variables[v].numChoices(); ++c) {
      choice[v] = c;
      double more = minimisePeak ? 0 : (*problem.variables[v].costs)[c];
      for (const PlanProblem::Edge &edge : problem.edges)
        if (edge.to == v && !minimisePeak)
          more += problem.edgeCost(edge, choice);
      hold(v, 1);
      visit(v + 1, cost + more);
      choice[v] = c;
      hold(v, -1);
    }
  }

  bool minimisePeak = false;
  int64_t limit = std::numeric_limits<int64_t>::max();
  double best = std::numeric_limits<double>::infinity();

private:
  void found(double cost, int64_t peak) {
    if (minimisePeak)
      limit = peak - 1;
    else
      best = cost;
  }

  void hold(unsigned v, int64_t sign) {
    for (const PlanProblem::MemoryTerm &term : problem.memory) {
      size_t entry = 0;
      if (term.ofEdge) {
        const PlanProblem::Edge &edge = problem.edges[term.owner];
        if (edge.to != v)
          continue;
        entry = edge.fromClasses->classOf[choice[edge.from]] *
                    size_t(edge.table->columns) +
                edge.toClasses->classOf[choice[edge.to]];
      } else if (term.owner == v) {
        entry = choice[v];
      } else {
        continue;
      }
      for (unsigned step = term.first; step <= term.last; ++step)
        held[step] += sign * (*term.bytes)[entry];
    }
  }

  const PlanProblem &problem;
  std::vector<uint32_t> choice;
  std::vector<int64_t> held;
};

} // namespace

Optimum test::exhaustiveOptimum(const PlanProblem &problem, int64_t limit) {
  Exhaustive search(problem);
  if (limit > 0)
    search.limit = limit;
  search.visit(0, 0);
  return {search.best != std::numeric_limits<double>::infinity(), search.best};
}

int64_t test::exhaustiveLeastPeak(const PlanProblem &problem) {
  Exhaustive search(problem);
  search.minimisePeak = true;
  search.visit(0, 0);
  return search.limit + 1;
}

std::vector<std::vector<double>>
test::exhaustiveMarginals(const PlanProblem &problem) {
  std::vector<std::vector<double>> best;
  for (const PlanProblem::Variable &variable : problem.variables)
    best.emplace_back(variable.numChoices(),
                      std::numeric_limits<double>::infinity());
  std::vector<uint32_t> choice(problem.variables.size(), 0);
  while (true) {
    if (!problem.memoryLimit ||
        problem.peakBytes(choice) <= problem.memoryLimit) {
      double cost = problem.evaluate(choice);
      for (unsigned v = 0; v < choice.size(); ++v)
        best[v][choice[v]] = std::min(best[v][choice[v]], cost);
    }
    unsigned v = 0;
    while (v < choice.size() &&
           ++choice[v] == problem.variables[v].numChoices())
      choice[v++] = 0;
    if (v == choice.size())
      return best;
  }
}

double test::combinations(const PlanProblem &problem) {
  double count = 1;
  for (const PlanProblem::Variable &variable : problem.variables)
    count *= variable.numChoices();
  return count;
}
