//===- RunTest.cpp - Tests of whole runs in one process -------------------===//

#include "Core/Types.h"
#include "Run/Job.h"
#include "TestProgram.h"
#include "Testing.h"
#include "gtest/gtest.h"

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

struct RunResult {
  int status;
  std::string err;
};

RunResult runQuietly(TestProgram &program, RunOptions options) {
  options.tool = "prog";
  options.backend = "local";
  options.progress = false;
  ::testing::internal::CaptureStderr();
  int status = run(program.table(), options);
  return {status, ::testing::internal::GetCapturedStderr()};
}

/// Y[i] = X[i - 1] + X[i + 1], cut over the devices; inputs overlap by halos.
struct Stencil {
  Stencil(int devices, int64_t extent)
      : extent(extent), program(devices), own(cutBoxes({extent}, 0, devices)),
        halo(own) {
    for (Box &box : halo)
      if (!isEmpty(box))
        box[0] = {std::max<int64_t>(box[0].lo - 1, 0),
                  std::min(box[0].hi + 1, extent)};
    program.input("X", TAPESTRY_I32, {extent}, halo);
    program.output("Y", TAPESTRY_I32, {extent}, own,
                   std::vector<uint8_t>(devices, 1));
    program.vertex("Y", 2 * extent);
    program.body = [this](TapestryRank *rank, const void *const *inputs,
                          void *const *outputs) {
      tapestry_rt_vertex(rank, 0);
      const Range &range = own[tapestry_rt_device(rank)][0];
      int64_t first = halo[tapestry_rt_device(rank)][0].lo;
      auto *x = static_cast<const int32_t *>(inputs[0]);
      for (int64_t i = range.lo; i < range.hi; ++i)
        static_cast<int32_t *>(outputs[0])[i - range.lo] =
            (i > 0 ? x[i - 1 - first] : 0) +
            (i + 1 < this->extent ? x[i + 1 - first] : 0);
    };
  }

  static std::vector<int32_t> step(const std::vector<int32_t> &x) {
    std::vector<int32_t> y(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      y[i] = (i > 0 ? x[i - 1] : 0) + (i + 1 < x.size() ? x[i + 1] : 0);
    return y;
  }

  int64_t extent;
  TestProgram program;
  std::vector<Box> own, halo;
};

class Run : public ::testing::Test {
protected:
  template <typename T>
  void writeInput(const std::string &name, const std::string &descr,
                  const std::vector<int64_t> &shape,
                  const std::vector<T> &values) {
    writeFile(folder.file(name),
              npyBytes(descr, false, shape, bytesOf(values)));
  }
  RunOptions stencilOptions() {
    RunOptions options;
    options.inputs = {{"X", folder.file("x.npy")}};
    options.outputs = {{"Y", folder.file("y.npy")}};
    options.reportPath = folder.file("r.json");
    return options;
  }
  TempFolder folder;
  std::mt19937 random{31};
};

} // namespace

//===----------------------------------------------------------------------===//
// Good runs
//===----------------------------------------------------------------------===//

TEST_F(Run, ReadsHalosAndWritesOneFile) {
  for (int devices : {1, 2, 3, 7, 64}) {
    std::vector<int32_t> x = randomValues<int32_t>(23, random);
    writeInput("x.npy", "<i4", {23}, x);
    Stencil stencil(devices, 23);
    RunResult result = runQuietly(stencil.program, stencilOptions());
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(valuesOf<int32_t>(npyData(readFile(folder.file("y.npy")))),
              Stencil::step(x));
  }
  EXPECT_EQ(folder.entries(),
            (std::vector<std::string>{"r.json", "x.npy", "y.npy"}));
}

TEST_F(Run, WritesOnlyTheOutputsAskedFor) {
  writeInput("x.npy", "<i4", {23}, randomValues<int32_t>(23, random));
  Stencil stencil(3, 23);
  RunOptions options = stencilOptions();
  options.outputs.clear();
  options.reportPath.clear();
  EXPECT_EQ(runQuietly(stencil.program, options).status, 0);
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"x.npy"});
}

/// Inputs and outputs, and what the program itself allocates, on the device
/// that needs most.
TEST_F(Run, PeakIsThatOfTheLargestDevice) {
  writeInput("x.npy", "<i4", {23}, randomValues<int32_t>(23, random));
  Stencil stencil(3, 23); // parts of 8, 8, 7 with halos 9, 10, 8
  TestProgram::Body compute = stencil.program.body;
  stencil.program.body = [&](TapestryRank *rank, const void *const *inputs,
                             void *const *outputs) {
    int64_t bytes = 1000 + 10 * tapestry_rt_device(rank);
    void *first = _mlir_memref_to_llvm_alloc(bytes);
    void *second = _mlir_memref_to_llvm_alloc(bytes);
    _mlir_memref_to_llvm_free(first);
    _mlir_memref_to_llvm_alloc(bytes / 2); // freed by the runtime
    _mlir_memref_to_llvm_free(second);
    compute(rank, inputs, outputs);
  };
  EXPECT_EQ(runQuietly(stencil.program, stencilOptions()).status, 0);
  std::string report = readFile(folder.file("r.json"));
  EXPECT_EQ(numbersOf(report, "peak_bytes_per_device"),
            std::vector<int64_t>{(8 + 7) * 4 + 2 * 1020});
}

TEST_F(Run, ReportNamesAndNumbers) {
  writeInput("x.npy", "<i4", {23}, randomValues<int32_t>(23, random));
  Stencil stencil(2, 23);
  stencil.program.vertex("odd \"name\"", 7);
  RunOptions options = stencilOptions();
  options.compileSeconds = 0.25;
  options.repeat = 3;
  EXPECT_EQ(runQuietly(stencil.program, options).status, 0);
  std::string report = readFile(folder.file("r.json"));
  for (const char *part :
       {"{\"tapestry_report\": 1, ", "\"devices\": 2", "\"backend\": \"local\"",
        "\"compile_seconds\": 0.25", "\"repeat\": 3", "\"collectives\": []",
        "\"name\": \"Y\"", "\"flops\": 46", "\"name\": \"odd \\\"name\\\"\"",
        "\"run_seconds\": {\"min\": "})
    EXPECT_NE(report.find(part), std::string::npos) << part << "\n" << report;
}

TEST_F(Run, TensorsOfRankZeroAndEmptyParts) {
  TestProgram program(3);
  std::vector<Box> scalars(3);
  program.input("a", TAPESTRY_F64, {}, scalars);
  program.output("b", TAPESTRY_F64, {}, scalars, {0, 1, 0});
  program.output("c", TAPESTRY_F64, {0, 4}, std::vector<Box>(3, Box(2)),
                 {1, 1, 1});
  program.body = [](TapestryRank *rank, const void *const *inputs,
                    void *const *outputs) {
    *static_cast<double *>(outputs[0]) =
        *static_cast<const double *>(inputs[0]) + tapestry_rt_device(rank);
  };
  writeInput("a.npy", "<f8", {}, std::vector<double>{2.5});
  RunOptions options;
  options.inputs = {{"a", folder.file("a.npy")}};
  options.outputs = {{"b", folder.file("b.npy")}, {"c", folder.file("c.npy")}};
  RunResult result = runQuietly(program, options);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(valuesOf<double>(npyData(readFile(folder.file("b.npy")))),
            std::vector<double>{3.5});
  std::string c = readFile(folder.file("c.npy"));
  EXPECT_NE(c.find("'shape': (0, 4)"), std::string::npos);
  EXPECT_EQ(npyData(c), "");
}

TEST_F(Run, TraceHasSpansOfAllKinds) {
  writeInput("x.npy", "<i4", {23}, randomValues<int32_t>(23, random));
  Stencil stencil(2, 23);
  std::vector<Box> target(2, boxOfShape({23}));
  int gather = stencil.program.exchange(TAPESTRY_ALL_GATHER, "Y", TAPESTRY_I32,
                                        stencil.own, target, {0, 0}, 23 * 4);
  TestProgram::Body compute = stencil.program.body;
  stencil.program.body = [&](TapestryRank *rank, const void *const *inputs,
                             void *const *outputs) {
    compute(rank, inputs, outputs);
    std::vector<int32_t> all(23);
    tapestry_rt_collective(rank, gather, outputs[0], all.data());
  };
  RunOptions options = stencilOptions();
  options.tracePath = folder.file("t.json");
  RunResult result = runQuietly(stencil.program, options);
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  std::string trace = readFile(folder.file("t.json"));
  for (const char *part :
       {"\"traceEvents\": [", "\"name\": \"rank 1\"", "\"cat\": \"vertex\"",
        "\"name\": \"all_gather Y\"", "\"name\": \"read X\"",
        "\"name\": \"write Y\"", "\"ph\": \"X\""})
    EXPECT_NE(trace.find(part), std::string::npos) << part << "\n" << trace;
  EXPECT_EQ(numbersOf(readFile(folder.file("r.json")), "counted_bytes"),
            std::vector<int64_t>{23 * 4});
}

/// A plan that promises other bytes is told.
TEST_F(Run, WarnsWhereBytesAreNotAsPredicted) {
  TestProgram program(2);
  std::vector<Box> source = {{{0, 5}}, {{5, 9}}};
  program.exchange(TAPESTRY_ALL_GATHER, "C", TAPESTRY_F32, source,
                   std::vector<Box>(2, boxOfShape({9})), {0, 0}, 40);
  program.body = [](TapestryRank *rank, const void *const *, void *const *) {
    float part[5] = {}, all[9];
    tapestry_rt_collective(rank, 0, part, all);
  };
  RunResult result = runQuietly(program, {});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "warning: collective 0 (all_gather of 'C'): 40 bytes "
                        "predicted, 36 sent\n");
}

//===----------------------------------------------------------------------===//
// Feeds
//===----------------------------------------------------------------------===//

/// Output and input have the same parts: buffers change places.
TEST_F(Run, FeedOfEqualParts) {
  int64_t extent = 17;
  std::vector<Box> own = cutBoxes({extent}, 0, 3);
  TestProgram program(3);
  program.input("W", TAPESTRY_I64, {extent}, own);
  program.output("Wn", TAPESTRY_I64, {extent}, own, {1, 1, 1});
  program.body = [&](TapestryRank *rank, const void *const *inputs,
                     void *const *outputs) {
    for (int64_t i = 0; i < volume(own[tapestry_rt_device(rank)]); ++i)
      static_cast<int64_t *>(outputs[0])[i] =
          static_cast<const int64_t *>(inputs[0])[i] * 3 - 1;
  };
  std::vector<int64_t> w = randomValues<int64_t>(extent, random);
  writeInput("w.npy", "<i8", {extent}, w);
  for (int64_t repeat : {1, 2, 6}) {
    RunOptions options;
    options.inputs = {{"W", folder.file("w.npy")}};
    options.outputs = {{"Wn", folder.file("wn.npy")}};
    options.reportPath = folder.file("r.json");
    options.repeat = repeat;
    options.feeds = {{"Wn", "W"}};
    RunResult result = runQuietly(program, options);
    EXPECT_EQ(result.status, 0) << result.err;
    std::vector<int64_t> expected = w;
    for (int64_t run = 0; run < repeat; ++run)
      for (int64_t &value : expected)
        value = value * 3 - 1;
    EXPECT_EQ(valuesOf<int64_t>(npyData(readFile(folder.file("wn.npy")))),
              expected);
    EXPECT_EQ(numbersOf(readFile(folder.file("r.json")), "counted_bytes"),
              std::vector<int64_t>(repeat > 1 ? 1 : 0, 0));
  }
}

/// The halos of the next run come from neighbours.
TEST_F(Run, FeedExchangesWhereThePartsDiffer) {
  std::vector<int32_t> x = randomValues<int32_t>(23, random);
  writeInput("x.npy", "<i4", {23}, x);
  for (int devices : {1, 2, 4, 8}) {
    Stencil stencil(devices, 23);
    RunOptions options = stencilOptions();
    options.repeat = 5;
    options.feeds = {{"Y", "X"}};
    RunResult result = runQuietly(stencil.program, options);
    EXPECT_EQ(result.status, 0) << result.err;
    std::vector<int32_t> expected = x;
    for (int run = 0; run < 5; ++run)
      expected = Stencil::step(expected);
    EXPECT_EQ(valuesOf<int32_t>(npyData(readFile(folder.file("y.npy")))),
              expected);
    int64_t halos = 0;
    for (int device = 0; device < devices; ++device)
      halos += volume(stencil.halo[device]) - volume(stencil.own[device]);
    std::string report = readFile(folder.file("r.json"));
    EXPECT_EQ(numbersOf(report, "counted_bytes"),
              std::vector<int64_t>{halos * 4});
    EXPECT_EQ(numbersOf(report, "predicted_bytes"),
              std::vector<int64_t>{halos * 4});
    EXPECT_NE(report.find("\"kind\": \"feed\""), std::string::npos);
  }
}

/// One output into two inputs: it cannot change places with both.
TEST_F(Run, FeedOfOneOutputIntoTwoInputs) {
  std::vector<Box> own = cutBoxes({6}, 0, 2);
  TestProgram program(2);
  program.input("A", TAPESTRY_I32, {6}, own);
  program.input("B", TAPESTRY_I32, {6}, own);
  program.output("C", TAPESTRY_I32, {6}, own, {1, 1});
  program.body = [](TapestryRank *, const void *const *inputs,
                    void *const *outputs) {
    for (int i = 0; i < 3; ++i)
      static_cast<int32_t *>(outputs[0])[i] =
          static_cast<const int32_t *>(inputs[0])[i] +
          2 * static_cast<const int32_t *>(inputs[1])[i];
  };
  std::vector<int32_t> a = randomValues<int32_t>(6, random);
  std::vector<int32_t> b = randomValues<int32_t>(6, random);
  writeInput("a.npy", "<i4", {6}, a);
  writeInput("b.npy", "<i4", {6}, b);
  RunOptions options;
  options.inputs = {{"A", folder.file("a.npy")}, {"B", folder.file("b.npy")}};
  options.outputs = {{"C", folder.file("c.npy")}};
  options.repeat = 3;
  options.feeds = {{"C", "A"}, {"C", "B"}};
  EXPECT_EQ(runQuietly(program, options).status, 0);
  std::vector<int32_t> expected;
  for (int i = 0; i < 6; ++i)
    expected.push_back((a[i] + 2 * b[i]) * 9);
  EXPECT_EQ(valuesOf<int32_t>(npyData(readFile(folder.file("c.npy")))),
            expected);
}

//===----------------------------------------------------------------------===//
// Wrong usage and wrong tables
//===----------------------------------------------------------------------===//

namespace {
/// Two inputs and two outputs that do nothing.
struct Named {
  Named() : program(2) {
    std::vector<Box> rows = cutBoxes({4, 3}, 0, 2);
    program.input("A", TAPESTRY_F32, {4, 3}, rows);
    program.input("Weight", TAPESTRY_F64, {4, 3}, rows);
    program.output("F", TAPESTRY_F32, {4, 3}, rows, {1, 1});
    program.output("G", TAPESTRY_F32, {3}, cutBoxes({3}, 0, 2), {1, 1});
    program.body = [](TapestryRank *, const void *const *, void *const *) {};
  }
  RunResult run(std::vector<std::pair<std::string, std::string>> inputs,
                std::vector<std::pair<std::string, std::string>> outputs = {},
                std::vector<std::pair<std::string, std::string>> feeds = {}) {
    RunOptions options;
    options.inputs = std::move(inputs);
    options.outputs = std::move(outputs);
    options.feeds = std::move(feeds);
    return runQuietly(program, options);
  }
  TestProgram program;
};
} // namespace

TEST_F(Run, NamesAreChecked) {
  Named named;
  RunResult result = named.run({{"A", "a.npy"}});
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(
      result.err,
      "prog: error: no file for input 'Weight'; the program's inputs are\n"
      "  -i A=FILE        f32[4, 3]\n  -i Weight=FILE   f64[4, 3]\n");
  result = named.run({{"A", "a.npy"}, {"Weight", "w.npy"}, {"Q", "q.npy"}});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("no input 'Q'; its inputs are\n  -i A=FILE"),
            std::string::npos)
      << result.err;
  result = named.run({{"A", "a.npy"}, {"Weight", "w.npy"}}, {{"A", "f.npy"}});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("no output 'A'; its outputs are\n  -o F=FILE"),
            std::string::npos)
      << result.err;
  result = named.run({{"A", "a.npy"}, {"A", "b.npy"}});
  EXPECT_EQ(result.err,
            "prog: error: input 'A' is given twice: a.npy and b.npy\n");
  result = named.run({{"A", "a.npy"}, {"Weight", "w.npy"}},
                     {{"F", "f.npy"}, {"G", "f.npy"}});
  EXPECT_EQ(
      result.err,
      "prog: error: output 'F' and output 'G' go to the same file f.npy\n");
}

TEST_F(Run, InputsThatNothingReadsAreAccepted) {
  Named named;
  std::mt19937 random(23);
  writeInput("a.npy", "<f4", {4, 3}, randomValues<float>(12, random));
  writeInput("w.npy", "<f8", {4, 3}, randomValues<double>(12, random));
  std::vector<std::pair<std::string, std::string>> files = {
      {"A", folder.file("a.npy")},
      {"Weight", folder.file("w.npy")},
      {"Bias", folder.file("none.npy")}};
  EXPECT_EQ(named.run(files).status, 2);
  named.program.unreadInputs = {"Mask", "Bias"};
  RunResult result = named.run(files);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
}

TEST_F(Run, OneOutputFileUnderTwoSpellingsIsRefused) {
  Named named;
  std::mt19937 random(23);
  writeInput("a.npy", "<f4", {4, 3}, randomValues<float>(12, random));
  writeInput("w.npy", "<f8", {4, 3}, randomValues<double>(12, random));
  // Whether or not the file is there already.
  for (bool exists : {false, true}) {
    if (exists)
      writeFile(folder.file("f.npy"), "old");
    RunResult result = named.run(
        {{"A", folder.file("a.npy")}, {"Weight", folder.file("w.npy")}},
        {{"F", folder.file("f.npy")}, {"G", folder.file("./f.npy")}});
    EXPECT_EQ(result.status, 2);
    EXPECT_NE(result.err.find("output 'F' and output 'G' go to the same file"),
              std::string::npos)
        << result.err;
  }
}

TEST_F(Run, FeedsMustMatch) {
  Named named;
  auto error = [&](std::vector<std::pair<std::string, std::string>> feeds) {
    RunResult result =
        named.run({{"A", "a.npy"}, {"Weight", "w.npy"}}, {}, std::move(feeds));
    EXPECT_EQ(result.status, 2);
    return result.err;
  };
  EXPECT_EQ(error({{"F", "Weight"}}),
            "prog: error: --feed F=Weight: output 'F' is f32[4, 3], input "
            "'Weight' is f64[4, 3]\n");
  EXPECT_EQ(error({{"G", "A"}}), "prog: error: --feed G=A: output 'G' is "
                                 "f32[3], input 'A' is f32[4, 3]\n");
  EXPECT_EQ(error({{"F", "A"}, {"F", "A"}}),
            "prog: error: --feed F=A: input 'A' is fed twice\n");
  EXPECT_NE(error({{"A", "F"}}).find("no output 'A'"), std::string::npos);
}

TEST_F(Run, FilesAreCheckedBeforeAnythingRuns) {
  Named named;
  bool ran = false;
  named.program.body = [&](TapestryRank *, const void *const *, void *const *) {
    ran = true;
  };
  std::string a = folder.file("a.npy"), w = folder.file("w.npy");
  writeInput("a.npy", "<f4", {4, 3}, randomValues<float>(12, random));
  writeInput("w.npy", "<f8", {3, 4}, randomValues<double>(12, random));
  RunResult result = named.run({{"A", a}, {"Weight", w}});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err, w + ": error: has shape [3, 4], but input 'Weight' has "
                            "[4, 3]\n");
  writeInput("w.npy", "<f8", {4, 3}, randomValues<double>(12, random));
  std::string bad = folder.file("none/f.npy");
  result = named.run({{"A", a}, {"Weight", w}}, {{"F", bad}});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.err,
            bad + ": error: cannot write: No such file or directory\n");
  RunOptions options;
  options.inputs = {{"A", a}, {"Weight", w}};
  options.reportPath = folder.str();
  EXPECT_EQ(runQuietly(named.program, options).status, 1);
  EXPECT_FALSE(ran);
}

TEST_F(Run, TablesOfAnotherRuntimeAreRefused) {
  Named named;
  RunOptions options;
  options.tool = "prog";
  options.backend = "local";
  auto error = [&](const TapestryProgram &program) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(run(program, options), 3);
    return ::testing::internal::GetCapturedStderr();
  };
  TapestryProgram table = named.program.table();
  table.abi_version = TAPESTRY_ABI_VERSION + 1;
  EXPECT_EQ(error(table),
            "prog: error: the program was built for version " +
                std::to_string(TAPESTRY_ABI_VERSION + 1) +
                " of the runtime's ABI, this runtime has version " +
                std::to_string(TAPESTRY_ABI_VERSION) + "\n");
  table = named.program.table();
  table.struct_size = 72;
  EXPECT_EQ(error(table), "prog: error: the program's table has 72 bytes, this "
                          "runtime knows 192\n");
  table = named.program.table();
  table.entry = nullptr;
  EXPECT_NE(error(table).find("inconsistent"), std::string::npos);
}

TEST_F(Run, WhatAllRanksRequireEndsThemWithOneMessage) {
  for (int devices : {1, 3}) {
    TestProgram program(devices);
    static const int64_t shape[] = {4, 6};
    program.requirements = {
        {"p.ein:1:2: error: ", "I", "only 7", 2, shape, /*is_unsigned=*/0},
        {"error: ", "K", "only 9", 0, nullptr, /*is_unsigned=*/1}};
    int64_t number = 0, first = TAPESTRY_NOTHING_OUTSIDE;
    program.body = [&](TapestryRank *rank, const void *const *, void *const *) {
      int64_t value = -3;
      tapestry_rt_require(rank, number, &first, &value);
    };
    EXPECT_EQ(runQuietly(program, {}).status, 0);
    first = 15;
    RunResult result = runQuietly(program, {});
    EXPECT_EQ(result.status, 1);
    EXPECT_EQ(result.err,
              "p.ein:1:2: error: index I[2, 3] is -3, but only 7\n");
    // No number of an element, as only a program made by hand has it.
    for (int64_t none : {24, -5}) {
      first = none;
      result = runQuietly(program, {});
      EXPECT_EQ(result.status, 1);
      EXPECT_EQ(result.err, "p.ein:1:2: error: index I has 24 elements, none "
                            "with the number " +
                                std::to_string(none) + "\n");
    }
    number = 1;
    first = 0;
    EXPECT_EQ(runQuietly(program, {}).err,
              "error: index K is 18446744073709551613, but only 9\n");
    number = 2;
    EXPECT_EQ(runQuietly(program, {}).status, 4);
    program.requirements[1].rank = 1;
    EXPECT_EQ(runQuietly(program, {}).status, 3);
  }
}

TEST_F(Run, InconsistentTablesAreRefused) {
  auto error = [&](TestProgram &program) {
    program.body = [](TapestryRank *, const void *const *, void *const *) {};
    RunResult result = runQuietly(program, {});
    EXPECT_EQ(result.status, 3);
    return result.err;
  };
  std::string prefix = "prog: error: the program's tables are inconsistent: ";
  TestProgram outside(2);
  outside.input("A", TAPESTRY_F32, {4}, {Box{{0, 2}}, Box{{2, 5}}});
  EXPECT_EQ(error(outside),
            prefix + "input 'A' is f32[4], device 1 has [2, 5) of it\n");
  TestProgram uncovered(2);
  uncovered.output("F", TAPESTRY_F32, {4}, {Box{{0, 2}}, Box{{2, 4}}}, {1, 0});
  EXPECT_EQ(error(uncovered), prefix + "the owners of output 'F' hold 2 "
                                       "elements, the tensor has 4\n");
  TestProgram unlike(2);
  unlike.reduction(TAPESTRY_ALL_REDUCE, "C", TAPESTRY_F32,
                   {Box{{0, 2}}, Box{{0, 3}}}, {Box{{0, 2}}, Box{{0, 3}}},
                   {0, 0}, 2, addElements<float>, 0);
  EXPECT_EQ(error(unlike), prefix + "collective 0 (all_reduce of 'C'): device "
                                    "1 goes from [0, 3) to [0, 3)\n");
  TestProgram partly(2);
  partly.reduction(TAPESTRY_REDUCE_SCATTER, "C", TAPESTRY_F32,
                   {Box{{0, 4}}, Box{{0, 4}}}, {Box{{0, 2}}, Box{{2, 3}}},
                   {0, 0}, 2, addElements<float>, 0);
  EXPECT_EQ(error(partly), prefix + "collective 0 (reduce_scatter of 'C') "
                                    "scatters 3 elements of 4\n");
  // The border's numbers that no memory depends on are checked as well.
  for (bool isSpace : {false, true}) {
    TestProgram foreign(1);
    foreign.reduction(TAPESTRY_ALL_REDUCE, "C", TAPESTRY_F32, {Box{{0, 2}}},
                      {Box{{0, 2}}}, {0}, 1, addElements<float>, 0,
                      isSpace ? TAPESTRY_MONOID_ADD
                              : TAPESTRY_MONOID_CUSTOM + 1);
    foreign.collective(0).space = isSpace ? 3 : TAPESTRY_HOST;
    EXPECT_EQ(error(foreign),
              prefix + (isSpace ? "collective 0 (all_reduce of 'C') has its "
                                  "buffers in memory space 3, which is not the "
                                  "host's\n"
                                : "collective 0 (all_reduce of 'C') has "
                                  "monoid 9\n"));
  }
}

//===----------------------------------------------------------------------===//
// What the machine is not able to do
//===----------------------------------------------------------------------===//

TEST_F(Run, TooManyRanks) {
  TestProgram program(1025);
  program.body = [](TapestryRank *, const void *const *, void *const *) {};
  RunResult result = runQuietly(program, {});
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err,
            "prog: error: the program is for 1025 devices; the local back end "
            "starts at most 1024 ranks\n");
}

TEST_F(Run, MoreRanksThanProcessors) {
  TestProgram program(300);
  std::vector<Box> source = cutBoxes({700}, 0, 300);
  std::vector<Box> whole(300, boxOfShape({700}));
  program.exchange(TAPESTRY_ALL_GATHER, "C", TAPESTRY_I16, source, whole,
                   std::vector<int32_t>(300, 0), 300 * 700 * 2 - 700 * 2);
  std::vector<int16_t> tensor = randomValues<int16_t>(700, random);
  std::vector<char> good(300, 0);
  program.body = [&](TapestryRank *rank, const void *const *, void *const *) {
    int64_t device = tapestry_rt_device(rank);
    std::vector<int16_t> part = extract(tensor, {700}, source[device]);
    std::vector<int16_t> all(700);
    tapestry_rt_collective(rank, 0, part.data(), all.data());
    good[device] = all == tensor;
  };
  RunResult result = runQuietly(program, {});
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(good, std::vector<char>(300, 1));
}

TEST_F(Run, MemoryForInputsAndOutputsIsCheckedFirst) {
  writeInput("x.npy", "<i4", {1000}, randomValues<int32_t>(1000, random));
  Stencil stencil(2, 1000);
  RunOptions options = stencilOptions();
  options.memoryLimit = 6000;
  RunResult result = runQuietly(stencil.program, options);
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.err,
            "prog: error: out of memory: inputs and outputs alone need 7.8 KiB "
            "(3.9 KiB per device, 2 devices in this process), 5.9 KiB "
            "available\n");
}
