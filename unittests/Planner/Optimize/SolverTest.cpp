//===- SolverTest.cpp - Optima, and what the paper's programme finds ------===//

#include "tapestry/Planner/Optimize/Solver.h"
#include "../../../lib/Planner/Optimize/Elimination.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "../TestProblems.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Model/Partitions.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>
#include <set>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::test;

namespace {

Solution solve(const PlanGraph &graph, int64_t devices, SolverFunction solver) {
  PlanProblem problem = valueOf(buildPaperProblem(graph, devices));
  expectSuccess(problem.validate());
  Solution solution = valueOf(solver(problem, {}));
  // The problem's cost is the cost model's.
  double cost = 0;
  for (const VertexCost &vertex :
       paperCosts(graph, partsOfSolution(graph, problem, solution.choice)))
    cost += vertex.total();
  EXPECT_DOUBLE_EQ(cost, solution.cost);
  EXPECT_LE(solution.lowerBound, solution.cost);
  return solution;
}

/// The same problem with the choices of every variable in the opposite order:
/// what it changes is which of equally good choices a solver takes.
PlanProblem reverseChoices(PlanProblem problem) {
  auto reversed = [](const SharedClasses &classes) {
    auto copy = std::make_shared<ClassMap>(*classes);
    std::reverse(copy->classOf.begin(), copy->classOf.end());
    return SharedClasses(copy);
  };
  for (PlanProblem::Variable &variable : problem.variables) {
    auto costs = std::make_shared<std::vector<double>>(*variable.costs);
    std::reverse(costs->begin(), costs->end());
    variable.costs = costs;
  }
  for (PlanProblem::Edge &edge : problem.edges) {
    edge.fromClasses = reversed(edge.fromClasses);
    edge.toClasses = reversed(edge.toClasses);
  }
  return problem;
}

double einDecompCost(const PlanGraph &graph, int64_t devices, bool isReversed) {
  PlanProblem problem = valueOf(buildPaperProblem(graph, devices));
  if (isReversed)
    problem = reverseChoices(std::move(problem));
  return valueOf(solveEinDecomp(problem)).cost;
}

//===----------------------------------------------------------------------===//
// Reference values of an independent implementation
//===----------------------------------------------------------------------===//

TEST(Exact, ReferenceOptima) {
  struct Case {
    PlanGraph graph;
    int64_t devices;
    double optimum;
  };
  for (const Case &c :
       {Case{chainGraph(), 8, 335544320}, Case{chainGraph(), 16, 436207616},
        Case{classifierGraph(), 16, 2804431872},
        Case{llamaGraph(1), 8, 3666427904},
        Case{llamaGraph(32), 8, 117325692928},
        Case{llamaGraph(1), 256, 9780051968}}) {
    Solution solution = solve(c.graph, c.devices, solveExact);
    EXPECT_EQ(solution.cost, c.optimum);
    EXPECT_EQ(solution.lowerBound, c.optimum);
    EXPECT_TRUE(solution.provedOptimal);
  }
}

/// Every variable joined to all others; a solution of cost 0 is hidden in it.
PlanProblem denseProblem(unsigned variables, uint32_t choices) {
  std::mt19937 random(21);
  PlanProblem problem = randomDenseProblem(random, variables, choices, 1);
  std::vector<uint32_t> hidden;
  for (PlanProblem::Variable &variable : problem.variables) {
    hidden.push_back(random() % choices);
    auto costs = std::make_shared<std::vector<double>>(*variable.costs);
    (*costs)[hidden.back()] = 0;
    variable.costs = costs;
  }
  for (PlanProblem::Edge &edge : problem.edges) {
    auto table = std::make_shared<CostTable>(*edge.table);
    table->values[hidden[edge.from] * choices + hidden[edge.to]] = 0;
    edge.table = table;
  }
  return problem;
}

TEST(Exact, ABoundThatIsMetIsProofEnough) {
  // Elimination would take a table of 4^29 entries.
  PlanProblem problem = denseProblem(30, 4);
  Solution solution = valueOf(solveExact(problem));
  EXPECT_EQ(solution.cost, 0);
  EXPECT_TRUE(solution.provedOptimal);
}

TEST(Exact, WhatItCannotProveIsRefusedWithAWayOut) {
  std::mt19937 random(22);
  PlanProblem problem = randomDenseProblem(random, 30, 8, 1);
  expectError(solveExact(problem), {"solver 'exact': eliminating",
                                    "solver 'bounded' finds good plans"});
  Solution good = valueOf(solveAnytime(problem));
  EXPECT_FALSE(good.provedOptimal);
  EXPECT_LT(good.lowerBound, good.cost);
}

TEST(Elimination, IsRehearsedBeforeMuchIsDone) {
  // The first step alone forms 4e8 sums, which shows before it is taken.
  std::mt19937 random(23);
  PlanProblem problem = randomDenseProblem(random, 8, 12, 1);
  EliminationLimits limits;
  limits.mostWork = 1e8;
  Elimination refused = valueOf(eliminateAll(problem, limits));
  EXPECT_FALSE(refused.isComplete);
  EXPECT_EQ(refused.work, 0);
}

TEST(EinDecomp, ReferenceValues) {
  // Ties decide: the reference takes the last of equal choices where we take
  // the first, except on the chain, where only the first gives its values.
  EXPECT_EQ(einDecompCost(chainGraph(), 8, false), 352321536);
  EXPECT_EQ(einDecompCost(chainGraph(), 16, false), 452984832);
  EXPECT_EQ(einDecompCost(classifierGraph(), 16, true), 3248498432);
  EXPECT_EQ(einDecompCost(llamaGraph(1), 8, true), 6170230784);
  EXPECT_EQ(einDecompCost(llamaGraph(32), 8, true), 194326822912);
}

TEST(EinDecomp, OurTiesAreNoWorse) {
  EXPECT_EQ(einDecompCost(classifierGraph(), 16, false), 3250071296);
  EXPECT_EQ(einDecompCost(llamaGraph(1), 8, false), 4945494016);
  EXPECT_EQ(einDecompCost(llamaGraph(32), 8, false), 158255808512);
}

TEST(EinDecomp, BoundsItsOwnPlans) {
  Solution solution = solve(llamaGraph(2), 8, solveEinDecomp);
  double optimum = solve(llamaGraph(2), 8, solveExact).cost;
  EXPECT_GT(solution.cost, optimum);
  EXPECT_FALSE(solution.provedOptimal);
  EXPECT_LE(solution.lowerBound, optimum);
  EXPECT_GT(solution.lowerBound, 0.98 * optimum);
}

TEST(EinDecomp, SolvesOnePathExactly) {
  // A chain of vertices with one reader each is one path.
  GraphBuilder b;
  b.input("X", {60, 36}).input("W", {36, 48}).input("V", {48, 20});
  b.vertex("A", "i k", {{"X", "i j"}, {"W", "j k"}});
  b.vertex("B", "k i", {{"A", "i k"}});
  b.vertex("C", "i l", {{"B", "k i"}, {"V", "k l"}});
  b.vertex("D", "l", {{"C", "i l"}});
  for (int64_t devices : {4, 6, 30})
    EXPECT_EQ(solve(b.graph, devices, solveEinDecomp).cost,
              solve(b.graph, devices, solveExact).cost);
}

//===----------------------------------------------------------------------===//
// Brute force
//===----------------------------------------------------------------------===//

/// The least cost over all partitions, from the definitions alone; nothing
/// where there are too many.
std::optional<double> leastCost(const PlanGraph &graph, int64_t devices) {
  auto uses = graph.uses();
  std::vector<std::vector<PartVector>> choices(graph.vertices.size());
  double combinations = 1;
  for (unsigned i = graph.vertices.size(); i-- > 0;) {
    const PlanVertex &vertex = graph.vertices[i];
    if (!vertex.isInput) {
      choices[i] = viablePartitions(vertex.extents(), devices);
    } else if (uses[i].size() > 1) {
      std::set<PartVector> wanted;
      for (const PlanUse &use : uses[i])
        for (const PartVector &parts : choices[use.vertex]) {
          PartVector cut =
              partsOfOperand(graph.vertices[use.vertex], use.operand, parts);
          int64_t product = 1;
          bool fits = true;
          for (auto [count, extent] : llvm::zip_equal(cut, vertex.shape)) {
            product *= count;
            fits &= count <= extent;
          }
          if (fits && devices % product == 0)
            wanted.insert(cut);
        }
      if (wanted.empty())
        wanted.insert(PartVector(vertex.shape.size(), 1));
      choices[i].assign(wanted.begin(), wanted.end());
    } else {
      choices[i] = {PartVector(vertex.shape.size(), 1)};
    }
    combinations *= choices[i].size();
  }
  if (combinations > 3e5)
    return std::nullopt;

  double best = std::numeric_limits<double>::infinity();
  std::vector<PartVector> chosen(graph.vertices.size());
  auto visit = [&](auto &self, unsigned v, double cost) -> void {
    if (cost >= best)
      return;
    if (v == graph.vertices.size()) {
      best = cost;
      return;
    }
    const PlanVertex &vertex = graph.vertices[v];
    for (const PartVector &parts : choices[v]) {
      chosen[v] = parts;
      double more =
          joinCost(graph, vertex, parts) + aggregateCost(vertex, parts);
      for (const PlanOperand &operand : vertex.operands) {
        const PlanVertex &producer = graph.vertices[operand.producer];
        if (producer.isInput && uses[operand.producer].size() == 1)
          continue;
        more += repartitionCost(
            projectedParts(producer.output, producer.extents(),
                           chosen[operand.producer], producer.shape),
            projectedParts(operand.projection, vertex.extents(), parts,
                           producer.shape));
      }
      self(self, v + 1, cost + more);
    }
  };
  visit(visit, 0, 0);
  return best;
}

TEST(Exact, EqualsBruteForce) {
  std::mt19937 random(2024);
  const int64_t deviceCounts[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16};
  unsigned compared = 0, withChoice = 0;
  while (compared < 1000) {
    PlanGraph graph = randomGraph(random, 1 + random() % 6);
    int64_t devices = deviceCounts[random() % std::size(deviceCounts)];
    std::optional<double> least = leastCost(graph, devices);
    if (!least)
      continue;
    ++compared;
    Solution solution = solve(graph, devices, solveExact);
    ASSERT_NEAR(solution.cost, *least, 1e-9 * std::max(1.0, *least));
    Solution linear = solve(graph, devices, solveEinDecomp);
    ASSERT_GE(linear.cost, *least * (1 - 1e-12));
    ASSERT_LE(linear.lowerBound, *least * (1 + 1e-12));
    withChoice += linear.cost > *least * (1 + 1e-12);
  }
  EXPECT_GT(withChoice, 50u) << "the graphs are too easy to tell anything";
}

TEST(Exact, SolvesAnyProblem) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    PlanProblem problem = randomProblem(random, 1 + random() % 6, 5);
    expectSuccess(problem.validate());
    double best = exhaustiveOptimum(problem, 0).cost;
    EXPECT_EQ(valueOf(solveExact(problem)).cost, best);
    EXPECT_EQ(valueOf(solveAnytime(problem)).cost, best);
    Solution linear = valueOf(solveEinDecomp(problem));
    EXPECT_GE(linear.cost, best);
    EXPECT_LE(linear.lowerBound, best);
  }
}

//===----------------------------------------------------------------------===//
// Behaviour
//===----------------------------------------------------------------------===//

TEST(Solvers, AreDeterministic) {
  for (const SolverInfo &solver : allSolvers()) {
    Solution first = solve(llamaGraph(2), 12, solver.solve);
    Solution second = solve(llamaGraph(2), 12, solver.solve);
    EXPECT_EQ(first.choice, second.choice) << solver.name.str();
  }
}

TEST(Solvers, SharingChangesNothing) {
  // The same problem with every shared part copied.
  PlanProblem shared = valueOf(buildPaperProblem(llamaGraph(2), 8));
  PlanProblem copied = shared;
  for (PlanProblem::Variable &variable : copied.variables)
    variable.costs =
        std::make_shared<const std::vector<double>>(*variable.costs);
  for (PlanProblem::Edge &edge : copied.edges) {
    edge.table = std::make_shared<const CostTable>(*edge.table);
    edge.fromClasses = std::make_shared<const ClassMap>(*edge.fromClasses);
    edge.toClasses = std::make_shared<const ClassMap>(*edge.toClasses);
  }
  for (const SolverInfo &solver : allSolvers())
    EXPECT_EQ(valueOf(solver.solve(shared, {})).choice,
              valueOf(solver.solve(copied, {})).choice)
        << solver.name.str();
}

TEST(Solvers, WorkOnEmptyProblems) {
  for (const SolverInfo &solver : allSolvers()) {
    Solution solution = valueOf(solver.solve(PlanProblem(), {}));
    EXPECT_EQ(solution.cost, 0);
    EXPECT_TRUE(solution.choice.empty());
  }
}

TEST(Solvers, HaveNames) {
  EXPECT_EQ(valueOf(solverNamed("eindecomp"))->name, "eindecomp");
  expectError(solverNamed("magic"), {"'magic'", "'exact'", "'eindecomp'"});
}

TEST(Exact, RefusesTablesBeyondTheLimit) {
  // Every variable meets every other one: the last table has 20^7 entries.
  std::mt19937 random(3);
  PlanProblem problem;
  std::vector<double> costs(20);
  for (unsigned v = 0; v < 9; ++v) {
    for (double &cost : costs)
      cost = random() % 1000;
    problem.variables.push_back(
        {"v" + std::to_string(v), nullptr,
         std::make_shared<const std::vector<double>>(costs), true});
  }
  auto identity = std::make_shared<const ClassMap>(ClassMap::identity(20));
  for (unsigned to = 1; to < 9; ++to)
    for (unsigned from = 0; from < to; ++from) {
      CostTable table{20, 20, std::vector<double>(400)};
      for (double &cost : table.values)
        cost = random() % 1000;
      problem.edges.push_back({from, to, identity, identity,
                               std::make_shared<const CostTable>(table)});
    }
  SolverOptions options;
  options.tableBytes = 16 << 20;
  expectError(solveExact(problem, options),
              {"exact", "'v", "MiB", "limit is 16.0 MiB"});
  // The linear programme does not mind.
  EXPECT_LE(valueOf(solveEinDecomp(problem)).lowerBound,
            valueOf(solveEinDecomp(problem)).cost);
}

TEST(Exact, GivesUpBeyondItsWork) {
  PlanProblem problem = valueOf(buildPaperProblem(chainGraph(), 16));
  SolverOptions options;
  options.mostWork = 10;
  expectError(solveExact(problem, options).takeError(), {"exact", "sums"});
}

TEST(EinDecomp, RefusesAMemoryLimit) {
  PlanProblem problem = valueOf(buildPaperProblem(chainGraph(64), 4));
  problem.memoryLimit = 4096;
  expectError(solveEinDecomp(problem, {}), {"'eindecomp'", "4096"});
}

TEST(Problem, RefusesWhatDoesNotFit) {
  PlanProblem problem = valueOf(buildPaperProblem(chainGraph(64), 4));
  problem.edges[0].to = problem.edges[0].from;
  expectError(problem.validate(), {"edge 0", "leads from"});
  problem = valueOf(buildPaperProblem(chainGraph(64), 4));
  problem.edges[0].fromClasses =
      std::make_shared<const ClassMap>(ClassMap::identity(99));
  expectError(problem.validate(), {"edge 0", "99"});
  expectError(buildPaperProblem(chainGraph(), 0), {"0 devices", "1"});
}

TEST(Problem, RefusesTooManyChoices) {
  GraphBuilder b;
  b.input("X", {65536, 65536, 65536, 65536});
  b.vertex("Y", "a b c d", {{"X", "a b c d"}});
  b.vertex("Z", "a b c d e f g h", {{"Y", "a b c d"}, {"Y", "e f g h"}});
  expectSuccess(buildPaperProblem(b.graph, 16).takeError());
  expectError(buildPaperProblem(b.graph, 65536),
              {"'Z'", "245157", "200000", "65536 devices"});
}

} // namespace
