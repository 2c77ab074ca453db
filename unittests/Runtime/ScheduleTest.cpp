//===- ScheduleTest.cpp - Tests of the schedules of task programs ---------===//

#include "Core/Types.h"
#include "TaskSample.h"
#include "Tasks/Graph.h"
#include "Tasks/Pieces.h"
#include "gtest/gtest.h"
#include <map>
#include <set>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

/// Goes through the steps of a schedule one after another, as if it ran them.
class Walk {
public:
  Walk(const TaskProgram &program, const TaskSchedule &schedule, int64_t limit)
      : program(program), schedule(schedule), limit(limit), graph(program, {}),
        resident(graph.numBuffers, false), spilled(graph.numChunks, false),
        forgotten(graph.numChunks, false), made(graph.numChunks, false),
        ran(program.shards.size(), false),
        isHandedOut(program.sinks.size(), false),
        isTakenIn(program.inputs.size(), false) {}

  void check() {
    for (const TaskStep &step : schedule.steps) {
      take(step);
      ASSERT_LE(used, limit);
    }
    EXPECT_LE(most, schedule.peakBytes);
    EXPECT_LE(schedule.peakBytes, limit);
    EXPECT_EQ(used, 0);
    for (bool shard : ran)
      EXPECT_TRUE(shard);
    for (size_t i = 0; i < program.sinks.size(); ++i)
      EXPECT_EQ(isHandedOut[i], graph.isFollowed[i]);
    for (size_t i = 0; i < program.sinks.size(); ++i)
      EXPECT_EQ(written[i].size(),
                program.views[program.sinks[i].view].pieces.size());
    EXPECT_EQ(spilledBytes, schedule.spilledBytes);
    EXPECT_EQ(reloadedBytes, schedule.reloadedBytes);
    EXPECT_EQ(inputBytes, schedule.inputBytes);
    EXPECT_EQ(copiedBytes, schedule.copiedBytes);
  }

private:
  void take(const TaskStep &step) {
    switch (step.kind) {
    case TaskStep::Assemble:
      add(graph.numChunks + step.index);
      for (const TaskPiece &piece : program.views[step.index].pieces)
        read(piece);
      return;
    case TaskStep::Load:
      EXPECT_TRUE(spilled[step.index] && !forgotten[step.index]);
      reloadedBytes += graph.bytes[step.index];
      return add(step.index);
    case TaskStep::Run:
      return run(step.index);
    case TaskStep::Write:
      if (step.piece >= 0) {
        const TaskPiece &piece =
            program.views[program.sinks[step.index].view].pieces[step.piece];
        if (program.chunks[piece.chunk].input >= 0)
          read(piece);
        else
          EXPECT_TRUE(resident[piece.chunk]);
        EXPECT_TRUE(written[step.index].insert(step.piece).second);
      }
      return;
    case TaskStep::Spill:
      EXPECT_TRUE(resident[step.index] && !spilled[step.index]);
      spilled[step.index] = true;
      spilledBytes += graph.bytes[step.index];
      return;
    case TaskStep::DropView:
      return remove(graph.numChunks + step.index);
    case TaskStep::DropChunk:
      return remove(step.index);
    case TaskStep::Forget:
      EXPECT_TRUE(spilled[step.index] && !forgotten[step.index]);
      forgotten[step.index] = true;
      return;
    case TaskStep::HandOut:
      EXPECT_FALSE(isHandedOut[step.index]);
      EXPECT_EQ(written[step.index].size(),
                program.views[program.sinks[step.index].view].pieces.size());
      expectBefore(program.sinks[step.index]);
      isHandedOut[step.index] = true;
      return;
    case TaskStep::TakeIn:
      EXPECT_FALSE(isTakenIn[step.index]);
      expectBefore(program.inputs[step.index]);
      isTakenIn[step.index] = true;
      return;
    }
  }

  template <typename Follower> void expectBefore(const Follower &follower) {
    for (int32_t shard : follower.after)
      EXPECT_TRUE(ran[shard]);
    for (int32_t sink : follower.afterSinks)
      EXPECT_TRUE(isHandedOut[sink]);
  }

  void read(const TaskPiece &piece) {
    const TaskChunk &chunk = program.chunks[piece.chunk];
    int64_t size = dtypeSize(chunk.dtype);
    if (chunk.input >= 0) {
      EXPECT_EQ(isTakenIn[chunk.input], graph.isTakenIn[chunk.input]);
      inputBytes += readBytes(piece, chunk.shape, size);
    } else if (resident[piece.chunk]) {
      copiedBytes += volume(piece.sizes) * size;
    } else {
      EXPECT_TRUE(spilled[piece.chunk] && !forgotten[piece.chunk]);
      reloadedBytes += readBytes(piece, chunk.shape, size);
    }
  }

  void run(int32_t shard) {
    for (int32_t buffer : graph.reads[shard])
      EXPECT_TRUE(resident[buffer]);
    for (int32_t before : graph.before[shard])
      EXPECT_TRUE(ran[before]);
    expectBefore(program.shards[shard]);
    EXPECT_FALSE(ran[shard]);
    ran[shard] = true;
    int64_t scratch = graph.own[shard];
    for (int32_t chunk : program.shards[shard].chunks) {
      EXPECT_FALSE(made[chunk]); // once
      made[chunk] = true;
      add(chunk);
      scratch -= graph.bytes[chunk];
    }
    most = std::max(most, used + scratch);
  }

  void add(int32_t buffer) {
    EXPECT_FALSE(resident[buffer]);
    resident[buffer] = true;
    used += graph.bytes[buffer];
    most = std::max(most, used);
  }
  void remove(int32_t buffer) {
    EXPECT_TRUE(resident[buffer]);
    resident[buffer] = false;
    used -= graph.bytes[buffer];
  }

  const TaskProgram &program;
  const TaskSchedule &schedule;
  const int64_t limit;
  TaskGraph graph;
  std::vector<bool> resident, spilled, forgotten, made, ran, isHandedOut,
      isTakenIn;
  std::map<size_t, std::set<int32_t>> written;
  int64_t used = 0, most = 0;
  int64_t spilledBytes = 0, reloadedBytes = 0, inputBytes = 0, copiedBytes = 0;
};

TaskSchedule scheduled(const TaskProgram &program, int64_t limit,
                       int64_t workers = 1, bool spills = true) {
  TaskSchedule result;
  Status status = schedule(program, {limit, workers, spills, {}}, result);
  EXPECT_FALSE(status.failed()) << status.message();
  Walk(program, result, limit).check();
  return result;
}

std::string refusal(const TaskProgram &program, int64_t limit,
                    bool spills = true) {
  TaskSchedule result;
  Status status = schedule(program, {limit, 1, spills, {}}, result);
  EXPECT_EQ(status.exitStatus(),
            status.failed() ? tapestry::ExitEnvironment : tapestry::ExitDone);
  return status.message();
}

/// T.0 and T.1 of an input, both read by S.2 at the end: 64 bytes each.
TaskSample twoAndOne() {
  TaskSample sample;
  int32_t x = sample.addInput("X", TAPESTRY_I8, {64});
  int32_t view = sample.addWhole(x);
  int32_t t0 = sample.addChunk(TAPESTRY_I8, {64});
  int32_t t1 = sample.addChunk(TAPESTRY_I8, {64});
  int32_t t2 = sample.addChunk(TAPESTRY_I8, {64});
  sample.addShard({view}, {t0});
  sample.addShard({view}, {t1});
  sample.addShard({sample.addWhole(t0), sample.addWhole(t1)}, {t2});
  sample.addSink("F", sample.addWhole(t2));
  return sample;
}

} // namespace

//===----------------------------------------------------------------------===//
// Good schedules
//===----------------------------------------------------------------------===//

TEST(Schedule, RandomProgramsFitIntoWhatTheirLargestShardNeeds) {
  std::mt19937 random(7);
  int64_t spilled = 0;
  for (int turn = 0; turn < 400; ++turn) {
    TaskSample sample = randomTasks(random);
    SCOPED_TRACE(turn);
    int64_t least = leastMemory(sample.program);
    for (int64_t limit : {least, least + least / 3, 2 * least, 1000 * least}) {
      int64_t workers = 1 + turn % 5;
      TaskSchedule result = scheduled(sample.program, limit, workers);
      spilled += result.spilledBytes;
      if (limit == 1000 * least) {
        EXPECT_EQ(result.spilledBytes, 0);
      }
    }
    if (HasFailure())
      return;
  }
  EXPECT_GT(spilled, 0);
}

TEST(Schedule, IsTheSameEveryTime) {
  std::mt19937 random(11);
  for (int turn = 0; turn < 20; ++turn) {
    TaskSample sample = randomTasks(random);
    int64_t limit = 2 * leastMemory(sample.program);
    TaskSchedule first = scheduled(sample.program, limit, 2);
    TaskSchedule second = scheduled(sample.program, limit, 2);
    ASSERT_EQ(first.steps.size(), second.steps.size());
    for (size_t i = 0; i < first.steps.size(); ++i) {
      EXPECT_EQ(first.steps[i].kind, second.steps[i].kind);
      EXPECT_EQ(first.steps[i].index, second.steps[i].index);
    }
  }
}

TEST(Schedule, AViewThatIsAChunkCostsNothing) {
  TaskSample sample = twoAndOne();
  TaskSchedule result = scheduled(sample.program, 4 * 64);
  EXPECT_EQ(result.copiedBytes, 0);
  EXPECT_EQ(result.inputBytes, 64);
  EXPECT_EQ(result.spilledBytes, 0);
}

TEST(Schedule, SinksAreHandedOutBeforeWhatFollowsThem) {
  // Links of a chain through files, the first of which goes there at once.
  TaskSample sample;
  TaskProgram &program = sample.program;
  int32_t x = sample.addInput("X", TAPESTRY_I8, {64});
  sample.addSink("F0", sample.addWhole(x));
  for (int32_t link = 0; link < 5; ++link) {
    int32_t b = sample.addInput("B", TAPESTRY_I8, {64});
    program.inputs.back().afterSinks = {link};
    int32_t t = sample.addChunk(TAPESTRY_I8, {64});
    int32_t other = sample.addChunk(TAPESTRY_I8, {64});
    sample.addShard({sample.addWhole(b)}, {t});
    sample.addShard({}, {other});
    program.shards.back().afterSinks = {link};
    program.shards.back().after = {2 * link};
    sample.addSink("F", sample.addWhole(t));
    program.sinks.back().after = {2 * link + 1};
  }
  program.sinks.back().afterSinks = {0, 3};
  for (int64_t memory : {4 * 64, 2 * 64}) {
    TaskSchedule result = scheduled(program, memory);
    EXPECT_EQ(result.inputBytes, 6 * 64);
  }
  // It has its place, written or not.
  TaskSchedule result;
  std::vector<bool> unwanted(program.sinks.size(), true);
  Status status = schedule(program, {4 * 64, 1, true, unwanted}, result);
  EXPECT_FALSE(status.failed()) << status.message();
  EXPECT_EQ(std::count_if(
                result.steps.begin(), result.steps.end(),
                [](const TaskStep &s) { return s.kind == TaskStep::HandOut; }),
            5);
}

TEST(Schedule, SpillsWhatIsNeededLast) {
  // a, b and c are made first, by the order of a chain of sequence points, and
  // read in the order c, b, a.
  TaskSample sample;
  std::vector<int32_t> chunks, views;
  for (int i = 0; i < 3; ++i) {
    chunks.push_back(sample.addChunk(TAPESTRY_I8, {64}));
    int32_t shard = sample.addShard({}, {chunks.back()});
    if (shard > 0)
      sample.program.shards[shard].after = {shard - 1};
  }
  for (int i = 2; i >= 0; --i) {
    int32_t made = sample.addChunk(TAPESTRY_I8, {64});
    int32_t shard = sample.addShard({sample.addWhole(chunks[i])}, {made});
    sample.program.shards[shard].after = {shard - 1};
    sample.addSink("F" + std::to_string(i), sample.addWhole(made));
  }
  TaskSchedule result = scheduled(sample.program, 3 * 64);
  EXPECT_EQ(result.spilledBytes, 64);
  EXPECT_EQ(result.spillFileBytes, 4096);
  EXPECT_EQ(result.reloadedBytes, 64);
  for (const TaskStep &step : result.steps)
    if (step.kind == TaskStep::Spill) {
      EXPECT_EQ(step.index, chunks[0]);
    }
}

/// Rows of a grid would read B once for every row, and A once.
TEST(Schedule, GridsAreWalkedInSquares) {
  TaskSample sample = grid(24, 24, 64);
  TaskSchedule result = scheduled(sample.program, 13 * 64);
  int64_t rows = (24 + 24 * 24) * 64;
  EXPECT_LT(result.inputBytes, rows / 4);
  EXPECT_EQ(result.spilledBytes, 0);
  // All at once: each panel is read once.
  EXPECT_EQ(scheduled(sample.program, 64 * 64).inputBytes, 48 * 64);
}

/// T = A B by rows, F = T C: row by row nothing has to leave memory.
TEST(Schedule, ChainsRunRowByRowWhereThatSavesSpilling) {
  TaskSample sample;
  int32_t x = sample.addInput("X", TAPESTRY_I8, {40, 64});
  for (int64_t i = 0; i < 40; ++i) {
    sample.program.views.push_back(
        {TAPESTRY_I8, {64}, {{x, i * 64, {1}, {64}, {0}}}, {}});
    auto view = static_cast<int32_t>(sample.program.views.size()) - 1;
    for (int link = 0; link < 5; ++link) {
      int32_t chunk = sample.addChunk(TAPESTRY_I8, {64});
      sample.addShard({view}, {chunk});
      view = sample.addWhole(chunk);
    }
    sample.addSink("F" + std::to_string(i), view);
  }
  EXPECT_EQ(scheduled(sample.program, 4 * 64).spilledBytes, 0);
}

/// C[i, j] as a sum of products A[i, k] B[k, j], all products before all sums.
TEST(Schedule, PartialResultsAreSummedBeforeTheyMustLeave) {
  constexpr int64_t tiles = 6;
  TaskSample sample;
  TaskProgram &program = sample.program;
  std::vector<int32_t> inputs[2];
  for (std::vector<int32_t> &views : inputs) {
    int32_t input = sample.addInput(&views == inputs ? "A" : "B", TAPESTRY_I8,
                                    {tiles * tiles, 64});
    for (int64_t i = 0; i < tiles * tiles; ++i) {
      program.views.push_back(
          {TAPESTRY_I8, {64}, {{input, i * 64, {1}, {64}, {0}}}, {}});
      views.push_back(static_cast<int32_t>(program.views.size()) - 1);
    }
  }
  std::vector<int32_t> products;
  for (int64_t i = 0; i < tiles * tiles * tiles; ++i) {
    int64_t row = i / tiles / tiles, column = i / tiles % tiles, k = i % tiles;
    int32_t chunk = sample.addChunk(TAPESTRY_I8, {64});
    sample.addShard({inputs[0][row * tiles + k], inputs[1][k * tiles + column]},
                    {chunk});
    products.push_back(sample.addWhole(chunk));
  }
  for (int64_t cell = 0; cell < tiles * tiles; ++cell) {
    int32_t sum = products[cell * tiles];
    for (int64_t k = 1; k < tiles; ++k) {
      int32_t chunk = sample.addChunk(TAPESTRY_I8, {64});
      sample.addShard({sum, products[cell * tiles + k]}, {chunk});
      sum = sample.addWhole(chunk);
    }
    sample.addSink("C" + std::to_string(cell), sum);
  }
  TaskSchedule result = scheduled(program, 23 * 64);
  EXPECT_EQ(result.spilledBytes, 0);
  // By rows: A once, B for every row.
  EXPECT_LT(result.inputBytes, (tiles + 1) * tiles * tiles * 64);
}

TEST(Schedule, TellsHowManyShardsThereIsMemoryFor) {
  TaskSample sample = grid(12, 12, 64);
  // Two panels and a tile.
  EXPECT_EQ(scheduled(sample.program, 3 * 64, 4).shardsAtOnce, 1);
  EXPECT_GT(scheduled(sample.program, 30 * 64, 4).shardsAtOnce, 3.5);
  EXPECT_NEAR(scheduled(sample.program, 1 << 20, 4).shardsAtOnce, 4, 1e-6);
}

TEST(Schedule, HundredThousandShards) {
  TaskSample sample = grid(316, 317, 64);
  TaskSchedule result = scheduled(sample.program, 80 * 64, 2);
  EXPECT_GT(result.inputBytes, 0);
}

//===----------------------------------------------------------------------===//
// What cannot be
//===----------------------------------------------------------------------===//

TEST(Schedule, AShardThatDoesNotFitIsNamedWithBothNumbers) {
  TaskSample sample = twoAndOne();
  EXPECT_EQ(refusal(sample.program, 191),
            "shard 'S.2' needs 192 bytes of memory at once (views 128 bytes, "
            "chunks and its kernel's own 64 bytes), the limit is 191 bytes");
  EXPECT_EQ(refusal(sample.program, 192), "");
}

TEST(Schedule, SumsThatNoNumberHoldsAreRefused) {
  // Sixteen are 2^64 bytes, and eight 2^63.
  for (int count : {8, 9, 16, 17}) {
    TaskSample sample;
    std::vector<int32_t> views;
    for (int i = 0; i < count; ++i)
      views.push_back(sample.addWhole(
          sample.addInput("X" + std::to_string(i), TAPESTRY_I8,
                          {int64_t(1) << 30, int64_t(1) << 30})));
    sample.addShard(views, {sample.addChunk(TAPESTRY_I8, {64})});
    EXPECT_NE(
        refusal(sample.program, 1 << 30).find("shard 'S.0' needs 8192.0 PiB"),
        std::string::npos)
        << refusal(sample.program, 1 << 30);
  }
}

TEST(Schedule, WhatMustBeSpilledAndMayNotIsSaid) {
  TaskSample sample = twoAndOne();
  // What one of S.0 and S.1 has made must stay while the other one runs.
  sample.program.kernels[0].scratchBytes = 64;
  sample.program.kernels[1].scratchBytes = 64;
  int64_t least = leastMemory(sample.program);
  EXPECT_EQ(refusal(sample.program, least), "");
  std::string message = refusal(sample.program, least, /*spills=*/false);
  EXPECT_NE(message.find("shard 'S."), std::string::npos) << message;
  EXPECT_NE(message.find("and nothing may be spilled"), std::string::npos)
      << message;
}

TEST(Schedule, InconsistentProgramsAreRefused) {
  auto expect = [](const std::string &what, auto change) {
    TaskSample sample = twoAndOne();
    change(sample.program);
    TaskSchedule result;
    Status status = schedule(sample.program, {1 << 20, 1, true, {}}, result);
    EXPECT_EQ(status.message(), "the task program is inconsistent: " + what);
    EXPECT_EQ(status.exitStatus(), tapestry::ExitEnvironment);
  };
  expect("shards wait for each other in a circle",
         [](TaskProgram &p) { p.shards[0].after = {2}; });
  expect("shard 'S.0' names view 9 of 4",
         [](TaskProgram &p) { p.shards[0].views = {9}; });
  expect("shard 'S.1' produces chunk 'T.1', which is there already",
         [](TaskProgram &p) { p.shards[1].chunks = {1}; });
  expect("no shard produces chunk 'T.4'", [](TaskProgram &p) {
    p.chunks.push_back({"T.4", TAPESTRY_I8, {2}, -1});
  });
  expect("view 0 reads elements 1 to 64 of chunk 'X', which has 64",
         [](TaskProgram &p) { p.views[0].pieces[0].offset = 1; });
  expect("the pieces of view 0 have 63 elements, it has 64",
         [](TaskProgram &p) { p.views[0].pieces[0].sizes = {63}; });
  expect("view 0 has 64 points in dimension 0, a piece of it those from 1 to "
         "65",
         [](TaskProgram &p) { p.views[0].pieces[0].lo = {1}; });
  expect("chunk 'X' is i8[64], input 'X' i8[65]",
         [](TaskProgram &p) { p.inputs[0].shape = {65}; });
  expect("sink 'F' is f32[64], its view i8[64]",
         [](TaskProgram &p) { p.sinks[0].dtype = TAPESTRY_F32; });
  expect("view 0 of shard 'S.0' is i8[8, 8], its kernel takes i8[64]",
         [](TaskProgram &p) {
           p.views[0] = {
               TAPESTRY_I8, {8, 8}, {{0, 0, {8, 1}, {8, 8}, {0, 0}}}, {}};
         });
  expect("shard 'S.0' names shard 3 of 3",
         [](TaskProgram &p) { p.shards[0].after = {3}; });
  expect("sink 'F' names shard 3 of 3",
         [](TaskProgram &p) { p.sinks[0].after = {3}; });
  expect("input 'X' names sink 1 of 1",
         [](TaskProgram &p) { p.inputs[0].afterSinks = {1}; });
  expect("shards wait for each other in a circle",
         [](TaskProgram &p) { p.shards[2].afterSinks = {0}; });
  expect("shards wait for each other in a circle",
         [](TaskProgram &p) { p.inputs[0].afterSinks = {0}; });
  expect("sink 'F' is number 0 and follows sink 0",
         [](TaskProgram &p) { p.sinks[0].afterSinks = {0}; });
  expect("sink 'F' is number 0 and follows sink 0", [](TaskProgram &p) {
    p.sinks[0].view = 0; // of input 'X'
    p.inputs[0].afterSinks = {0};
  });
}
