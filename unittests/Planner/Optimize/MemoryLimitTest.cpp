//===- MemoryLimitTest.cpp - Plans that keep a memory limit ---------------===//

#include "../TestErrors.h"
#include "../TestProblems.h"
#include "tapestry/Planner/Optimize/Solver.h"

using namespace tapestry;
using namespace tapestry::optimize;
using namespace tapestry::test;

namespace {

PlanProblem randomLimited(std::mt19937 &random, unsigned variables,
                          uint32_t choices) {
  PlanProblem problem =
      random() % 2
          ? randomProblem(random, variables, choices)
          : randomDenseProblem(random, variables, std::min(choices, 3u), 0.4);
  addRandomMemory(random, problem, 1 + random() % 6);
  expectSuccess(problem.validate());
  return problem;
}

TEST(MemoryLimit, EqualsBruteForce) {
  std::mt19937 random(77);
  unsigned binding = 0, infeasible = 0;
  for (int round = 0; round < 400; ++round) {
    PlanProblem problem = randomLimited(random, 1 + random() % 7, 5);
    Optimum free = exhaustiveOptimum(problem, 0);
    int64_t least = exhaustiveLeastPeak(problem);
    // From a little too small to a little generous.
    problem.memoryLimit = std::max<int64_t>(
        1, least - 10 + random() % (30 + std::max<int64_t>(least, 1)));
    Optimum optimum = exhaustiveOptimum(problem, problem.memoryLimit);
    binding += optimum.isFound && optimum.cost > free.cost;
    infeasible += !optimum.isFound;
    auto exact = solveExact(problem);
    SolverOptions little;
    little.work = 1e6;
    auto bounded = solveAnytime(problem, little);
    if (!optimum.isFound) {
      std::string needed = std::to_string(least) + " bytes";
      expectError(std::move(exact),
                  {"no plan keeps within " +
                       std::to_string(problem.memoryLimit) + " bytes",
                   needed, "held at step"});
      EXPECT_FALSE(bool(bounded));
      llvm::consumeError(bounded.takeError());
      continue;
    }
    Solution solution = valueOf(std::move(exact));
    EXPECT_EQ(solution.cost, optimum.cost);
    EXPECT_EQ(solution.cost, problem.evaluate(solution.choice));
    EXPECT_LE(problem.peakBytes(solution.choice), problem.memoryLimit);
    EXPECT_TRUE(solution.provedOptimal);
    if (!bounded) { // So little work need not find a plan, but must say so.
      expectError(std::move(bounded), {"found no plan", "bytes"});
      continue;
    }
    EXPECT_GE(bounded->cost, optimum.cost);
    EXPECT_LE(bounded->lowerBound, optimum.cost);
    EXPECT_LE(problem.peakBytes(bounded->choice), problem.memoryLimit);
    if (bounded->provedOptimal)
      EXPECT_EQ(bounded->cost, optimum.cost);
  }
  EXPECT_GT(binding, 80u);
  EXPECT_GT(infeasible, 20u);
}

TEST(MemoryLimit, EqualsExhaustionOnTwelveVariables) {
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    PlanProblem problem = randomDenseProblem(random, 12, 3, 0.25);
    addRandomMemory(random, problem, 8);
    int64_t least = exhaustiveLeastPeak(problem);
    problem.memoryLimit = least + random() % (least / 4 + 1);
    Optimum optimum = exhaustiveOptimum(problem, problem.memoryLimit);
    Solution solution = valueOf(solveExact(problem));
    EXPECT_EQ(solution.cost, optimum.cost);
    EXPECT_LE(problem.peakBytes(solution.choice), problem.memoryLimit);
  }
}

TEST(MemoryLimit, LeastMemoryEqualsBruteForce) {
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    PlanProblem problem = randomLimited(random, 1 + random() % 7, 5);
    MemoryNeed need = valueOf(leastMemory(problem));
    EXPECT_EQ(need.bytes, exhaustiveLeastPeak(problem));
    EXPECT_EQ(need.lowerBound, need.bytes);
    EXPECT_EQ(problem.peakBytes(need.choice), need.bytes);
    int64_t held = 0;
    for (const auto &[tensor, bytes] : need.holders) {
      EXPECT_GT(bytes, 0);
      held += bytes;
    }
    EXPECT_EQ(held, need.bytes);
  }
}

TEST(MemoryLimit, NamesWhoHoldsTheBytes) {
  // 'big' holds 900 of at least 1000 bytes at step 4, whatever is chosen.
  PlanProblem problem;
  auto add = [&](const char *name, std::vector<int64_t> bytes, unsigned first,
                 unsigned last) {
    PlanProblem::Variable variable;
    variable.name = name;
    variable.costs =
        std::make_shared<const std::vector<double>>(bytes.size(), 1.0);
    PlanProblem::MemoryTerm term;
    term.owner = problem.variables.size();
    term.bytes = std::make_shared<const std::vector<int64_t>>(bytes);
    term.first = first;
    term.last = last;
    problem.variables.push_back(variable);
    problem.memory.push_back(term);
  };
  add("early", {950}, 0, 1);
  add("big", {1200, 900}, 3, 5);
  add("small", {100, 200}, 4, 4);
  problem.memoryLimit = 999;
  for (SolverFunction solver : {solveExact, solveAnytime})
    expectError(solver(problem, {}),
                {"no plan keeps within 999 bytes", "1000 bytes", "step 4",
                 "'big' (900), 'small' (100)"});
  // What is read of an input is the input's and not the reader's.
  problem.memory[1].tensor = "input 'A'";
  expectError(solveExact(problem), {"input 'A' (900), 'small' (100)"});
  problem.memoryLimit = 1000;
  EXPECT_EQ(valueOf(solveExact(problem)).choice,
            (std::vector<uint32_t>{0, 1, 0}));
  problem.memory[1].bytes =
      std::make_shared<const std::vector<int64_t>>(std::vector<int64_t>{-1, 2});
  expectError(solveExact(problem), {"memory term 1", "-1 bytes"});
}

TEST(MemoryLimit, DoesNotChangePlansThatKeepIt) {
  PlanProblem problem = layeredProblem(2, 40, 16, /*withMemory=*/true);
  Solution free = valueOf(solveExact(problem));
  problem.memoryLimit = problem.peakBytes(free.choice);
  Solution limited = valueOf(solveExact(problem));
  EXPECT_EQ(limited.choice, free.choice);
  EXPECT_TRUE(limited.provedOptimal);
}

TEST(MemoryLimit, BoundsModels) {
  PlanProblem problem = layeredProblem(6, 40, 16, /*withMemory=*/true);
  Solution free = valueOf(solveExact(problem));
  MemoryNeed need = valueOf(leastMemory(problem));
  int64_t most = problem.peakBytes(free.choice);
  ASSERT_LT(need.bytes, most);
  for (int percent : {90, 50, 10}) {
    problem.memoryLimit = need.bytes + (most - need.bytes) * percent / 100;
    SolverOptions options;
    options.work = 5e8;
    Solution solution = valueOf(solveAnytime(problem, options));
    EXPECT_LE(problem.peakBytes(solution.choice), problem.memoryLimit);
    EXPECT_GE(solution.cost, free.cost);
    EXPECT_GE(solution.lowerBound, free.cost * (1 - 1e-9));
    EXPECT_LE(solution.cost, 1.05 * solution.lowerBound) << percent;
    Solution again = valueOf(solveAnytime(problem, options));
    EXPECT_EQ(again.choice, solution.choice);
    EXPECT_EQ(again.lowerBound, solution.lowerBound);
  }
}

TEST(MemoryLimit, ExactSaysHowFarItGot) {
  PlanProblem problem = layeredProblem(6, 40, 16, /*withMemory=*/true);
  MemoryNeed need = valueOf(leastMemory(problem));
  Solution free = valueOf(solveExact(problem));
  problem.memoryLimit = (need.bytes + problem.peakBytes(free.choice)) / 2;
  SolverOptions options;
  options.work = 3e7;
  expectError(solveExact(problem, options),
              {"'exact'", std::to_string(problem.memoryLimit), "'bounded'"});
  // Not to be taken for a limit that nothing keeps.
  llvm::Error open = solveExact(problem, options).takeError();
  EXPECT_TRUE(open.isA<NotProvedError>());
  llvm::consumeError(std::move(open));
  problem.memoryLimit = need.lowerBound - 1;
  llvm::Error nothing = solveExact(problem, options).takeError();
  EXPECT_FALSE(nothing.isA<NotProvedError>());
  // As far as this much work finds out.
  need = valueOf(leastMemory(problem, options));
  llvm::handleAllErrors(std::move(nothing), [&](const MemoryError &error) {
    EXPECT_EQ(error.getNeededBytes(), need.bytes);
    EXPECT_EQ(error.getAvailableBytes(), problem.memoryLimit);
    EXPECT_EQ(error.getNeed(), describeMemoryNeed(need));
  });
}

} // namespace
