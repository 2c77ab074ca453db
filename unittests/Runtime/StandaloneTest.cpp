//===- StandaloneTest.cpp - Tests of a program's command line -------------===//
//
// Runs the sample program as a process of its own: options, exit statuses,
// signals, and ranks that cannot be interrupted.
//
//===----------------------------------------------------------------------===//

#include "Run/Plugin.h"
#include "Testing.h"
#include "tapestry-rt/ABI.h"
#include "gtest/gtest.h"

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
static constexpr bool sanitized = true;
#else
static constexpr bool sanitized = false;
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
static constexpr bool sanitized = true;
#else
static constexpr bool sanitized = false;
#endif

namespace {

class Standalone : public ::testing::Test {
protected:
  void SetUp() override {
    std::mt19937 random(41);
    std::vector<float> w = randomValues<float>(37 * 11, random);
    std::vector<float> a;
    for (int8_t small : randomValues<int8_t>(37 * 11, random))
      a.push_back(small);
    values = a;
    writeFile(folder.file("a.npy"),
              npyBytes("<f4", false, {37, 11}, bytesOf(a)));
    writeFile(folder.file("w.npy"),
              npyBytes("<f4", false, {37, 11}, bytesOf(w)));
  }
  std::string inputs() const {
    return " -i A=" + folder.file("a.npy") + " -i W=" + folder.file("w.npy");
  }
  std::string outputs() const {
    return " -o T=" + folder.file("t.npy") + " -o S=" + folder.file("s.npy") +
           " -o R=" + folder.file("r.npy") + " -o Wn=" + folder.file("wn.npy");
  }
  ProcessResult sample(const std::string &arguments,
                       const std::string &environment = "") {
    return runCommand(environment + " " TAPESTRY_SAMPLE " " + arguments);
  }
  TempFolder folder;
  std::vector<float> values;
};

} // namespace

TEST_F(Standalone, ComputesTheSameOnAnyNumberOfDevices) {
  std::vector<float> transposedProduct;
  for (int i = 0; i < 11; ++i)
    for (int j = 0; j < 11; ++j) {
      float sum = 0; // exact: integers below 2^24
      for (int k = 0; k < 37; ++k)
        sum += values[k * 11 + i] * values[k * 11 + j];
      transposedProduct.push_back(sum);
    }
  std::string first;
  for (int devices : {1, 2, 3, 4, 8, 12}) {
    ProcessResult result =
        sample(inputs() + outputs() + " --repeat 3 --feed Wn=W --report " +
                   folder.file("report.json"),
               "SAMPLE_DEVICES=" + std::to_string(devices));
    ASSERT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err + result.out, "");
    EXPECT_EQ(npyData(readFile(folder.file("t.npy"))), bytesOf(values));
    EXPECT_EQ(valuesOf<float>(npyData(readFile(folder.file("s.npy")))),
              transposedProduct);
    EXPECT_EQ(valuesOf<float>(npyData(readFile(folder.file("r.npy")))),
              transposedProduct);
    std::string wn = readFile(folder.file("wn.npy"));
    if (first.empty())
      first = wn;
    EXPECT_EQ(wn, first);
    std::string report = readFile(folder.file("report.json"));
    EXPECT_EQ(numbersOf(report, "counted_bytes"),
              numbersOf(report, "predicted_bytes"));
    EXPECT_EQ(numbersOf(report, "counted_bytes").size(), 5u);
  }
}

TEST_F(Standalone, HelpAndVersion) {
  ProcessResult result = sample("--help");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("  -i A=FILE   f32[37, 11]\n"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("  -o Wn=FILE   f32[37, 11]\n"), std::string::npos);
  result = sample("--version");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.out.find("ABI " + std::to_string(TAPESTRY_ABI_VERSION)),
            std::string::npos);
}

TEST_F(Standalone, RefusesAProcessorWithoutItsFeatures) {
  ProcessResult result =
      sample(inputs() + outputs(), "SAMPLE_FEATURE=time-travel");
  EXPECT_EQ(result.status, 3);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "TapestryRuntimeSample: error: the program was compiled for a "
            "processor with time-travel, which this one lacks\n");
  EXPECT_FALSE(fileExists(folder.file("t.npy")));
  EXPECT_EQ(sample("--help", "SAMPLE_FEATURE=time-travel").status, 0);
}

TEST_F(Standalone, WrongUsage) {
  auto error = [&](const std::string &arguments,
                   const std::string &environment = "") {
    ProcessResult result = sample(arguments, environment);
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "");
    std::string prefix = "TapestryRuntimeSample: error: ";
    EXPECT_EQ(result.err.substr(0, prefix.size()), prefix);
    return result.err.substr(prefix.size());
  };
  std::string help = " (see TapestryRuntimeSample --help)\n";
  EXPECT_EQ(error("--frobnicate"), "unknown option '--frobnicate'" + help);
  EXPECT_EQ(error("a.npy"), "unknown argument 'a.npy'" + help);
  EXPECT_EQ(error("-i A"), "-i 'A' is not of the form NAME=FILE" + help);
  EXPECT_EQ(error("-i"), "-i needs a value" + help);
  EXPECT_EQ(error("--feed=Wn"), "--feed 'Wn' is not of the form OUT=IN" + help);
  EXPECT_EQ(error(inputs() + " --feed Wn=W"),
            "--feed is for the next repetition: it needs --repeat" + help);
  EXPECT_EQ(error("--repeat 0"), "--repeat '0' is no number from 1" + help);
  EXPECT_EQ(error("--repeat=2x"), "--repeat '2x' is no number from 1" + help);
  EXPECT_EQ(error(inputs() + " --backend gpu"),
            "--backend: 'gpu' is none of local, mpi\n");
  EXPECT_EQ(error(inputs(), "TAPESTRY_TIMEOUT=soon"),
            "TAPESTRY_TIMEOUT: 'soon' is no number of seconds above 0\n");
  EXPECT_EQ(error(inputs(), "TAPESTRY_FAULT=mode=sulk"),
            "TAPESTRY_FAULT: 'mode=sulk' is none of rank=NUMBER, "
            "collective=NUMBER|write, mode=fail|kill|exit|stop|stall|late\n");
  EXPECT_EQ(error("-iA=a.npy").find("no file for input 'W'"), 0u);
}

TEST_F(Standalone, MissingBackEndIsNamed) {
  // By hand: MPI's plug-in may have been built.
  std::string error;
  setenv("TAPESTRY_RT_PATH", "/nowhere::/else", 1);
  EXPECT_EQ(openPlugin("smoke", 1, error), nullptr);
  unsetenv("TAPESTRY_RT_PATH");
  EXPECT_EQ(error.find("the back end 'smoke' needs libtapestry-rt-smoke.so, "
                       "which is in none of /nowhere, /else, "),
            0u)
      << error;
}

TEST_F(Standalone, BrokenPlugInIsNamed) {
  writeFile(folder.file("libtapestry-rt-mpi.so"), "no library");
  ProcessResult result =
      sample(inputs() + " --backend mpi", "TAPESTRY_RT_PATH=" + folder.str());
  EXPECT_EQ(result.status, 3);
  EXPECT_NE(result.err.find("cannot be loaded: " +
                            folder.file("libtapestry-rt-mpi.so")),
            std::string::npos)
      << result.err;
}

TEST_F(Standalone, AddressSpaceLimit) {
  if (sanitized)
    GTEST_SKIP() << "sanitizers need address space";
  // Enough for the program itself, not for the stacks of 200 ranks.
  ProcessResult result = runCommand(
      "ulimit -v 400000; SAMPLE_DEVICES=200 " TAPESTRY_SAMPLE " " + inputs());
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_NE(result.err.find("cannot start 200 ranks as threads: "),
            std::string::npos)
      << result.err;
}

/// A rank that computes on and on does not keep the others from ending.
TEST_F(Standalone, FailureBesideABusyRank) {
  ProcessResult result =
      sample(inputs() + outputs(),
             "SAMPLE_SPIN=2 TAPESTRY_FAULT=rank=1,collective=1,mode=fail");
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.err, "rank 1: failed on purpose (TAPESTRY_FAULT) in "
                        "all_reduce of 'S' (collective 1)\n");
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"a.npy", "w.npy"}));
}

/// SIGTERM while outputs are written: rank 0 has made its temporary file, rank
/// 1 stalls.
TEST_F(Standalone, SignalsLeaveNoPartialOutput) {
  ProcessResult result = runCommand(
      "TAPESTRY_FAULT=rank=1,collective=write,mode=stall " TAPESTRY_SAMPLE +
      inputs() + outputs() + " & pid=$!; " + "for i in $(seq 200); do ls -a " +
      folder.str() + " | grep -q tmp && break; sleep 0.05; done; ls -a " +
      folder.str() + " | grep -c tmp; kill -TERM $pid; wait $pid");
  EXPECT_EQ(result.status, 128 + 15);
  EXPECT_EQ(result.out, "1\n");
  EXPECT_EQ(folder.entries(), (std::vector<std::string>{"a.npy", "w.npy"}));
}

TEST_F(Standalone, VerboseGoesToStandardError) {
  ProcessResult result = sample(inputs() + " -v");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_NE(result.err.find("read "), std::string::npos);
}
