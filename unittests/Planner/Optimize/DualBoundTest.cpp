//===- DualBoundTest.cpp - Lower bounds never exceed the optimum ----------===//

#include "tapestry/Planner/Optimize/DualBound.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "../TestProblems.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Optimize/Solver.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::test;

namespace {

TEST(DualBound, StaysBelowTheOptimum) {
  std::mt19937 random(99);
  for (int round = 0; round < 200; ++round) {
    PlanGraph graph = randomGraph(random, 6);
    PlanProblem problem = valueOf(buildPaperProblem(graph, 1 + random() % 12));
    double optimum = valueOf(solveExact(problem)).cost;
    for (unsigned rounds : {0u, 1u, 7u}) {
      DualBound bound = computeDualBound(problem, rounds);
      EXPECT_LE(bound.lowerBound, optimum * (1 + 1e-12));
      EXPECT_GE(bound.lowerBound, 0);
      EXPECT_GE(bound.solution.cost, optimum * (1 - 1e-12));
      EXPECT_EQ(bound.solution.cost, problem.evaluate(bound.solution.choice));
    }
    EXPECT_NEAR(computeDualBound(problem, 0).lowerBound,
                std::min(problem.independentBound(),
                         computeDualBound(problem, 0).solution.cost),
                1e-9 * optimum);
  }
}

TEST(DualBound, ChoiceBoundsHold) {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    PlanGraph graph = randomGraph(random, 4);
    PlanProblem problem = valueOf(buildPaperProblem(graph, 2 + random() % 7));
    DualBound bound = computeDualBound(problem, 5);
    for (unsigned v = 0; v < problem.variables.size(); ++v)
      for (uint32_t c = 0; c < problem.variables[v].numChoices(); ++c) {
        // The optimum with choice c: everything else of v made dear.
        PlanProblem forced = problem;
        auto costs =
            std::make_shared<std::vector<double>>(*problem.variables[v].costs);
        for (uint32_t other = 0; other < costs->size(); ++other)
          if (other != c)
            (*costs)[other] += 1e12;
        forced.variables[v].costs = costs;
        double optimum = valueOf(solveExact(forced)).cost;
        EXPECT_LE(bound.choiceBounds[v][c], optimum * (1 + 1e-12));
      }
  }
}

/// Bounds of choices by spanning trees against all combinations: never above,
/// never below those without trees. Returns how many are higher than those.
unsigned countRaised(const PlanProblem &problem, bool isTree) {
  unsigned raised = 0;
  auto exact = exhaustiveMarginals(problem);
  for (unsigned rounds : {0u, 5u}) {
    BoundLimits limits;
    limits.rounds = rounds;
    DualBound plain = computeDualBound(problem, limits);
    limits.trees = 3;
    DualBound bound = computeDualBound(problem, limits);
    EXPECT_EQ(bound.lowerBound, plain.lowerBound);
    for (unsigned v = 0; v < exact.size(); ++v)
      for (size_t c = 0; c < exact[v].size(); ++c) {
        double found = bound.choiceBounds[v][c], margin = 1e-9 * exact[v][c];
        EXPECT_LE(found, exact[v][c] + margin);
        EXPECT_GE(found, plain.choiceBounds[v][c]);
        raised += found > plain.choiceBounds[v][c] + margin;
        if (isTree)
          EXPECT_NEAR(found, exact[v][c], margin);
      }
  }
  return raised;
}

TEST(DualBound, TreesRaiseBoundsOfChoices) {
  std::mt19937 random(12);
  unsigned raised = 0;
  for (unsigned round = 0; round < 100; ++round) {
    PlanProblem problem = randomProblem(random, 1 + round % 7, 1 + round % 5);
    if (combinations(problem) <= 20000)
      raised += countRaised(problem, /*isTree=*/false);
    raised += countRaised(randomDenseProblem(random, 4, 4, 0.7), false);
  }
  EXPECT_GT(raised, 1000u);
}

TEST(DualBound, TreesAreExactOnForests) {
  std::mt19937 random(13);
  for (unsigned round = 0; round < 60; ++round) {
    PlanProblem problem = randomDenseProblem(random, 7, 3, 1);
    // One edge to an earlier variable for each, or none.
    std::vector<bool> isJoined(7, false);
    llvm::erase_if(problem.edges, [&](const PlanProblem::Edge &edge) {
      if (isJoined[edge.to] || random() % 3 == 0)
        return true;
      isJoined[edge.to] = true;
      return false;
    });
    countRaised(problem, /*isTree=*/true);
  }
}

TEST(DualBound, IsTightOnModels) {
  PlanProblem problem = valueOf(buildPaperProblem(llamaGraph(4), 8));
  DualBound bound = computeDualBound(problem, 10);
  EXPECT_NEAR(bound.lowerBound, bound.solution.cost,
              1e-9 * bound.solution.cost);
}

TEST(DualBound, ReductionKeepsTheOptimum) {
  std::mt19937 random(17);
  size_t before = 0, after = 0;
  for (int round = 0; round < 200; ++round) {
    PlanGraph graph = randomGraph(random, 6);
    PlanProblem problem = valueOf(buildPaperProblem(graph, 2 + random() % 11));
    DualBound bound = computeDualBound(problem, 5);
    ReducedProblem reduced = reduceProblem(problem, bound, bound.solution.cost);
    expectSuccess(reduced.problem.validate());
    Solution left = valueOf(solveExact(reduced.problem));
    std::vector<uint32_t> choice;
    for (unsigned v = 0; v < left.choice.size(); ++v) {
      choice.push_back(reduced.original[v][left.choice[v]]);
      before += problem.variables[v].numChoices();
      after += reduced.original[v].size();
    }
    double optimum = valueOf(solveExact(problem)).cost;
    EXPECT_NEAR(left.cost, optimum, 1e-9 * optimum);
    EXPECT_DOUBLE_EQ(problem.evaluate(choice), left.cost);
  }
  EXPECT_LT(2 * after, before) << "hardly anything is removed";
}

TEST(DualBound, ExactUsesItWhereTablesAreWide) {
  // 360 devices give up to 1,992 choices per vertex: elimination alone would
  // form 10^10 sums.
  PlanProblem problem = valueOf(buildPaperProblem(llamaGraph(1), 360));
  Solution solution = valueOf(solveExact(problem));
  DualBound bound = computeDualBound(problem, 20);
  EXPECT_NEAR(solution.cost, bound.lowerBound, 1e-9 * solution.cost);
}

TEST(Descend, StopsWhereNoSingleMoveHelps) {
  std::mt19937 random(8);
  for (int round = 0; round < 50; ++round) {
    PlanProblem problem =
        valueOf(buildPaperProblem(randomGraph(random, 6), 12));
    std::vector<uint32_t> choice;
    for (const PlanProblem::Variable &variable : problem.variables)
      choice.push_back(random() % variable.numChoices());
    double before = problem.evaluate(choice);
    descend(problem, choice);
    double after = problem.evaluate(choice);
    EXPECT_LE(after, before * (1 + 1e-12));
    for (unsigned v = 0; v < choice.size(); ++v)
      for (uint32_t c = 0; c < problem.variables[v].numChoices(); ++c) {
        std::vector<uint32_t> moved = choice;
        moved[v] = c;
        EXPECT_GE(problem.evaluate(moved), after * (1 - 1e-9));
      }
  }
}

} // namespace
