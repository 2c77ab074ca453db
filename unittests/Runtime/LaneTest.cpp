//===- LaneTest.cpp - Tests of collectives beside the program -------------===//

#include "Run/Lane.h"
#include "Core/Machine.h"
#include "RandomCollectives.h"
#include "Testing.h"
#include "tapestry-rt/Runtime.h"
#include "gtest/gtest.h"
#include <atomic>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;
using namespace tapestry::rt::testing;

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

TEST(Lane, DoesItsWorkInOrder) {
  Lane lane(allowedCores());
  EXPECT_FALSE(lane.settle().failed());
  std::vector<int64_t> seen;
  int64_t number = 0;
  for (int64_t turn = 1; turn <= 1000; ++turn) {
    ASSERT_FALSE(lane.start(
                         [&seen, turn] {
                           seen.push_back(turn);
                           return Status::success();
                         },
                         number)
                     .failed());
    EXPECT_EQ(number, turn);
    if (turn % 100 == 0) {
      EXPECT_FALSE(lane.wait(turn - 50).failed());
    }
  }
  EXPECT_FALSE(lane.settle().failed());
  ASSERT_EQ(seen.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
}

TEST(Lane, LeavesOutWhatComesBehindAFailure) {
  Lane lane(allowedCores());
  std::atomic<int> ran{0};
  int64_t number = 0;
  for (int turn = 0; turn < 5; ++turn)
    EXPECT_FALSE(lane.start(
                         [&ran, turn] {
                           ++ran;
                           return turn == 2
                                      ? Status::failure(ExitRankFailed, "no")
                                      : Status::success();
                         },
                         number)
                     .failed());
  EXPECT_EQ(lane.settle().message(), "no");
  EXPECT_EQ(ran, 3);
  lane.stop();
  EXPECT_TRUE(lane.wait(number).failed());
  EXPECT_TRUE(lane.wait(number + 1).isStopped());
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

namespace {
RunOptions quietOptions() {
  RunOptions options;
  // However many processors there are.
  options.slowLink = int64_t(1) << 40;
  options.tool = "prog";
  options.backend = "local";
  options.progress = false;
  return options;
}
} // namespace

TEST(StartedCollectives, AreExact) {
  for (int devices : {1, 2, 3, 4, 6}) {
    for (size_t most : {2, 7}) {
      TempFolder folder;
      RandomCollectives sample(devices, RandomCollectives::usualCount,
                               300 + devices, most);
      RunOptions options = quietOptions();
      options.repeat = 2;
      options.reportPath = folder.file("r.json");
      options.tracePath = folder.file("t.json");
      ASSERT_EQ(run(sample.program.table(), options), 0);
      std::string report = readFile(options.reportPath);
      EXPECT_EQ(numbersOf(report, "counted_bytes"),
                numbersOf(report, "predicted_bytes"));
      std::string trace = readFile(options.tracePath);
      EXPECT_NE(trace.find("\"name\": \"rank 0, beside\""), std::string::npos);
      EXPECT_NE(trace.find("\"name\": \"wait for all_"), std::string::npos);
    }
  }
}

/// A reduction in parts is one collective, of which each part has its place.
TEST(StartedCollectives, ComeInParts) {
  TempFolder folder;
  std::vector<Box> all(3, boxOfShape({8, 300}));
  TestProgram program(3);
  program.reduction(TAPESTRY_ALL_REDUCE, "C", TAPESTRY_F32, all, all, {0, 0, 0},
                    3, addElements<float>, 2 * 2 * 9600);
  program.reduction(TAPESTRY_REDUCE_SCATTER, "D", TAPESTRY_F32, all,
                    cutBoxes({8, 300}, 1, 3), {0, 0, 0}, 3, addElements<float>,
                    2 * 9600);
  program.body = [](TapestryRank *rank, const void *const *, void *const *) {
    std::vector<float> in(2400), sum(2400), own(800);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = static_cast<float>(i);
    for (int64_t part = 0; part < 4; ++part) {
      tapestry_rt_start(rank, tapestry_rt_part_of(0, part, 4),
                        in.data() + part * 600, sum.data());
      tapestry_rt_collective(rank, tapestry_rt_part_of(1, part, 4),
                             in.data() + part * 600, own.data());
    }
    for (int64_t part = 0; part < 4; ++part)
      tapestry_rt_wait(rank, tapestry_rt_part_of(0, part, 4),
                       in.data() + part * 600, sum.data());
    int64_t device = tapestry_rt_device(rank);
    for (int64_t row = 0; row < 8; ++row)
      for (int64_t column = 0; column < 300; ++column) {
        EXPECT_EQ(sum[row * 300 + column], 3 * in[row * 300 + column]);
        if (column / 100 == device) {
          EXPECT_EQ(own[row * 100 + column % 100], 3 * in[row * 300 + column]);
        }
      }
  };
  RunOptions options = quietOptions();
  options.repeat = 2;
  options.reportPath = folder.file("r.json");
  ASSERT_EQ(run(program.table(), options), 0);
  std::string report = readFile(options.reportPath);
  EXPECT_EQ(numbersOf(report, "counted_bytes"),
            numbersOf(report, "predicted_bytes"));
  EXPECT_EQ(report.find("\"times\""), std::string::npos);
  program.body = [](TapestryRank *rank, const void *const *, void *const *) {
    std::vector<float> in(2400), sum(2400);
    tapestry_rt_collective(rank, tapestry_rt_part_of(0, 1, 5), in.data(),
                           sum.data());
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(program.table(), quietOptions()), 3);
  EXPECT_NE(::testing::internal::GetCapturedStderr().find(
                "all_reduce of 'C' (collective 0, part 2 of 5): it has no such "
                "part\n"),
            std::string::npos);
}

/// The peak follows from the program: what is on its way has its scratch from
/// the start to the wait.
TEST(StartedCollectives, HoldTheirScratch) {
  TempFolder folder;
  std::vector<Box> all(2, boxOfShape({1000}));
  TestProgram program(2);
  for (const char *name : {"C", "D"})
    program.reduction(TAPESTRY_REDUCE_SCATTER, name, TAPESTRY_F32, all,
                      cutBoxes({1000}, 0, 2), {0, 0}, 2, addElements<float>,
                      4000);
  program.body = [](TapestryRank *rank, const void *const *, void *const *) {
    std::vector<float> in(1000, 1), first(500), second(500);
    tapestry_rt_start(rank, 0, in.data(), first.data());
    tapestry_rt_start(rank, 1, in.data(), second.data());
    tapestry_rt_wait(rank, 1, in.data(), second.data());
    tapestry_rt_wait(rank, 0, in.data(), first.data());
    EXPECT_EQ(first, std::vector<float>(500, 2));
    EXPECT_EQ(second, std::vector<float>(500, 2));
  };
  RunOptions options = quietOptions();
  options.reportPath = folder.file("r.json");
  // Beside the program, and, where there are no more processors, at once.
  for (int64_t slowLink : {options.slowLink, int64_t(0)}) {
    options.slowLink = slowLink;
    ASSERT_EQ(run(program.table(), options), 0);
    EXPECT_EQ(numbersOf(readFile(options.reportPath), "peak_bytes_per_device"),
              std::vector<int64_t>{2 * 2 * 2000});
  }
}

/// A slow link takes its time, beside the program or not.
TEST(StartedCollectives, SlowLinksAreSlow) {
  std::vector<Box> all(2, boxOfShape({1000}));
  TestProgram program(2);
  program.exchange(TAPESTRY_ALL_GATHER, "D", TAPESTRY_F32,
                   cutBoxes({1000}, 0, 2), all, {0, 0}, 4000);
  program.body = [](TapestryRank *rank, const void *const *, void *const *) {
    std::vector<float> in(500, 1), out(1000);
    int64_t begin = nowNanoseconds();
    tapestry_rt_start(rank, 0, in.data(), out.data());
    tapestry_rt_wait(rank, 0, in.data(), out.data());
    // 2000 bytes at 40 kB/s.
    EXPECT_GE(nowNanoseconds() - begin, 50000000);
    EXPECT_EQ(out, std::vector<float>(1000, 1));
  };
  RunOptions options = quietOptions();
  options.slowLink = 40000;
  EXPECT_EQ(run(program.table(), options), 0);
  options.backend = "mpi";
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(program.table(), options), 2);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "prog: error: --slow-link is for --backend local, and the back end "
            "here is mpi\n");
}

/// A rank that fails while others wait, or compute, ends them.
TEST(StartedCollectives, EndWithARankThatFails) {
  std::vector<Box> all(3, boxOfShape({1000}));
  TestProgram program(3);
  program.exchange(TAPESTRY_ALL_GATHER, "D", TAPESTRY_F32,
                   cutBoxes({1000}, 0, 3), all, {0, 0, 0}, 8000);
  program.body = [](TapestryRank *rank, const void *const *, void *const *) {
    // On the stack, as generated code may have it.
    float in[400] = {}, out[1000];
    if (tapestry_rt_device(rank) == 1)
      tapestry_rt_fail(rank, "no");
    tapestry_rt_start(rank, 0, in, out);
    if (tapestry_rt_device(rank) == 2)
      usleep(50000);
    tapestry_rt_wait(rank, 0, in, out);
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(program.table(), quietOptions()), 4);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "rank 1: no\n");
  program.body = [](TapestryRank *rank, const void *const *, void *const *) {
    float in[400] = {}, out[1000];
    tapestry_rt_start(rank, 0, in, out);
    if (tapestry_rt_device(rank) == 1)
      tapestry_rt_fail(rank, "no");
    tapestry_rt_wait(rank, 0, in, out);
    tapestry_rt_point(rank);
  };
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(run(program.table(), quietOptions()), 4);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "rank 1: no\n");
}
