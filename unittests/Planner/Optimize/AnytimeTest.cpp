//===- AnytimeTest.cpp - Plans with certified bounds ----------------------===//

#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "../TestProblems.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Optimize/DualBound.h"
#include "tapestry/Planner/Optimize/Solver.h"
#include <set>

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::optimize;
using namespace tapestry::test;

namespace {

/// So little that random problems of a few variables are not just eliminated.
constexpr double littleWork = 2e4;

TEST(Anytime, IsNeverWrongAboutRandomProblems) {
  std::mt19937 random(31);
  unsigned open = 0;
  for (int round = 0; round < 120; ++round) {
    PlanProblem problem = randomDenseProblem(random, 4 + random() % 5, 3,
                                             0.3 + 0.1 * (random() % 8));
    double optimum = exhaustiveOptimum(problem, 0).cost;
    for (double work : {0.0, littleWork / 100, littleWork, 1e9}) {
      SolverOptions options;
      options.work = work;
      Solution solution = valueOf(solveAnytime(problem, options));
      EXPECT_EQ(solution.cost, problem.evaluate(solution.choice));
      EXPECT_GE(solution.cost, optimum);
      EXPECT_LE(solution.lowerBound, optimum);
      if (solution.provedOptimal) {
        EXPECT_EQ(solution.cost, optimum);
        EXPECT_EQ(solution.lowerBound, optimum);
      }
      open += !solution.provedOptimal;
      EXPECT_TRUE(work < 1e9 || solution.provedOptimal);
    }
  }
  EXPECT_GT(open, 60u) << "nothing was left to bound";
}

TEST(Anytime, AgreesWithExhaustionOnTwelveVariables) {
  std::mt19937 random(12);
  for (int round = 0; round < 12; ++round) {
    PlanProblem problem = randomDenseProblem(random, 12, 3, 0.2 + 0.06 * round);
    double optimum = exhaustiveOptimum(problem, 0).cost;
    EXPECT_EQ(valueOf(solveExact(problem)).cost, optimum);
    EXPECT_EQ(valueOf(solveAnytime(problem)).cost, optimum);
  }
}

TEST(Anytime, SaysItsGapWhereExactGivesUp) {
  // Every pair of 40 variables is joined: no order of elimination is narrow.
  std::mt19937 random(5);
  PlanProblem problem = randomDenseProblem(random, 40, 8, 1);
  SolverOptions options;
  options.work = 2e8;
  options.tableBytes = 64 << 20;
  expectError(solveExact(problem, options), {"exact", "MiB"});
  Solution solution = valueOf(solveAnytime(problem, options));
  EXPECT_FALSE(solution.provedOptimal);
  EXPECT_LT(solution.lowerBound, solution.cost);
  EXPECT_GE(solution.lowerBound, problem.independentBound() * (1 - 1e-9));
  // Better than what follows from the bound alone, and the same every time.
  EXPECT_LT(solution.cost, computeDualBound(problem, 10).solution.cost);
  EXPECT_EQ(solution.choice, valueOf(solveAnytime(problem, options)).choice);
}

TEST(Anytime, ProvesModels) {
  for (int64_t devices : {8, 64, 256}) {
    PlanProblem problem = valueOf(buildPaperProblem(llamaGraph(1), devices));
    Solution solution = valueOf(solveAnytime(problem));
    EXPECT_TRUE(solution.provedOptimal);
    EXPECT_EQ(solution.cost, valueOf(solveExact(problem)).cost);
  }
}

TEST(Anytime, ClosesDeepModelsForManyDevices) {
  PlanProblem problem = valueOf(buildPaperProblem(llamaGraph(32), 1024));
  SolverOptions options;
  options.work = 1e9;
  Solution solution = valueOf(solveAnytime(problem, options));
  EXPECT_LE(solution.cost, 1.01 * solution.lowerBound);
  EXPECT_NEAR(solution.cost, 466439634944, 1e-9 * solution.cost);
}

TEST(Exact, SolvesWideLayers) {
  // Two variables per vertex with many choices: plain elimination would form
  // tables of 48^4 entries.
  PlanProblem problem = layeredProblem(3, 160, 48, /*withMemory=*/false);
  expectSuccess(problem.validate());
  Solution solution = valueOf(solveExact(problem));
  EXPECT_TRUE(solution.provedOptimal);
  DualBound bound = computeDualBound(problem, 60);
  EXPECT_LE(bound.lowerBound, solution.cost * (1 + 1e-12));
  EXPECT_GE(bound.solution.cost, solution.cost * (1 - 1e-12));
}

/// Every other choice of every variable.
ReducedProblem everyOtherChoice(const PlanProblem &problem) {
  std::vector<std::vector<uint32_t>> kept;
  for (const PlanProblem::Variable &variable : problem.variables) {
    std::vector<uint32_t> &list = kept.emplace_back();
    for (uint32_t c = 0; c < variable.numChoices(); c += 2)
      list.push_back(c);
  }
  return restrictProblem(problem, kept);
}

TEST(Reduction, KeepsSharingAndMemory) {
  auto tables = [](const PlanProblem &p) {
    std::set<const void *> distinct;
    for (const PlanProblem::Edge &edge : p.edges)
      distinct.insert(edge.table.get());
    return distinct.size();
  };
  // More layers, no more tables.
  PlanProblem problem = layeredProblem(4, 60, 24, /*withMemory=*/true);
  expectSuccess(problem.validate());
  ReducedProblem reduced = everyOtherChoice(problem);
  expectSuccess(reduced.problem.validate());
  EXPECT_EQ(tables(reduced.problem),
            tables(everyOtherChoice(layeredProblem(2, 60, 24, true)).problem));
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    std::vector<uint32_t> choice;
    for (const auto &list : reduced.original)
      choice.push_back(random() % list.size());
    std::vector<uint32_t> original = reduced.originalOf(choice);
    EXPECT_DOUBLE_EQ(reduced.problem.evaluate(choice),
                     problem.evaluate(original));
    EXPECT_EQ(reduced.problem.peakBytes(choice), problem.peakBytes(original));
  }
}

} // namespace
