//===- ErrorTest.cpp - What errors carry beside their message -------------===//

#include "tapestry/Support/Error.h"
#include <gtest/gtest.h>

using namespace tapestry;

namespace {

TEST(ErrorTest, PlanErrorIsTheProgramsFaultAtNoPlace) {
  ErrorFacts facts = factsOf(planError("vertex '", "C", "' has ", 3, " parts"));
  EXPECT_EQ(facts.fault, Fault::Program);
  EXPECT_EQ(facts.place, "");
  EXPECT_EQ(facts.text, "vertex 'C' has 3 parts");
}

TEST(ErrorTest, PlaceStandsBeforeTheMessage) {
  llvm::Error error = errorAt("plan.json", "expected a list, not ", 1);
  EXPECT_TRUE(error.isA<FaultError>());
  EXPECT_EQ(llvm::toString(std::move(error)),
            "plan.json: error: expected a list, not 1");
}

TEST(ErrorTest, FaultsAreTheToolsExitStatuses) {
  EXPECT_EQ(int(Fault::Program), 1);
  EXPECT_EQ(int(Fault::Usage), 2);
  EXPECT_EQ(int(Fault::Machine), 3);
  EXPECT_EQ(int(Fault::Rank), 4);
  EXPECT_EQ(factsOf(faultError(Fault::Rank, "", "gone")).fault, Fault::Rank);
}

TEST(ErrorTest, MemoryErrorHasBothNumbers) {
  llvm::Error error = llvm::make_error<MemoryError>(
      4096, 1024, "the plan needs 4096", "held by 'W'");
  EXPECT_TRUE(error.isA<FaultError>());
  llvm::handleAllErrors(std::move(error), [](const MemoryError &memory) {
    EXPECT_EQ(memory.getFault(), Fault::Machine);
    EXPECT_EQ(memory.getNeededBytes(), 4096);
    EXPECT_EQ(memory.getAvailableBytes(), 1024);
    EXPECT_EQ(memory.getNeed(), "held by 'W'");
    EXPECT_EQ(memory.message(), "the plan needs 4096");
  });
}

TEST(ErrorTest, PlaceIsGivenOnceAndKeepsTheClass) {
  llvm::Error error =
      withPlace("plan.json", llvm::make_error<MemoryError>(2, 1, "too much"));
  EXPECT_TRUE(error.isA<MemoryError>());
  error = withPlace("prog.ein:3:1", std::move(error));
  EXPECT_EQ(llvm::toString(std::move(error)), "plan.json: error: too much");
}

TEST(ErrorTest, ErrorsOfOtherClassesAreTheProgramsFault) {
  auto other = [] { return llvm::createStringError("[1:2] no value"); };
  ErrorFacts facts = factsOf(other());
  EXPECT_EQ(facts.fault, Fault::Program);
  EXPECT_EQ(facts.text, "[1:2] no value");
  EXPECT_EQ(llvm::toString(withPlace("a.json", other())),
            "a.json: error: [1:2] no value");
  EXPECT_EQ(factsOf(llvm::joinErrors(other(), other())).text,
            "[1:2] no value\n[1:2] no value");
}

TEST(ErrorTest, SuccessStaysSuccess) {
  EXPECT_FALSE(withPlace("a.json", llvm::Error::success()));
}

} // namespace
