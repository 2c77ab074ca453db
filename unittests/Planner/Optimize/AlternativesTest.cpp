//===- AlternativesTest.cpp - What another choice would have cost ---------===//

#include "tapestry/Planner/Optimize/Alternatives.h"
#include "../TestErrors.h"
#include "../TestGraphs.h"
#include "../TestProblems.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include "tapestry/Planner/Machine/Machine.h"
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

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Alternatives, EqualBruteForce) {
  std::mt19937 random(11);
  unsigned checked = 0;
  for (unsigned round = 0; round < 200 && checked < 40; ++round) {
    PlanGraph graph = randomGraph(random, 2 + round % 4);
    PlanProblem problem = valueOf(buildPaperProblem(graph, 4));
    if (combinations(problem) > 20000)
      continue;
    auto marginals = exhaustiveMarginals(problem);
    for (unsigned v = 0; v < problem.variables.size(); ++v) {
      std::vector<double> best = marginals[v];
      if (best.size() < 2)
        continue;
      uint32_t own = llvm::min_element(best) - best.begin();
      auto found = valueOf(reoptimizedAlternatives(problem, v, {own}, 3));
      ASSERT_EQ(found.size(), std::min<size_t>(3, best.size() - 1));
      for (const Alternative &other : found) {
        EXPECT_NEAR(other.cost, best[other.choice], 1e-6 * other.cost);
        EXPECT_EQ(other.lowerBound, other.cost);
        EXPECT_NE(other.choice, own);
        best[other.choice] = infinity;
      }
      // What is left is no better than the last one shown.
      best[own] = infinity;
      EXPECT_GE(*llvm::min_element(best), found.back().cost * (1 - 1e-9));
      ++checked;
    }
  }
  EXPECT_GE(checked, 40u);
}

TEST(Alternatives, FixedAreNeverBetterThanReoptimized) {
  PlanGraph graph = llamaGraph(1);
  PlanProblem problem = valueOf(buildPaperProblem(graph, 8));
  Solution solution = valueOf(solveExact(problem));
  unsigned gained = 0;
  for (unsigned v = 0; v < problem.variables.size(); ++v) {
    auto fixed = fixedAlternatives(problem, solution.choice, v, 3);
    auto anew =
        valueOf(reoptimizedAlternatives(problem, v, {solution.choice[v]}, 3));
    ASSERT_EQ(fixed.size(), anew.size());
    double last = solution.cost;
    for (auto [kept, other] : llvm::zip_equal(fixed, anew)) {
      EXPECT_LE(other.cost, kept.cost);
      EXPECT_GE(other.cost, last);
      last = other.cost;
      gained += other.cost < kept.cost;
      // The same by counting the whole solution again.
      std::vector<uint32_t> choice = solution.choice;
      choice[v] = kept.choice;
      EXPECT_DOUBLE_EQ(problem.evaluate(choice), kept.cost);
    }
  }
  EXPECT_GT(gained, 0u) << "choosing the others anew never helped";
}

TEST(Alternatives, RestrictVariablesWithTheirMemory) {
  // Two variables; a term of bytes follows the first one's choices.
  PlanProblem problem;
  auto costs = [](std::vector<double> list) {
    return std::make_shared<const std::vector<double>>(std::move(list));
  };
  problem.variables.push_back({"a", nullptr, costs({3, 1, 2}), true});
  problem.variables.push_back({"b", nullptr, costs({0, 5}), true});
  auto identity = [](uint32_t n) {
    return std::make_shared<const ClassMap>(ClassMap::identity(n));
  };
  auto table = std::make_shared<CostTable>();
  table->rows = 3;
  table->columns = 2;
  table->values = {0, 0, 9, 0, 7, 1};
  problem.edges.push_back({0, 1, identity(3), identity(2), table});
  problem.memory.push_back({false, 0,
                            std::make_shared<const std::vector<int64_t>>(
                                std::vector<int64_t>{10, 20, 30}),
                            0, 1});
  expectSuccess(problem.validate());
  PlanProblem rest = restrictVariable(problem, 0, {2, 0});
  expectSuccess(rest.validate());
  for (uint32_t b : {0, 1}) {
    EXPECT_EQ(rest.evaluate({0, b}), problem.evaluate({2, b}));
    EXPECT_EQ(rest.evaluate({1, b}), problem.evaluate({0, b}));
    EXPECT_EQ(rest.peakBytes({0, b}), 30);
    EXPECT_EQ(rest.peakBytes({1, b}), 10);
  }
  auto found = valueOf(reoptimizedAlternatives(problem, 0, {0}, 3));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].choice, 1u);
  EXPECT_EQ(found[0].cost, 6);
  EXPECT_EQ(found[1].cost, 8);
  EXPECT_TRUE(
      valueOf(reoptimizedAlternatives(problem, 0, {0, 1, 2}, 3)).empty());
}

TEST(Alternatives, ShowGroupsOnce) {
  PlanProblem problem = valueOf(buildPaperProblem(chainGraph(64), 8));
  Solution solution = valueOf(solveExact(problem));
  unsigned v = 5;
  uint32_t own = solution.choice[v];
  // The choices in two groups: one alternative, the other group's best.
  std::vector<uint32_t> groupOf;
  for (uint32_t c = 0; c < problem.variables[v].numChoices(); ++c)
    groupOf.push_back(c % 2);
  auto anew = valueOf(reoptimizedAlternatives(problem, v, {own}, 3, groupOf));
  ASSERT_EQ(anew.size(), 1u);
  EXPECT_NE(groupOf[anew[0].choice], groupOf[own]);
  auto kept = fixedAlternatives(problem, solution.choice, v, 3, groupOf);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_NE(groupOf[kept[0].choice], groupOf[own]);
  EXPECT_LE(anew[0].cost, kept[0].cost);
}

/// All variables asked for their next best choices, by marginals of parts of
/// the problem; the answers must be those of all combinations.
unsigned countAnswered(const PlanProblem &problem,
                       const MarginalLimits &limits) {
  auto expected = exhaustiveMarginals(problem);
  std::vector<AlternativeQuery> queries;
  for (unsigned v = 0; v < problem.variables.size(); ++v) {
    uint32_t best = llvm::min_element(expected[v]) - expected[v].begin();
    queries.push_back({v, {best}, {}});
  }
  unsigned answered = 0;
  auto answers = alternativesByMarginals(problem, queries, 2, limits);
  for (auto [query, answer] : llvm::zip_equal(queries, answers)) {
    if (!answer)
      continue;
    ++answered;
    auto wanted =
        cheapestAlternatives(expected[query.variable], query.excluded, 2);
    EXPECT_EQ(answer->size(), wanted.size());
    for (auto [one, other] : llvm::zip(*answer, wanted))
      EXPECT_NEAR(one.cost, other.cost, 1e-9 * other.cost);
  }
  return answered;
}

TEST(Alternatives, PartsOfAProblemAnswerAsTheWhole) {
  std::mt19937 random(11);
  unsigned answered = 0, open = 0;
  for (unsigned round = 0; round < 40; ++round) {
    PlanProblem problem = randomDenseProblem(random, 5, 6, 0.9);
    // The whole is refused, its parts are not: they are a third and less.
    MarginalLimits limits;
    limits.work = valueOf(computeMarginals(problem)).work;
    for (double share : {0.8, 0.3, 0.1}) {
      MarginalLimits less = limits;
      less.work *= share;
      expectError(computeMarginals(problem, less), {"more than"});
      unsigned count = countAnswered(problem, less);
      answered += count;
      open += 5 - count;
    }
  }
  EXPECT_GT(answered, 50u);
  EXPECT_GT(open, 0u);
}

TEST(Alternatives, OfRealProblemsTooWideForMarginals) {
  // On 64 devices the tables of this graph's marginals exceed every limit.
  Machine machine = builtInMachines().front();
  DeviceGrid grid;
  grid.axes.push_back({"d", 64});
  PlanGraph graph = classifierGraph();
  PlanProblem problem =
      valueOf(buildSpmdProblem(graph, splitIntoPrimes(grid), machine)).problem;
  expectError(computeMarginals(problem), {"marginals need more than"});
  Solution solution = valueOf(solveExact(problem));
  std::vector<AlternativeQuery> queries;
  for (unsigned v = 0; v < problem.variables.size(); ++v)
    queries.push_back({v, {solution.choice[v]}, {}});
  unsigned checked = 0;
  auto answers = alternativesByMarginals(problem, queries, 1);
  for (auto [v, answer] : llvm::enumerate(answers)) {
    ASSERT_TRUE(answer) << problem.variables[v].name;
    if (v % 16 != 3)
      continue;
    auto again =
        valueOf(reoptimizedAlternatives(problem, v, {solution.choice[v]}, 1));
    EXPECT_NEAR(answer->front().cost, again.front().cost,
                1e-9 * again.front().cost);
    ++checked;
  }
  EXPECT_EQ(checked, 2u);
}

TEST(Alternatives, PassOnWhatTheSolverSays) {
  PlanProblem problem = valueOf(buildPaperProblem(chainGraph(64), 8));
  SolverFunction refuse = [](const PlanProblem &, const SolverOptions &)
      -> llvm::Expected<Solution> { return planError("too large"); };
  expectError(reoptimizedAlternatives(problem, 5, {0}, 3, {}, refuse),
              {"too large"});
}

} // namespace
