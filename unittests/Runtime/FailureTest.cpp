//===- FailureTest.cpp - Tests of runs that fail --------------------------===//
//
// One rank's failure ends all with its message. That none of these hangs is
// seen by ctest's time-out.
//
//===----------------------------------------------------------------------===//

#include "Run/Fault.h"
#include "TestProgram.h"
#include "Testing.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace tapestry;
using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

class Failure : public ::testing::TestWithParam<int> {
protected:
  /// An all_reduce (collective 0) and an all_gather (collective 1) of 100
  /// elements; output F.
  Failure() : program(devices()), all(devices(), boxOfShape({100})) {
    source = cutBoxes({100}, 0, devices());
    std::vector<int32_t> together(devices(), 0);
    program.reduction(TAPESTRY_ALL_REDUCE, "C", TAPESTRY_F32, all, all,
                      together, devices(), addElements<float>,
                      2 * (devices() - 1) * 400);
    program.exchange(TAPESTRY_ALL_GATHER, "D", TAPESTRY_F32, source, all,
                     together, (devices() - 1) * 400);
    program.output("F", TAPESTRY_F32, {100}, source,
                   std::vector<uint8_t>(devices(), 1));
    program.body = [this](TapestryRank *rank, const void *const *,
                          void *const *outputs) {
      // On the stack, as generated code may have it.
      float in[100] = {}, out[100];
      before(rank);
      tapestry_rt_collective(rank, 0, in, out);
      between(rank);
      tapestry_rt_collective(rank, 1, outputs[0], out);
    };
    options.tool = "prog";
    options.backend = "local";
    options.progress = false;
    options.outputs = {{"F", folder.file("f.npy")}};
    options.timeoutSeconds = 60;
  }
  ~Failure() override { unsetenv("TAPESTRY_FAULT"); }

  int devices() const { return GetParam(); }
  int last() const { return devices() - 1; }
  std::string rankText() const { return "rank " + std::to_string(last()); }
  /// What stands before a rank's message, of one rank nothing.
  std::string saidBy() const { return last() == 0 ? "" : rankText() + ": "; }
  void fault(const std::string &text) {
    setenv("TAPESTRY_FAULT", text.c_str(), 1);
  }
  /// Runs, expects this status and nothing in the output folder.
  std::string failWith(int status) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(program.table(), options), status);
    EXPECT_TRUE(folder.entries().empty());
    return ::testing::internal::GetCapturedStderr();
  }

  TempFolder folder;
  TestProgram program;
  std::vector<Box> all, source;
  RunOptions options;
  std::function<void(TapestryRank *)> before = [](TapestryRank *) {};
  std::function<void(TapestryRank *)> between = [](TapestryRank *) {};
};

/// What takes a rank that waits for another.
class SeveralRanksFailure : public Failure {};

} // namespace

TEST_P(Failure, ProgramFails) {
  between = [this](TapestryRank *rank) {
    if (tapestry_rt_device(rank) == last())
      tapestry_rt_fail(rank, "index 7 is outside [0, 5)");
  };
  EXPECT_EQ(failWith(4), saidBy() + "index 7 is outside [0, 5)\n");
}

TEST_P(Failure, FaultFails) {
  fault("rank=" + std::to_string(last()) + ",collective=1,mode=fail");
  EXPECT_EQ(failWith(4), saidBy() + "failed on purpose (TAPESTRY_FAULT) in "
                                    "all_gather of 'D' (collective 1)\n");
}

TEST_P(Failure, FaultKills) {
  fault("rank=" + std::to_string(last()) + ",collective=0,mode=kill");
  EXPECT_EQ(failWith(4),
            saidBy() + "died in all_reduce of 'C' (collective 0)\n");
}

/// Threads live while the process does: a late one is awaited, and named.
TEST_P(SeveralRanksFailure, LateRankIsAwaited) {
  fault("rank=" + std::to_string(last()) + ",mode=late");
  options.timeoutSeconds = 0.05;
  options.patienceSeconds = 1;
  options.progress = true;
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(program.table(), options), 0);
  std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find(" has waited 1 s for " + rankText() +
                      " in all_reduce of 'C' (collective 0)\n"),
            std::string::npos)
      << said;
}

TEST_P(Failure, FailureWhileWritingLeavesNoFile) {
  fault("rank=" + std::to_string(last()) + ",collective=write,mode=fail");
  EXPECT_EQ(failWith(4), saidBy() + "failed on purpose (TAPESTRY_FAULT) in "
                                    "writing\n");
}

TEST_P(Failure, OutOfMemory) {
  options.memoryLimit = 1 << 20;
  before = [this](TapestryRank *rank) {
    if (tapestry_rt_device(rank) == last())
      _mlir_memref_to_llvm_alloc(uint64_t(4) << 30);
  };
  std::string error = failWith(3);
  EXPECT_EQ(error.find(saidBy() + "out of memory: needs 4.0 GiB more than "
                                  "the "),
            0u)
      << error;
  EXPECT_NE(error.find(" KiB available"), std::string::npos) << error;
}

TEST_P(Failure, UnknownMemorySpace) {
  before = [this](TapestryRank *rank) {
    tapestry_rt_free(rank, TAPESTRY_HOST,
                     tapestry_rt_allocate(rank, TAPESTRY_HOST, 64, 100));
    if (tapestry_rt_device(rank) == last())
      tapestry_rt_allocate(rank, 7, 64, 100);
  };
  EXPECT_EQ(failWith(3), saidBy() + "the program asks for memory in space "
                                    "7; this runtime has only 0, the "
                                    "host's\n");
}

TEST_P(Failure, UnknownCollective) {
  between = [](TapestryRank *rank) {
    tapestry_rt_collective(rank, 5, nullptr, nullptr);
  };
  std::string error = failWith(4);
  EXPECT_NE(error.find("the program asks for collective 5 of 2\n"),
            std::string::npos)
      << error;
}

/// One rank leaves a collective out: the others must not take its next message
/// for this one.
TEST_P(SeveralRanksFailure, LostOrder) {
  program.body = [this](TapestryRank *rank, const void *const *,
                        void *const *outputs) {
    float in[100] = {}, out[100];
    if (tapestry_rt_device(rank) != last())
      tapestry_rt_collective(rank, 0, in, out);
    tapestry_rt_collective(rank, 1, outputs[0], out);
  };
  std::string error = failWith(4);
  EXPECT_NE(error.find("the ranks have lost their common order"),
            std::string::npos)
      << error;
}

/// The plan says what a call sends: loops that end by a condition have other
/// numbers of calls in other runs, which is no breach of it.
TEST_P(SeveralRanksFailure, RunsMayCallCollectivesMoreOften) {
  options.repeat = 2;
  std::vector<int> runs(devices(), 0);
  between = [&](TapestryRank *rank) {
    float in[100] = {}, out[100];
    if (runs[tapestry_rt_device(rank)]++ == 1)
      tapestry_rt_collective(rank, 0, in, out);
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(program.table(), options), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"f.npy"});
}

/// A run after one that failed starts afresh.
TEST_P(Failure, NextRunIsNotAffected) {
  fault("mode=fail");
  failWith(4);
  unsetenv("TAPESTRY_FAULT");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(program.table(), options), 0);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"f.npy"});
}

INSTANTIATE_TEST_SUITE_P(Ranks, Failure, ::testing::Values(1, 2, 4, 7));
INSTANTIATE_TEST_SUITE_P(Ranks, SeveralRanksFailure,
                         ::testing::Values(2, 3, 7));

TEST(Fault, Parses) {
  Fault fault;
  EXPECT_FALSE(parseFault(nullptr, fault).failed());
  EXPECT_FALSE(fault.strikes(0, 0));
  ASSERT_FALSE(parseFault("rank=3,collective=12,mode=stall", fault).failed());
  EXPECT_TRUE(fault.strikes(3, 12));
  EXPECT_FALSE(fault.strikes(3, 11));
  EXPECT_FALSE(fault.strikes(2, 12));
  EXPECT_EQ(fault.mode, Fault::Mode::Stall);
  for (const char *bad : {"rank", "rank=", "rank=x", "mode=explode", "time=3",
                          "rank=1,,mode=fail", "rank=-1"})
    EXPECT_EQ(parseFault(bad, fault).exitStatus(), ExitUsage) << bad;
}
