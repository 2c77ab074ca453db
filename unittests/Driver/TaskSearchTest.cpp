//===- TaskSearchTest.cpp - Into how many blocks a graph is cut -----------===//

#include "tapestry/Driver/TaskSearch.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <limits>

using namespace tapestry;
using namespace tapestry::driver;

namespace {

/// Tries numbers of devices and keeps which.
struct Trials {
  std::vector<int64_t> numbers;

  template <typename Seconds>
  std::optional<int64_t> search(int64_t workers, Seconds seconds) {
    return searchDevices(workers, [&](int64_t devices) -> TaskEstimate {
      numbers.push_back(devices);
      return {seconds(devices), 8192 / devices};
    });
  }
};

TEST(TaskSearch, OneBlockDoesWhereNothingIsGained) {
  Trials trials;
  EXPECT_EQ(trials.search(1, [](int64_t) { return std::optional(7.0); }), 1);
  EXPECT_EQ(trials.numbers, (std::vector<int64_t>{1, 2, 4}));
}

TEST(TaskSearch, AsManyBlocksAsWorkers) {
  Trials trials;
  EXPECT_EQ(trials.search(3,
                          [](int64_t devices) {
                            return std::optional(6.0 /
                                                 std::min<int64_t>(devices, 3));
                          }),
            3);
}

TEST(TaskSearch, WhatDoesNotFitIsPassedOver) {
  Trials trials;
  auto seconds = [](int64_t devices) -> std::optional<double> {
    if (devices < 32)
      return std::nullopt;
    // A little less is not worth more shards.
    return devices == 32 ? 10 : devices == 64 ? 9.9 : 11;
  };
  EXPECT_EQ(trials.search(1, seconds), 32);
  EXPECT_EQ(trials.numbers.back(), 128);
}

TEST(TaskSearch, NothingFits) {
  Trials trials;
  auto nothing = [](int64_t) { return std::optional<double>(); };
  EXPECT_EQ(trials.search(5, nothing), std::nullopt);
  EXPECT_EQ(trials.numbers.front(), 1);
  EXPECT_EQ(trials.numbers.back(), mostTaskDevices);
  EXPECT_EQ(llvm::count(trials.numbers, 5), 1);
}

TEST(TaskSearch, ShardsThatStayAsLargeAreNotCutOn) {
  std::vector<int64_t> numbers;
  EXPECT_EQ(searchDevices(1,
                          [&](int64_t devices) -> TaskEstimate {
                            numbers.push_back(devices);
                            return {std::nullopt,
                                    std::max<int64_t>(64 / devices, 16)};
                          }),
            std::nullopt);
  EXPECT_EQ(numbers.back(), 64);
}

TEST(TaskSearch, ShardsThatAreSmallBesideWhatIsKeptAreNotCutOn) {
  std::vector<int64_t> numbers;
  EXPECT_EQ(searchDevices(1,
                          [&](int64_t devices) -> TaskEstimate {
                            numbers.push_back(devices);
                            TaskEstimate found = {std::nullopt, 8192 / devices};
                            found.keepsTooMuch = devices > 8;
                            return found;
                          }),
            std::nullopt);
  EXPECT_EQ(numbers.back(), 32);
}

TEST(TaskSearch, WhatHasNoHopeIsPassedOver) {
  std::vector<int64_t> numbers;
  EXPECT_EQ(searchDevices(1,
                          [&](int64_t devices) -> TaskEstimate {
                            numbers.push_back(devices);
                            if (devices < 1024)
                              return {std::nullopt, std::nullopt, devices > 1};
                            return {1.0, 1};
                          }),
            1024);
}

/// T.1 and T.2 read an input of 8 f64, and U both.
rt::TaskProgram twoAndOne() {
  rt::TaskProgram program;
  auto view = [&](int32_t chunk, int64_t offset) {
    program.views.push_back(
        {TAPESTRY_F64, {4}, {{chunk, offset, {1}, {4}, {0}}}, {}});
  };
  program.inputs = {{"X", TAPESTRY_F64, {8}}};
  program.chunks = {{"X", TAPESTRY_F64, {8}, 0},
                    {"T.1", TAPESTRY_F64, {4}},
                    {"T.2", TAPESTRY_F64, {4}},
                    {"U", TAPESTRY_F64, {4}}};
  view(0, 0);
  view(0, 4);
  view(1, 0);
  view(2, 0);
  program.kernels.resize(1);
  program.shards = {{"T.1", "T", 0, {0}, {1}, 2000000, {}},
                    {"T.2", "T", 0, {1}, {2}, 2000000, {}},
                    {"U", "U", 0, {2, 3}, {3}, 1000000, {}}};
  return program;
}

machine::Machine slowMachine() {
  machine::Machine machine;
  machine.flopsPerSecond = 1e6;
  machine.memoryBandwidth = 1e12;
  return machine;
}

TEST(TaskSearch, WorkersShareWhatDoesNotWait) {
  rt::TaskProgram program = twoAndOne();
  rt::TaskSchedule schedule;
  EXPECT_NEAR(estimateSeconds(program, schedule, 1, slowMachine()), 5.01, 1e-6);
  EXPECT_NEAR(estimateSeconds(program, schedule, 2, slowMachine()), 3.01, 1e-6);
  EXPECT_NEAR(estimateSeconds(program, schedule, 8, slowMachine()), 3.01, 1e-6);
}

TEST(TaskSearch, ShardsThatWaitTakeTurns) {
  rt::TaskProgram program = twoAndOne();
  program.shards[1].after = {0};
  EXPECT_NEAR(estimateSeconds(program, {}, 2, slowMachine()), 5.01, 1e-6);
}

TEST(TaskSearch, WorkersWithoutMemoryWait) {
  rt::TaskProgram program = twoAndOne();
  rt::TaskSchedule schedule;
  schedule.shardsAtOnce = 1.25;
  EXPECT_NEAR(estimateSeconds(program, schedule, 2, slowMachine()), 4.01, 1e-6);
}

TEST(TaskSearch, FilesMayBeWhatTakesLongest) {
  rt::TaskProgram program = twoAndOne();
  rt::TaskSchedule schedule;
  schedule.inputBytes = schedule.spilledBytes = 6000000000;
  EXPECT_GT(estimateSeconds(program, schedule, 2, slowMachine()), 5);
}

TEST(TaskSearch, WhatIsNotCutNeedsAllThatItReads) {
  rt::TaskProgram program = twoAndOne();
  auto need = [&](std::vector<bool> isCut, int64_t devices) {
    ShardNeed found = leastNeed(program, isCut, devices);
    return std::pair(found.shard, found.bytes);
  };
  EXPECT_EQ(need({true, true, true}, 1), std::pair(0, int64_t(64)));
  EXPECT_EQ(need({true, true, false}, 4096), std::pair(2, int64_t(128)));
  program.shards[1].views = {1, 1};
  EXPECT_EQ(need({true, false, true}, 4096), std::pair(1, int64_t(96)));
}

TEST(TaskSearch, MoreBytesThanThereAreDoNotWrap) {
  rt::TaskProgram program = twoAndOne();
  program.chunks[3].shape = {int64_t(1) << 60};
  program.views[2].shape = program.views[3].shape = {int64_t(1) << 59};
  EXPECT_EQ(largestShard(program), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(leastNeed(program, {true, true, false}, 1).bytes,
            std::numeric_limits<int64_t>::max());
}

TEST(TaskSearch, SpillsAreToldByVertex) {
  rt::TaskProgram program = twoAndOne();
  rt::TaskSchedule schedule;
  EXPECT_EQ(describeSpills(program, schedule), "");
  using Step = rt::TaskStep;
  schedule.steps = {{Step::Run, 0, 0},
                    {Step::Spill, 1, 0},
                    {Step::Spill, 3, 0},
                    {Step::Spill, 2, 0},
                    {Step::Load, 1, 0}};
  EXPECT_EQ(largestShard(program), 96);
  // What the schedule counts, which are whole buffers.
  EXPECT_EQ(describeSpills(program, schedule), "128 bytes of 'T', 64 of 'U'");
}

} // namespace
