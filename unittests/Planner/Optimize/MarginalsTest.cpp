//===- MarginalsTest.cpp - The best plan with every single choice ---------===//

#include "tapestry/Planner/Optimize/Marginals.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "../TestProblems.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include "tapestry/Planner/Optimize/Alternatives.h"
#include "tapestry/Planner/Plan/Plan.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::cost::seconds;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::test;

namespace {

void expectEqualToBruteForce(const PlanProblem &problem) {
  Marginals found = valueOf(computeMarginals(problem));
  auto expected = exhaustiveMarginals(problem);
  ASSERT_EQ(found.costs.size(), expected.size());
  for (unsigned v = 0; v < expected.size(); ++v) {
    ASSERT_EQ(found.costs[v].size(), expected[v].size());
    for (auto [one, other] : llvm::zip_equal(found.costs[v], expected[v]))
      EXPECT_NEAR(one, other, 1e-9 * other) << problem.variables[v].name;
  }
}

/// The least of every variable is the optimum.
void expectConsistent(const PlanProblem &problem, const Marginals &found) {
  double optimum = valueOf(solveExact(problem)).cost;
  EXPECT_NEAR(found.optimum, optimum, 1e-9 * optimum);
  for (const std::vector<double> &costs : found.costs)
    EXPECT_EQ(*std::min_element(costs.begin(), costs.end()), found.optimum);
}

/// For every `stride`-th variable, what solving the whole problem again says.
void expectEqualToSolvingAgain(const PlanProblem &problem, unsigned stride) {
  Marginals found = valueOf(computeMarginals(problem));
  expectConsistent(problem, found);
  Solution solution = valueOf(solveExact(problem));
  for (unsigned v = 0; v < problem.variables.size(); v += stride) {
    auto again =
        valueOf(reoptimizedAlternatives(problem, v, {solution.choice[v]}, 3));
    auto next = cheapestAlternatives(found.costs[v], {solution.choice[v]}, 3);
    ASSERT_EQ(again.size(), next.size());
    for (auto [one, other] : llvm::zip_equal(next, again)) {
      EXPECT_NEAR(one.cost, other.cost, 1e-9 * other.cost)
          << problem.variables[v].name;
      EXPECT_NEAR(found.costs[v][other.choice], other.cost, 1e-9 * other.cost);
    }
  }
}

PlanProblem spmdProblem(const PlanGraph &graph, const DeviceGrid &grid) {
  Machine machine;
  machine.name = "test";
  machine.flopsPerSecond = 2e9;
  machine.memoryBandwidth = 4e9;
  machine.vertexLatency = 1e-7;
  machine.otherLink = {5e9, 2e-6};
  return valueOf(buildSpmdProblem(graph, grid, machine)).problem;
}

DeviceGrid gridOf(int64_t devices) {
  DeviceGrid grid;
  grid.axes.push_back({"d", devices});
  return splitIntoPrimes(grid);
}

TEST(Marginals, EqualBruteForceOnRandomProblems) {
  // Trees, disconnected parts, variables of one choice, parallel edges, classes
  // that no choice has.
  std::mt19937 random(5);
  for (unsigned round = 0; round < 300; ++round) {
    PlanProblem problem = randomProblem(random, 1 + round % 7, 1 + round % 5);
    if (combinations(problem) <= 20000)
      expectEqualToBruteForce(problem);
  }
}

TEST(Marginals, EqualBruteForceOnDenseProblems) {
  std::mt19937 random(6);
  for (unsigned round = 0; round < 60; ++round)
    expectEqualToBruteForce(randomDenseProblem(
        random, 2 + round % 5, 1 + round % 4, round % 2 ? 1 : 0.6));
}

TEST(Marginals, EqualBruteForceOnRandomGraphs) {
  std::mt19937 random(7);
  unsigned checked = 0;
  for (unsigned round = 0; round < 200 && checked < 40; ++round) {
    PlanGraph graph = randomGraph(random, 2 + round % 4);
    PlanProblem problem = valueOf(buildPaperProblem(graph, 4));
    if (combinations(problem) > 20000)
      continue;
    expectEqualToBruteForce(problem);
    ++checked;
  }
  EXPECT_GE(checked, 40u);
}

TEST(Marginals, EqualBruteForceWithSharedParts) {
  // A chain of equal links and a branch: messages are shared, and not where
  // they should not be. Classes are fewer than choices.
  std::mt19937 random(8);
  for (unsigned round = 0; round < 30; ++round) {
    PlanProblem problem;
    std::vector<double> costs(3);
    for (double &cost : costs)
      cost = random() % 100;
    auto shared = std::make_shared<const std::vector<double>>(costs);
    ClassMap map;
    map.classOf = {0, 1, uint32_t(random() % 2)};
    map.numClasses = 2;
    auto coarse = std::make_shared<const ClassMap>(map);
    auto fine = std::make_shared<const ClassMap>(ClassMap::identity(3));
    CostTable table{2, 3, {}};
    for (unsigned i = 0; i < 6; ++i)
      table.values.push_back(random() % 100);
    auto link = std::make_shared<const CostTable>(table);
    for (unsigned v = 0; v < 9; ++v) {
      problem.variables.push_back(
          {"v" + std::to_string(v), nullptr, shared, true});
      if (v)
        problem.edges.push_back({v - 1, v, coarse, fine, link});
    }
    problem.edges.push_back({2, 6, coarse, fine, link});
    problem.edges.push_back({2, 8, coarse, fine, link});
    expectSuccess(problem.validate());
    expectEqualToBruteForce(problem);
  }
}

TEST(Marginals, AreThoseOfProblemsWithoutCosts) {
  PlanProblem problem;
  auto costs = std::make_shared<const std::vector<double>>(2, 0.0);
  problem.variables.push_back({"a", nullptr, costs, true});
  problem.variables.push_back({"b", nullptr, costs, true});
  Marginals found = valueOf(computeMarginals(problem));
  EXPECT_EQ(found.costs, (std::vector<std::vector<double>>{{0, 0}, {0, 0}}));
}

TEST(Marginals, EqualSolvingAgain) {
  expectEqualToSolvingAgain(valueOf(buildPaperProblem(chainGraph(), 8)), 1);
  expectEqualToSolvingAgain(valueOf(buildPaperProblem(llamaGraph(1), 8)), 1);
  expectEqualToSolvingAgain(valueOf(buildPaperProblem(llamaGraph(5), 6)), 7);
}

TEST(Marginals, EqualSolvingAgainInSeconds) {
  PlanGraph chain = chainGraph(256);
  DeviceGrid four = gridOf(4);
  expectEqualToSolvingAgain(spmdProblem(chain, four), 1);
  PlanGraph llama = llamaGraph(1, 16);
  expectEqualToSolvingAgain(spmdProblem(llama, four), 1);
}

TEST(Marginals, EqualSolvingAgainWithForbiddenLayouts) {
  PlanGraph graph = chainGraph(64);
  for (llvm::StringRef name : {"AB", "Z"})
    graph.vertices[*graph.vertexNamed(name)].constraints.layoutGroup = "g";
  expectEqualToSolvingAgain(valueOf(buildPaperProblem(graph, 8)), 1);
}

/// A start that cannot leave a forbidden layout says nothing about costs.
TEST(Marginals, AreExactWhereTheStartIsForbidden) {
  GraphBuilder b;
  b.input("I", {11});
  b.vertex("A", "l", {{"I", "l+r-1"}}, {{"l", 8}, {"r", 2}});
  b.vertex("B", "i", {{"A", "j"}, {"A", "i"}});
  b.vertex("C", "i", {{"I", "l"}, {"B", "l+r-1"}, {"A", "i"}},
           {{"l", 11}, {"r", 3}});
  b.vertex("D", "i", {{"A", "i+r-1"}}, {{"i", 8}, {"r", 2}});
  for (llvm::StringRef name : {"B", "C", "D"})
    b.graph.vertices[*b.graph.vertexNamed(name)].constraints.layoutGroup = "g";
  expectEqualToSolvingAgain(valueOf(buildPaperProblem(b.graph, 6)), 1);
}

TEST(Marginals, AreTheSameEveryTime) {
  PlanProblem problem = valueOf(buildPaperProblem(llamaGraph(3), 12));
  Marginals one = valueOf(computeMarginals(problem));
  Marginals other =
      valueOf(computeMarginals(valueOf(buildPaperProblem(llamaGraph(3), 12))));
  EXPECT_EQ(one.costs, other.costs);
  EXPECT_EQ(one.work, other.work);
}

TEST(Marginals, TakeRepeatedBlocksOnce) {
  auto workFor = [](unsigned layers) {
    return valueOf(computeMarginals(
                       valueOf(buildPaperProblem(llamaGraph(layers), 8))))
        .work;
  };
  EXPECT_LT(workFor(32), 2 * workFor(8));
}

TEST(Marginals, KeepTheirLimits) {
  PlanProblem problem = valueOf(buildPaperProblem(llamaGraph(1), 8));
  MarginalLimits limits;
  limits.work = 1000;
  expectError(computeMarginals(problem, limits), {"sums"});
  // Enough for the way up.
  Marginals found = valueOf(computeMarginals(problem));
  limits.work = found.work - 1;
  expectError(computeMarginals(problem, limits), {"sums"});
  limits = MarginalLimits();
  limits.tableBytes = 100;
  expectError(computeMarginals(problem, limits), {"limit"});
  problem.memoryLimit = 1;
  expectError(computeMarginals(problem), {"memory limit"});
}

} // namespace
