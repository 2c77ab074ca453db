//===- PeakSearchTest.cpp - Plans whose programs keep a limit -------------===//

#include "tapestry/Planner/Optimize/PeakSearch.h"
#include "../TestErrors.h"
#include "../TestProblems.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::optimize;
using namespace tapestry::test;

namespace {

/// Programs that need more than is certain, by up to `most` bytes that say
/// nothing of the choice.
struct Programs {
  const PlanProblem &problem;
  int64_t most = 20;
  unsigned measured = 0;

  int64_t peakOf(llvm::ArrayRef<uint32_t> choice) const {
    uint64_t mixed = 1;
    for (uint32_t c : choice)
      mixed = (mixed ^ c) * 0x9E3779B97F4A7C15 + (mixed >> 31);
    return problem.peakBytes(choice) + int64_t((mixed >> 40) % (most + 1));
  }
  std::optional<int64_t> operator()(llvm::ArrayRef<uint32_t> choice) {
    ++measured;
    return peakOf(choice);
  }
};

struct All {
  int64_t least = std::numeric_limits<int64_t>::max(), most = 0;
  /// The least cost of what keeps the problem's limit; infinite: nothing does.
  double cheapest = std::numeric_limits<double>::infinity();
};

All allPlans(const PlanProblem &problem, const Programs &programs) {
  All all;
  std::vector<uint32_t> choice(problem.variables.size(), 0);
  for (size_t v = 0; v < choice.size();) {
    int64_t peak = programs.peakOf(choice);
    all.least = std::min(all.least, peak);
    all.most = std::max(all.most, peak);
    if (peak <= problem.memoryLimit)
      all.cheapest = std::min(all.cheapest, problem.evaluate(choice));
    for (v = 0;
         v < choice.size() && ++choice[v] == problem.variables[v].numChoices();)
      choice[v++] = 0;
  }
  return all;
}

size_t numOpen(const PlanProblem &problem) {
  size_t open =
      llvm::count_if(problem.variables, [](const PlanProblem::Variable &each) {
        return each.numChoices() > 1;
      });
  return std::max<size_t>(1, open);
}

/// From below the least peak of all plans up to the largest.
int64_t drawLimit(std::mt19937 &random, const All &all) {
  int64_t low = std::max<int64_t>(all.least - 4, 1);
  return low + int64_t(random() % uint64_t(all.most - low + 1)) / 2;
}

TEST(PeakSearch, SaysWhatASearchThroughAllPlansSays) {
  std::mt19937 random(11);
  unsigned found = 0, refused = 0, named = 0;
  for (unsigned trial = 0; trial < 150; ++trial) {
    PlanProblem problem = randomProblem(random, 1 + random() % 6, 4);
    addRandomMemory(random, problem, 5);
    Programs programs{problem};
    problem.memoryLimit = drawLimit(random, allPlans(problem, programs));
    All all = allPlans(problem, programs);
    PeakSearchLimits limits;
    limits.mostForLeast = limits.mostMeasured;
    PeakOutcome outcome =
        valueOf(searchWithinPeak(problem, {}, programs, limits));
    bool fits = all.least <= problem.memoryLimit;
    ASSERT_EQ(!outcome.solution.choice.empty(), fits);
    if (fits) {
      ++found;
      EXPECT_EQ(outcome.solution.cost, all.cheapest);
      EXPECT_EQ(outcome.solution.lowerBound, all.cheapest);
      EXPECT_TRUE(outcome.solution.provedOptimal);
      EXPECT_LE(programs.peakOf(outcome.solution.choice), problem.memoryLimit);
    } else {
      ++refused;
      EXPECT_EQ(outcome.leanest, all.least);
      EXPECT_EQ(outcome.lowerBound, all.least);
      named += !outcome.holders.empty();
    }
  }
  EXPECT_GT(found, 50u);
  EXPECT_GT(refused, 10u);
  EXPECT_GT(named, 5u);
}

/// Too many plans to list, or to measure: what is claimed still holds.
TEST(PeakSearch, ClaimsNoMoreThanItKnows) {
  std::mt19937 random(12);
  unsigned found = 0, open = 0, proved = 0;
  for (unsigned trial = 0; trial < 200; ++trial) {
    PlanProblem problem = randomProblem(random, 2 + random() % 5, 4);
    addRandomMemory(random, problem, 5);
    Programs programs{problem, int64_t(random() % 60)};
    problem.memoryLimit = drawLimit(random, allPlans(problem, programs));
    All all = allPlans(problem, programs);
    PeakSearchLimits limits;
    if (trial % 2)
      limits.mostListed = 0;
    limits.mostMeasured = random() % 60;
    limits.fewestMeasured = 3;
    PeakOutcome outcome =
        valueOf(searchWithinPeak(problem, {}, programs, limits));
    EXPECT_LE(programs.measured,
              std::max<size_t>(3, limits.mostMeasured / numOpen(problem)));
    EXPECT_GE(outcome.leanest, all.least);
    EXPECT_LE(outcome.lowerBound, all.least);
    const Solution &solution = outcome.solution;
    if (solution.choice.empty()) {
      bool isProof = outcome.lowerBound > problem.memoryLimit;
      proved += isProof;
      open += !isProof;
      if (isProof) {
        EXPECT_GT(all.least, problem.memoryLimit);
      }
      continue;
    }
    ++found;
    EXPECT_LE(programs.peakOf(solution.choice), problem.memoryLimit);
    EXPECT_EQ(solution.cost, problem.evaluate(solution.choice));
    EXPECT_LE(solution.lowerBound, all.cheapest * (1 + 1e-9));
    if (solution.provedOptimal) {
      EXPECT_LE(solution.cost, all.cheapest * (1 + 1e-9));
    }
  }
  EXPECT_GT(found, 50u);
  EXPECT_GT(open, 2u);
  EXPECT_GT(proved, 5u);
}

/// What is certain to be refused is not measured to the end: the least peak is
/// between what is said to be proved and what is said to be found.
TEST(PeakSearch, RefusesAfterFewPrograms) {
  std::mt19937 random(17);
  unsigned open = 0, exact = 0;
  for (unsigned trial = 0; trial < 60; ++trial) {
    PlanProblem problem = randomProblem(random, 5, 4);
    addRandomMemory(random, problem, 5);
    // What is certain says little, and all plans may be the leanest.
    Programs programs{problem, /*most=*/trial % 2 ? 4000 : 4};
    All all = allPlans(problem, programs);
    problem.memoryLimit = 1;
    PeakSearchLimits limits;
    limits.mostForLeast = 30;
    limits.fewestMeasured = 2;
    if (all.least <= problem.memoryLimit)
      continue;
    size_t mayFit = 0;
    auto peakOf = [&](llvm::ArrayRef<uint32_t> choice) {
      mayFit += problem.peakBytes(choice) <= problem.memoryLimit;
      return programs(choice);
    };
    PeakOutcome outcome =
        valueOf(searchWithinPeak(problem, {}, peakOf, limits));
    ASSERT_TRUE(outcome.solution.choice.empty());
    EXPECT_LE(programs.measured,
              mayFit + std::max<size_t>(2, 30 / numOpen(problem)));
    EXPECT_GT(outcome.lowerBound, problem.memoryLimit);
    EXPECT_LE(outcome.lowerBound, all.least);
    EXPECT_GE(outcome.leanest, all.least);
    open += outcome.lowerBound < outcome.leanest;
    exact += outcome.lowerBound == outcome.leanest;
  }
  EXPECT_GT(open, 5u);
  EXPECT_GT(exact, 10u);
}

/// "'V0' (12), 'V3' (7) and others (2)": 21.
int64_t sumOf(llvm::StringRef holders) {
  int64_t sum = 0;
  while (!holders.empty()) {
    int64_t bytes = 0;
    auto [number, rest] = holders.split('(').second.split(')');
    EXPECT_FALSE(number.getAsInteger(10, bytes));
    sum += bytes;
    holders = rest;
  }
  return sum;
}

/// What a refusal says of the leanest plan is said of one plan, whether plans
/// were listed or not, and one that was known before is looked at, too.
TEST(PeakSearch, HoldersAreThoseOfTheLeanest) {
  std::mt19937 random(16);
  unsigned differ = 0, known = 0;
  for (unsigned trial = 0; trial < 100; ++trial) {
    PlanProblem problem = randomProblem(random, 2 + random() % 5, 4);
    addRandomMemory(random, problem, 5);
    Programs programs{problem, /*most=*/60};
    problem.memoryLimit = allPlans(problem, programs).least - 1;
    if (problem.memoryLimit < 1)
      continue;
    std::pair<int64_t, int64_t> leanest = {std::numeric_limits<int64_t>::max(),
                                           0};
    int64_t leastBound = std::numeric_limits<int64_t>::max();
    auto peakOf = [&](llvm::ArrayRef<uint32_t> choice) {
      int64_t bound = problem.peakBytes(choice);
      leastBound = std::min(leastBound, bound);
      // Of equals the first.
      if (int64_t peak = programs.peakOf(choice); peak < leanest.first)
        leanest = {peak, bound};
      return programs(choice);
    };
    PeakSearchLimits limits;
    if (trial % 2)
      limits.mostListed = 0;
    std::vector<uint32_t> first;
    if (trial % 3 == 0)
      for (const PlanProblem::Variable &variable : problem.variables)
        first.push_back(random() % variable.numChoices());
    PeakOutcome outcome =
        valueOf(searchWithinPeak(problem, {}, peakOf, limits, first));
    ASSERT_TRUE(outcome.solution.choice.empty());
    EXPECT_EQ(outcome.leanest, leanest.first);
    EXPECT_EQ(sumOf(outcome.holders), leanest.second);
    differ += leanest.second > leastBound;
    known += !first.empty() && outcome.leanest == programs.peakOf(first);
  }
  EXPECT_GT(differ, 10u);
  EXPECT_GT(known, 0u);
}

/// Bounds that say little, and an estimate that is right: a plan is found at
/// every limit that any keeps.
TEST(PeakSearch, GoesByWhatIsExpected) {
  std::mt19937 random(14);
  unsigned guided = 0;
  for (unsigned trial = 0; trial < 100; ++trial) {
    PlanProblem problem = randomProblem(random, 3 + random() % 4, 4);
    addRandomMemory(random, problem, 5);
    problem.expected = problem.memory;
    PlanProblem exact = problem;
    Programs programs{exact, /*most=*/0};
    for (PlanProblem::MemoryTerm &term : problem.memory) {
      std::vector<int64_t> bytes = *term.bytes;
      for (int64_t &each : bytes)
        each /= 8;
      term.bytes = std::make_shared<const std::vector<int64_t>>(bytes);
    }
    All all = allPlans(problem, programs);
    PeakSearchLimits limits;
    limits.mostListed = 0;
    limits.mostMeasured = limits.fewestMeasured = 3;
    for (int64_t limit : {all.least, (all.least + all.most) / 2}) {
      problem.memoryLimit = limit;
      double cheapest = allPlans(problem, programs).cheapest;
      PeakOutcome outcome =
          valueOf(searchWithinPeak(problem, {}, programs, limits));
      ASSERT_FALSE(outcome.solution.choice.empty());
      EXPECT_LE(programs.peakOf(outcome.solution.choice), limit);
      EXPECT_NEAR(outcome.solution.cost, cheapest, 1e-9 * cheapest);
      EXPECT_LE(outcome.solution.lowerBound, cheapest * (1 + 1e-9));
      guided += !outcome.solution.provedOptimal;
    }
  }
  EXPECT_GT(guided, 50u);
}

/// Variables without a choice, such as inputs that lie one way, do not make
/// programs dearer.
TEST(PeakSearch, CountsVariablesThatLeaveAChoice) {
  std::mt19937 random(15);
  PlanProblem problem = randomProblem(random, 3, 4);
  addRandomMemory(random, problem, 5);
  problem.memoryLimit = 1;
  PeakSearchLimits limits;
  limits.mostMeasured = 30;
  limits.fewestMeasured = 1;
  auto measuredFor = [&] {
    // No bound ends the search before its budget.
    for (PlanProblem::MemoryTerm &term : problem.memory)
      term.bytes =
          std::make_shared<const std::vector<int64_t>>(term.bytes->size(), 0);
    unsigned measured = 0;
    auto peakOf = [&](llvm::ArrayRef<uint32_t>) -> std::optional<int64_t> {
      return 1000 - int64_t(measured++);
    };
    valueOf(searchWithinPeak(problem, {}, peakOf, limits));
    return measured;
  };
  unsigned before = measuredFor();
  EXPECT_GT(before, 2u);
  for (unsigned added = 0; added < 20; ++added) {
    PlanProblem::Variable single = problem.variables.back();
    single.name = "single";
    single.costs = std::make_shared<const std::vector<double>>(1, 0.0);
    problem.variables.push_back(single);
  }
  EXPECT_EQ(measuredFor(), before);
}

TEST(PeakSearch, PassesOverWhatMeansNoProgram) {
  std::mt19937 random(13);
  PlanProblem problem = randomProblem(random, 3, 3);
  addRandomMemory(random, problem, 3);
  problem.memoryLimit = std::numeric_limits<int64_t>::max() / 2;
  auto nothing = [](llvm::ArrayRef<uint32_t>) {
    return std::optional<int64_t>();
  };
  PeakOutcome outcome = valueOf(searchWithinPeak(problem, {}, nothing));
  EXPECT_TRUE(outcome.solution.choice.empty());
}

} // namespace
