//===- TasksTest.cpp - Tests of the greedy executor -----------------------===//

#include "Core/Types.h"
#include "TaskSample.h"
#include "Tasks/Pieces.h"
#include "Testing.h"
#include "gtest/gtest.h"
#include <csignal>
#include <filesystem>
#include <sys/resource.h>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

struct RunResult {
  int status;
  std::string err;
};

const char *descrOf(int32_t dtype) {
  return dtype == TAPESTRY_I8 ? "|i1" : dtype == TAPESTRY_I32 ? "<i4" : "<c16";
}

/// The elements of a tensor with the first dimension innermost.
std::string turned(const std::string &bytes, const TaskInput &input) {
  auto size = static_cast<int64_t>(dtypeSize(input.dtype));
  std::vector<int64_t> strides(input.shape.size(), 1);
  for (size_t dim = 1; dim < strides.size(); ++dim)
    strides[dim] = strides[dim - 1] * input.shape[dim - 1];
  std::string result(bytes.size(), '\0');
  copyStrided(result.data(), bytes.data(),
              {input.shape, strides, rowMajorStrides(input.shape), size});
  return result;
}

class Tasks : public ::testing::Test {
protected:
  /// Random inputs, every other one in a file in Fortran order.
  void writeInputs(const TaskProgram &program) {
    inputs.clear();
    options = RunOptions();
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const TaskInput &input = program.inputs[i];
      std::string bytes(tensorBytes(input.dtype, input.shape), '\0');
      for (char &byte : bytes)
        byte = static_cast<char>(random());
      std::string path = folder.file("in" + std::to_string(i) + ".npy");
      bool isFortran = i % 2 == 1;
      writeFile(path, npyBytes(descrOf(input.dtype), isFortran, input.shape,
                               isFortran ? turned(bytes, input) : bytes));
      options.inputs.emplace_back(input.name, path);
      inputs.push_back(bytes);
    }
    for (const TaskSink &sink : program.sinks)
      options.outputs.emplace_back(sink.name, outFile(sink));
  }
  std::string outFile(const TaskSink &sink) const {
    return folder.file("out" + sink.name + ".npy");
  }
  RunResult runQuietly(const TaskProgram &program, int64_t workers) {
    options.tool = "prog";
    options.backend = "local";
    options.progress = false;
    TaskRunOptions tasks;
    tasks.workers = workers;
    tasks.spill = spill.empty() ? spillFolder.str() : spill;
    ::testing::internal::CaptureStderr();
    int status = runTasks(program, options, tasks);
    return {status, ::testing::internal::GetCapturedStderr()};
  }
  void expectValues(const TaskSample &sample) {
    TaskSample::Values values = sample.evaluate(inputs);
    for (size_t i = 0; i < sample.program.sinks.size(); ++i)
      EXPECT_TRUE(npyData(readFile(outFile(sample.program.sinks[i]))) ==
                  values.sinks[i])
          << sample.program.sinks[i].name;
    EXPECT_EQ(spillFolder.entries(), std::vector<std::string>());
  }
  /// No output, and nothing else left.
  void expectNothing(const TaskProgram &program) {
    EXPECT_EQ(spillFolder.entries(), std::vector<std::string>());
    EXPECT_EQ(folder.entries().size(), program.inputs.size());
  }

  TempFolder folder, spillFolder;
  RunOptions options;
  std::string spill;
  std::vector<std::string> inputs;
  std::mt19937 random{23};
};

/// Bytes that are predicted, and counted.
void expectContract(const std::string &report) {
  for (const char *what : {"spilled", "reloaded", "input", "copied"}) {
    std::string name = std::string(what) + "_bytes";
    EXPECT_EQ(numbersOf(report, "predicted_" + name),
              numbersOf(report, "counted_" + name))
        << what;
  }
  EXPECT_LE(numbersOf(report, "peak_bytes_per_device")[0],
            numbersOf(report, "predicted_peak_bytes_per_device")[0]);
  EXPECT_LE(numbersOf(report, "predicted_peak_bytes_per_device")[0],
            numbersOf(report, "limit_bytes")[0]);
}

/// Ten chunks that are all read at the end.
TaskSample gathered() {
  TaskSample sample;
  int32_t x = sample.addInput("X", TAPESTRY_I32, {7, 100000});
  TaskView all = {TAPESTRY_I32, {10, 1000}, {}, {}};
  for (int64_t i = 0; i < 10; ++i) {
    sample.program.views.push_back({TAPESTRY_I32,
                                    {100000},
                                    {{x, (i % 7) * 100000, {1}, {100000}, {0}}},
                                    {}});
    int32_t chunk = sample.addChunk(TAPESTRY_I32, {100000});
    sample.addShard({static_cast<int32_t>(sample.program.views.size()) - 1},
                    {chunk});
    all.pieces.push_back({chunk, 99999, {0, -97}, {1, 1000}, {i, 0}});
  }
  sample.program.views.push_back(all);
  int32_t last = sample.addChunk(TAPESTRY_I32, {10, 1000});
  sample.addShard({static_cast<int32_t>(sample.program.views.size()) - 1},
                  {last});
  sample.addSink("F", sample.addWhole(last));
  return sample;
}

} // namespace

//===----------------------------------------------------------------------===//
// Good runs
//===----------------------------------------------------------------------===//

TEST_F(Tasks, RandomProgramsHaveTheirValuesUnderAnyLimit) {
  int64_t spilled = 0;
  for (int turn = 0; turn < 25; ++turn) {
    SCOPED_TRACE(turn);
    TaskSample sample = randomTasks(random);
    writeInputs(sample.program);
    options.reportPath = folder.file("r.json");
    int64_t least = leastMemory(sample.program);
    for (int64_t limit : {least, least + least / 4, 3 * least, 0 * least}) {
      options.memoryLimit = limit;
      RunResult result = runQuietly(sample.program, 1 + turn % 5);
      ASSERT_EQ(result.status, 0) << result.err;
      EXPECT_EQ(result.err, "");
      expectValues(sample);
      std::string report = readFile(options.reportPath);
      expectContract(report);
      spilled += numbersOf(report, "counted_spilled_bytes")[0];
      if (HasFailure())
        return;
    }
  }
  EXPECT_GT(spilled, 0);
}

TEST_F(Tasks, InputsThatFollowSinksAreReadBack) {
  TaskSample sample;
  TaskProgram &program = sample.program;
  int32_t x = sample.addInput("X", TAPESTRY_I32, {5, 300});
  int32_t b = sample.addInput("B", TAPESTRY_I32, {5, 300});
  int32_t c = sample.addInput("C", TAPESTRY_I32, {5, 300});
  program.inputs[1].afterSinks = {0};
  program.inputs[2].afterSinks = {1};
  int32_t t = sample.addChunk(TAPESTRY_I32, {5, 300});
  sample.addShard({sample.addWhole(x)}, {t});
  sample.addSink("F", sample.addWhole(t));
  int32_t u = sample.addChunk(TAPESTRY_I32, {5, 300});
  sample.addShard({sample.addWhole(t), sample.addWhole(b)}, {u});
  // What comes from an input is written before what follows that.
  sample.addSink("G", sample.addWhole(b));
  int32_t v = sample.addChunk(TAPESTRY_I32, {300});
  program.views.push_back(
      {TAPESTRY_I32, {300}, {{c, 600, {-2}, {300}, {0}}}, {}});
  sample.addShard(
      {static_cast<int32_t>(program.views.size()) - 1, sample.addWhole(u)},
      {v});
  sample.addSink("H", sample.addWhole(v));
  for (int64_t repeat : {1, 3})
    for (int64_t workers : {1, 3}) {
      writeInputs(program);
      options.inputs[1].second = outFile(program.sinks[0]);
      options.inputs[2].second = outFile(program.sinks[1]);
      options.repeat = repeat;
      RunResult result = runQuietly(program, workers);
      EXPECT_EQ(result.status, 0) << result.err;
      // All of them are what the first one is.
      inputs[1] = inputs[2] = sample.evaluate(inputs).sinks[0];
      expectValues(sample);
      for (const TaskSink &sink : program.sinks)
        std::filesystem::remove(outFile(sink));
    }
}

TEST_F(Tasks, LargeChunksGoPastTheCacheAndComeBack) {
  TaskSample sample = gathered();
  writeInputs(sample.program);
  options.reportPath = folder.file("r.json");
  options.tracePath = folder.file("t.json");
  options.repeat = 3;
  options.memoryLimit = leastMemory(sample.program);
  for (int64_t workers : {1, 2, 5}) {
    RunResult result = runQuietly(sample.program, workers);
    ASSERT_EQ(result.status, 0) << result.err;
    expectValues(sample);
    std::string report = readFile(options.reportPath);
    expectContract(report);
    EXPECT_GT(numbersOf(report, "counted_spilled_bytes")[0], 8 * 400000);
    EXPECT_EQ(numbersOf(report, "workers")[0], workers);
    std::string trace = readFile(options.tracePath);
    for (const char *name : {"\"worker 0\"", "\"files 0\"", "\"spill T.",
                             "\"S.10\"", "\"write F\""})
      EXPECT_NE(trace.find(name), std::string::npos) << name;
  }
}

TEST_F(Tasks, FilesInFortranOrderAreReadInPieces) {
  TaskSample sample;
  int32_t x = sample.addInput("X", TAPESTRY_I8, {600, 700});
  // The transpose, every second row backwards.
  sample.program.views.push_back(
      {TAPESTRY_I8,
       {700, 300},
       {{x, 599 * 700, {1, -1400}, {700, 300}, {0, 0}}},
       {}});
  int32_t t = sample.addChunk(TAPESTRY_I8, {700, 300});
  sample.addShard({0}, {t});
  sample.addSink("F", sample.addWhole(t));
  sample.addSink("G", 0);
  writeInputs(sample.program);
  writeFile(options.inputs[0].second,
            npyBytes("|i1", true, {600, 700},
                     turned(inputs[0], sample.program.inputs[0])));
  RunResult result = runQuietly(sample.program, 2);
  ASSERT_EQ(result.status, 0) << result.err;
  expectValues(sample);
}

TEST_F(Tasks, ProgramsWithoutShardsMoveTheirInputs) {
  TaskSample sample;
  int32_t x = sample.addInput("X", TAPESTRY_I32, {30, 50});
  sample.program.views.push_back({TAPESTRY_I32,
                                  {60, 30},
                                  {{x, 49, {-1, 50}, {50, 30}, {5, 0}}},
                                  {1, 2, 3, 4}});
  sample.addSink("F", 0);
  writeInputs(sample.program);
  RunResult result = runQuietly(sample.program, 2);
  ASSERT_EQ(result.status, 0) << result.err;
  expectValues(sample);
}

/// A chunk and an input of 16 bytes, each repeated so often in either order.
TaskSample repeated(int64_t times) {
  TaskSample sample;
  int32_t x = sample.addInput("X", TAPESTRY_I8, {16});
  int32_t t = sample.addChunk(TAPESTRY_I8, {16});
  sample.addShard({sample.addWhole(x)}, {t});
  auto sink = [&](const char *name, TaskView view) {
    sample.program.views.push_back(std::move(view));
    sample.addSink(name, static_cast<int32_t>(sample.program.views.size()) - 1);
  };
  for (auto [chunk, name] : {std::pair(t, "T"), std::pair(x, "X")}) {
    sink((name + std::string("rows")).c_str(),
         {TAPESTRY_I8,
          {times, 16},
          {{chunk, 0, {0, 1}, {times, 16}, {0, 0}}},
          {}});
    sink((name + std::string("columns")).c_str(),
         {TAPESTRY_I8,
          {17, times},
          {{chunk, 15, {-1, 0}, {16, times}, {1, 0}}},
          {7}});
  }
  return sample;
}

TEST_F(Tasks, BroadcastsAreWrittenInPieces) {
  TaskSample sample = repeated(200001);
  writeInputs(sample.program);
  RunResult result = runQuietly(sample.program, 2);
  ASSERT_EQ(result.status, 0) << result.err;
  expectValues(sample);
}

/// Bytes of private memory that the process may write.
int64_t dataBytes() {
  std::string status = readFile("/proc/self/status");
  return std::stoll(status.substr(status.find("VmData:") + 7)) << 10;
}

TEST_F(Tasks, BroadcastsTakeNoMemoryOfTheirSize) {
  constexpr int64_t mebi = int64_t(1) << 20;
  TaskSample sample = repeated(16 * mebi);
  writeInputs(sample.program);
  for (auto &[name, path] : options.outputs)
    path = "/dev/null";
  options.memoryLimit = mebi;
  rlimit before;
  getrlimit(RLIMIT_DATA, &before);
  rlimit small = before;
  small.rlim_cur = dataBytes() + 128 * mebi;
  setrlimit(RLIMIT_DATA, &small);
  RunResult result = runQuietly(sample.program, 1);
  setrlimit(RLIMIT_DATA, &before);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
}

TEST_F(Tasks, NumbersAreShownWhereNoFileIsAskedFor) {
  TaskSample sample;
  int32_t n = sample.addChunk(TAPESTRY_I32, {});
  int32_t t = sample.addChunk(TAPESTRY_I32, {3});
  int32_t shard = sample.addShard({}, {n, t});
  sample.setBody(shard,
                 [](TapestryRank *, const void *const *, void *const *outputs) {
                   *static_cast<int32_t *>(outputs[0]) = 42;
                   std::memset(outputs[1], 0, 12);
                 });
  sample.addSink("n", sample.addWhole(n));
  sample.addSink("t", sample.addWhole(t));
  writeInputs(sample.program);
  options.outputs.clear();
  options.showsResults = true;
  ::testing::internal::CaptureStdout();
  RunResult result = runQuietly(sample.program, 1);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "n = 42\n");
  EXPECT_EQ(result.status, 0) << result.err;
}

//===----------------------------------------------------------------------===//
// Failures
//===----------------------------------------------------------------------===//

TEST_F(Tasks, AKernelThatFailsEndsAllAndLeavesNothing) {
  TaskSample sample = gathered();
  sample.setBody(7, [](TapestryRank *rank, const void *const *, void *const *) {
    tapestry_rt_fail(rank, "no luck");
  });
  writeInputs(sample.program);
  options.memoryLimit = leastMemory(sample.program);
  for (int64_t workers : {1, 3}) {
    RunResult result = runQuietly(sample.program, workers);
    EXPECT_EQ(result.status, tapestry::ExitRankFailed);
    EXPECT_EQ(result.err, "no luck\n");
    expectNothing(sample.program);
  }
}

TEST_F(Tasks, RequirementsAndBlocksFailAsTheyDoElsewhere) {
  TaskSample sample = gathered();
  static const int64_t shape[] = {4, 5};
  static const TapestryRequirement requirement = {
      "f.ein:3:4: error: ", "I", "T has 3 rows", 2, shape, 0};
  sample.kernel(4).num_requirements = 1;
  sample.kernel(4).requirements = &requirement;
  sample.setBody(4, [](TapestryRank *rank, const void *const *, void *const *) {
    int64_t first = 7, value = -2;
    tapestry_rt_require(rank, 0, &first, &value);
  });
  sample.kernel(4).num_requirements = 1;
  sample.kernel(4).requirements = &requirement;
  writeInputs(sample.program);
  RunResult result = runQuietly(sample.program, 2);
  EXPECT_EQ(result.status, tapestry::ExitBadInput);
  EXPECT_EQ(result.err,
            "f.ein:3:4: error: index I[1, 2] is -2, but T has 3 rows\n");
  expectNothing(sample.program);

  TaskSample blocks = gathered();
  blocks.setBody(4, [](TapestryRank *rank, const void *const *, void *const *) {
    TapestryBlockFunction three = [](const TapestryBlockCall *) { return 3; };
    int64_t words[4] = {0, 0, 0, 0};
    tapestry_rt_block(rank, three, words);
  });
  result = runQuietly(blocks.program, 2);
  EXPECT_EQ(result.status, tapestry::ExitRankFailed);
  EXPECT_EQ(result.err, "block 'V1' failed: its function returned 3\n");
  expectNothing(sample.program);
}

TEST_F(Tasks, KernelsGetNoMoreMemoryThanTheySaid) {
  TaskSample sample = gathered();
  sample.setBody(4, [](TapestryRank *rank, const void *const *, void *const *) {
    tapestry_rt_allocate(rank, TAPESTRY_HOST, 64, 1000);
  });
  writeInputs(sample.program);
  RunResult result = runQuietly(sample.program, 2);
  EXPECT_EQ(result.status, tapestry::ExitEnvironment);
  EXPECT_EQ(result.err, "shard 'S.4': out of memory: needs 1000 bytes more "
                        "than the 0 bytes in use, 0 bytes available\n");
  expectNothing(sample.program);
}

TEST_F(Tasks, TheReportMeasuresWhatKernelsTake) {
  TaskSample sample;
  int32_t t = sample.addChunk(TAPESTRY_I8, {100});
  int32_t shard = sample.addShard({}, {t}, 1000);
  uint64_t scratch = 0;
  sample.setBody(
      shard, [&](TapestryRank *rank, const void *const *, void *const *) {
        void *memory = tapestry_rt_allocate(rank, TAPESTRY_HOST, 64, scratch);
        tapestry_rt_free(rank, TAPESTRY_HOST, memory);
      });
  sample.addSink("F", sample.addWhole(t));
  writeInputs(sample.program);
  options.reportPath = folder.file("r.json");
  options.repeat = 2;
  for (uint64_t bytes : {0, 10, 1000}) {
    scratch = bytes;
    RunResult result = runQuietly(sample.program, 1);
    ASSERT_EQ(result.status, 0) << result.err;
    std::string report = readFile(options.reportPath);
    EXPECT_EQ(numbersOf(report, "peak_bytes_per_device")[0], 128 + bytes);
    EXPECT_EQ(numbersOf(report, "predicted_peak_bytes_per_device")[0],
              128 + 5248);
  }
  // More than it said, and not yet refused.
  scratch = 20000;
  RunResult result = runQuietly(sample.program, 1);
  EXPECT_EQ(result.status, tapestry::ExitRankFailed);
  EXPECT_EQ(result.err, "internal error: 5376 bytes of memory were predicted, "
                        "20128 used\n");
}

TEST_F(Tasks, FaultsStrikeShardsAndFiles) {
  TaskSample sample = gathered();
  writeInputs(sample.program);
  setenv("TAPESTRY_FAULT", "collective=5,mode=fail", 1);
  RunResult result = runQuietly(sample.program, 2);
  EXPECT_EQ(result.status, tapestry::ExitRankFailed);
  EXPECT_EQ(result.err, "failed on purpose (TAPESTRY_FAULT) in shard S.5\n");
  setenv("TAPESTRY_FAULT", "collective=write,mode=kill", 1);
  result = runQuietly(sample.program, 2);
  EXPECT_EQ(result.status, tapestry::ExitRankFailed);
  EXPECT_EQ(result.err, "died in writing\n");
  unsetenv("TAPESTRY_FAULT");
  expectNothing(sample.program);
}

TEST_F(Tasks, LimitsAndFoldersThatDoNotDoAreRefused) {
  TaskSample sample = gathered();
  writeInputs(sample.program);
  int64_t least = leastMemory(sample.program);
  auto expect = [&](int status, const std::string &message) {
    RunResult result = runQuietly(sample.program, 2);
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(result.err, message + "\n");
    expectNothing(sample.program);
  };
  options.memoryLimit = least - 1;
  expect(3, "prog: error: shard 'S.0' needs 802816 bytes of memory at "
            "once (views 401408 bytes, chunks and its kernel's own "
            "401408 bytes), the limit is 802815 bytes");
  options.memoryLimit = least;
  spill = "none";
  RunResult result = runQuietly(sample.program, 1);
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.err.find("nothing may be spilled"), std::string::npos);
  spill = folder.file("nowhere");
  expect(3, spill + ": error: cannot spill: No such file or directory");
  spill = options.inputs[0].second;
  expect(3, spill + ": error: cannot spill: Not a directory");
  spill.clear();
  options.feeds = {{"F", "X"}};
  expect(2, "prog: error: --feed: the greedy executor reads its inputs from "
            "files, and feeds none of them from an output");
  options.feeds.clear();
}

TEST_F(Tasks, AFullDiskEndsInOneMessage) {
  TaskSample sample = gathered();
  writeInputs(sample.program);
  options.memoryLimit = leastMemory(sample.program);
  rlimit before;
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit small = before;
  small.rlim_cur = 1 << 20;
  setrlimit(RLIMIT_FSIZE, &small);
  RunResult result = runQuietly(sample.program, 2);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err, spillFolder.str() + ": error: cannot spill 392.0 KiB: "
                                            "File too large\n");
  expectNothing(sample.program);
}
