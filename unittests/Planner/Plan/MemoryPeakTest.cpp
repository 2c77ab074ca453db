//===- MemoryPeakTest.cpp - Limits on what a program allocates ------------===//

#include "../TestErrors.h"
#include "tapestry/Planner/Optimize/Solver.h"
#include "tapestry/Planner/Plan/MemoryLimit.h"

using namespace tapestry;
using namespace tapestry::optimize;
using namespace tapestry::plan;
using namespace tapestry::test;

namespace {

/// Plans that use what they may, up to `most` and not less than `least` bytes
/// by the estimate; the less, the dearer.
struct Planner {
  int64_t least = 100, most = 1000;
  bool exactProves = true;
  std::vector<std::pair<int64_t, std::string>> calls;

  llvm::Expected<Plan> operator()(int64_t limit, llvm::StringRef solver) {
    calls.push_back({limit, solver.str()});
    if (limit != 0 && limit < least)
      return llvm::make_error<MemoryError>(least, limit, "too little",
                                           "held by 'W'");
    if (limit != 0 && solver == "exact" && !exactProves)
      return llvm::make_error<NotProvedError>("not proved");
    Plan plan;
    plan.solver = solver.str();
    plan.peakBytesPerDevice = limit == 0 ? most : std::min(limit, most);
    plan.cost = 5000.0 - plan.peakBytesPerDevice;
    plan.lowerBound = plan.cost;
    plan.provedOptimal = true;
    return plan;
  }
};

/// Programs need 50 bytes more than is estimated.
std::optional<int64_t> peakOf(const Plan &plan) {
  return plan.peakBytesPerDevice + 50;
}

TEST(MemoryPeak, KeepsThePlanThatFitsAnyway) {
  Planner planner;
  Plan plan = valueOf(planWithinPeak(1050, "exact", planner, peakOf));
  EXPECT_EQ(planner.calls.size(), 1u);
  EXPECT_TRUE(plan.provedOptimal);
  EXPECT_TRUE(plan.isPeakExact);
  EXPECT_EQ(plan.peakBytesPerDevice, 1050);
}

TEST(MemoryPeak, SearchesForTheLimitThatJustFits) {
  Planner planner;
  Plan plan = valueOf(planWithinPeak(700, "exact", planner, peakOf));
  EXPECT_LE(plan.peakBytesPerDevice, 700);
  EXPECT_GT(plan.peakBytesPerDevice, 690);
  EXPECT_FALSE(plan.provedOptimal);
  // What no plan without a limit undercuts.
  EXPECT_EQ(plan.lowerBound, 4000);
  EXPECT_LE(planner.calls.size(), 9u);
}

TEST(MemoryPeak, TakesTheEstimateWhereNothingIsKnown) {
  Planner planner;
  Plan plan = valueOf(planWithinPeak(700, "exact", planner, [](const Plan &) {
    return std::optional<int64_t>();
  }));
  EXPECT_EQ(plan.peakBytesPerDevice, 700);
  EXPECT_FALSE(plan.isPeakExact);
}

TEST(MemoryPeak, RefusesWithBothNumbersAndWhatTheRefusalsSaid) {
  Planner planner;
  llvm::Error error = planWithinPeak(120, "exact", planner, peakOf).takeError();
  int64_t needed = 0;
  llvm::handleAllErrors(std::move(error), [&](const MemoryError &memory) {
    needed = memory.getNeededBytes();
    EXPECT_EQ(memory.getAvailableBytes(), 120);
    EXPECT_EQ(memory.getNeed(), "held by 'W'");
    EXPECT_EQ(memory.message(),
              "the leanest plan that was found needs " +
                  std::to_string(needed) +
                  " bytes per device, --memory allows 120; by the planner's "
                  "estimate, which can be above what a program needs, held by "
                  "'W'");
  });
  EXPECT_GE(needed, 150);
  // A refused trial has said it: nothing is planned for the sake of the words.
  for (const auto &[limit, solver] : planner.calls)
    EXPECT_NE(limit, 1);
}

TEST(MemoryPeak, AsksForTheNeedWhereNoTrialWasRefused) {
  Planner planner;
  planner.least = 2;
  // No limit on the estimate makes a program that fits into so little.
  expectError(
      planWithinPeak(40, "exact", planner, [](const Plan &) { return 500; }),
      {"needs 500 bytes", "--memory allows 40", "held by 'W'"});
  EXPECT_EQ(planner.calls.back().first, 1);
}

TEST(MemoryPeak, LetsBoundedTakeOverWhereExactCannotProve) {
  Planner planner;
  planner.exactProves = false;
  Plan plan = valueOf(planWithinPeak(700, "exact", planner, peakOf));
  EXPECT_EQ(plan.solver, "bounded");
  EXPECT_EQ(planner.calls[0].second, "exact");
  EXPECT_EQ(planner.calls[1].second, "exact");
  for (size_t i = 2; i < planner.calls.size(); ++i)
    EXPECT_EQ(planner.calls[i].second, "bounded");
}

TEST(MemoryPeak, PassesOnWhatIsWrongWithoutALimit) {
  auto broken = [](int64_t, llvm::StringRef) -> llvm::Expected<Plan> {
    return errorAt("p.json", "broken");
  };
  expectError(planWithinPeak(1, "exact", broken, peakOf),
              {"p.json: error: broken"});
}

} // namespace
