//===- MPITest.cpp - Tests of the MPI back end ----------------------------===//
//
// The sample program under mpirun must give the bytes that it gives on threads,
// and end as cleanly.
//
//===----------------------------------------------------------------------===//

#include "RandomCollectives.h"
#include "Testing.h"
#include "gtest/gtest.h"
#include <algorithm>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

class MPI : public ::testing::Test {
protected:
  void SetUp() override {
    std::mt19937 random(51);
    for (const char *name : {"a.npy", "w.npy"})
      writeFile(folder.file(name),
                npyBytes("<f4", false, {37, 11},
                         bytesOf(randomValues<float>(37 * 11, random))));
  }
  std::string arguments(const std::string &prefix) const {
    std::string text =
        " -i A=" + folder.file("a.npy") + " -i W=" + folder.file("w.npy");
    for (const char *output : {"T", "S", "R", "Wn"})
      text += std::string(" -o ") + output + "=" +
              folder.file(prefix + output + ".npy");
    return text;
  }
  ProcessResult mpirun(int processes, const std::string &rest,
                       const std::string &environment = "",
                       const std::string &program = TAPESTRY_SAMPLE) {
    // Open MPI takes these here anyway, but tries every network first.
    return runCommand(environment +
                      " OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader"
                      " PMIX_MCA_gds=hash HWLOC_COMPONENTS=-gl"
                      " TAPESTRY_RT_PATH=" TAPESTRY_PLUGIN_DIR
                      " timeout 120 " TAPESTRY_MPIEXEC
                      " --oversubscribe --allow-run-as-root -n " +
                      std::to_string(processes) + " " + program + " " + rest);
  }
  /// How often `text` occurs in `in`.
  static int times(const std::string &text, const std::string &in) {
    int count = 0;
    for (size_t at = in.find(text); at != std::string::npos;
         at = in.find(text, at + 1))
      ++count;
    return count;
  }
  TempFolder folder;
};

} // namespace

TEST_F(MPI, GivesTheBytesOfTheLocalBackEnd) {
  for (int devices : {1, 2, 4, 5}) {
    std::string environment = "SAMPLE_DEVICES=" + std::to_string(devices);
    std::string loop = " --repeat 3 --feed Wn=W --report ";
    ProcessResult local =
        runCommand(environment + " " TAPESTRY_SAMPLE " --backend local" +
                   arguments("local-") + loop + folder.file("local.json"));
    ASSERT_EQ(local.status, 0) << local.err;
    ProcessResult mpi = mpirun(devices,
                               "--backend mpi" + arguments("mpi-") + loop +
                                   folder.file("mpi.json") + " --trace " +
                                   folder.file("trace.json"),
                               environment);
    ASSERT_EQ(mpi.status, 0) << mpi.err;
    EXPECT_EQ(mpi.out, "");
    for (const char *output : {"T", "S", "R", "Wn"}) {
      std::string name = std::string(output) + ".npy";
      EXPECT_EQ(readFile(folder.file("mpi-" + name)),
                readFile(folder.file("local-" + name)))
          << output;
    }
    std::string report = readFile(folder.file("mpi.json"));
    EXPECT_NE(report.find("\"backend\": \"mpi\""), std::string::npos);
    for (const char *counted : {"counted_bytes", "peak_bytes_per_device"})
      EXPECT_EQ(numbersOf(report, counted),
                numbersOf(readFile(folder.file("local.json")), counted));
    EXPECT_EQ(numbersOf(report, "counted_bytes"),
              numbersOf(report, "predicted_bytes"));
    std::string lastRank =
        "\"name\": \"rank " + std::to_string(devices - 1) + "\"";
    EXPECT_NE(readFile(folder.file("trace.json")).find(lastRank),
              std::string::npos);
  }
}

TEST_F(MPI, IsTheDefaultUnderMpirun) {
  ProcessResult result =
      mpirun(4, arguments("") + " --report " + folder.file("r.json"));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(readFile(folder.file("r.json")).find("\"backend\": \"mpi\""),
            std::string::npos);
}

TEST_F(MPI, SurplusRanksStayIdle) {
  ProcessResult local =
      runCommand(TAPESTRY_SAMPLE " --backend local" + arguments("local-"));
  ASSERT_EQ(local.status, 0) << local.err;
  ProcessResult result = mpirun(6, "-v --backend mpi" + arguments("mpi-") +
                                       " --report " + folder.file("r.json"));
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(times("2 of 6 ranks stay idle", result.err), 1) << result.err;
  for (const char *output : {"T", "S", "R", "Wn"}) {
    std::string name = std::string(output) + ".npy";
    EXPECT_EQ(readFile(folder.file("mpi-" + name)),
              readFile(folder.file("local-" + name)))
        << output;
  }
  EXPECT_NE(readFile(folder.file("r.json")).find("\"devices\": 4"),
            std::string::npos);
  // What ends the working ranks ends the idle ones, with the same status.
  result = mpirun(5, "--backend mpi" + arguments(""),
                  "TAPESTRY_FAULT=rank=2,collective=1,mode=fail");
  EXPECT_EQ(result.status, 4) << result.err;
  writeFile(folder.file("a.npy"), "no");
  result = mpirun(5, "--backend mpi" + arguments(""));
  EXPECT_EQ(result.status, 1) << result.err;
}

/// Every kind, type and monoid, as ours and as MPI's own.
TEST_F(MPI, RandomCollectivesAreExactEitherWay) {
  for (int devices = 2; devices <= 8; ++devices) {
    std::string environment = "SAMPLE_DEVICES=" + std::to_string(devices) +
                              " SAMPLE_SEED=" + std::to_string(70 + devices);
    std::string options =
        "--backend mpi --repeat 2 --report " + folder.file("r.json");
    int idle = devices % 3 == 0;
    ProcessResult ours = mpirun(devices + idle, options, environment,
                                TAPESTRY_COLLECTIVE_SAMPLE);
    ASSERT_EQ(ours.status, 0) << ours.err;
    EXPECT_EQ(ours.err, "");
    std::string report = readFile(folder.file("r.json"));
    EXPECT_EQ(numbersOf(report, "counted_bytes"),
              numbersOf(report, "predicted_bytes"));
    EXPECT_EQ(times("\"by\"", report), 0);
    std::vector<int64_t> peak = numbersOf(report, "peak_bytes_per_device");

    ProcessResult theirs =
        mpirun(devices + idle, options + " --collectives mpi", environment,
               TAPESTRY_COLLECTIVE_SAMPLE);
    ASSERT_EQ(theirs.status, 0) << theirs.err;
    EXPECT_EQ(theirs.err, "");
    report = readFile(folder.file("r.json"));
    RandomCollectives sample(devices, RandomCollectives::usualCount,
                             70 + devices);
    std::vector<int64_t> payloads = sample.payloads();
    payloads.erase(std::remove(payloads.begin(), payloads.end(), 0),
                   payloads.end());
    EXPECT_GT(payloads.size(), 50u);
    EXPECT_EQ(numbersOf(report, "payload_bytes"), payloads);
    EXPECT_EQ(numbersOf(report, "peak_bytes_per_device"), peak);
    EXPECT_EQ(size_t(times("\"by\": \"mpi\"", report)), payloads.size());
    // What is left is among devices that have nothing to say to each other.
    for (int64_t bytes : numbersOf(report, "counted_bytes"))
      EXPECT_EQ(bytes, 0);
  }
}

/// The same with some on their way while the program goes on.
TEST_F(MPI, StartedCollectivesAreExactEitherWay) {
  for (int devices : {2, 3, 5}) {
    std::string environment =
        "SAMPLE_DEVICES=" + std::to_string(devices) +
        " SAMPLE_TOGETHER=4 SAMPLE_SEED=" + std::to_string(90 + devices);
    std::string options =
        "--backend mpi --repeat 2 --report " + folder.file("r.json");
    for (const char *whose : {"ring", "mpi"}) {
      ProcessResult result =
          mpirun(devices, options + " --collectives " + whose, environment,
                 TAPESTRY_COLLECTIVE_SAMPLE);
      ASSERT_EQ(result.status, 0) << result.err;
      EXPECT_EQ(result.err, "");
      std::string report = readFile(folder.file("r.json"));
      EXPECT_GT(times("\"waited_seconds\"", report), 100);
      if (whose == std::string("ring"))
        EXPECT_EQ(numbersOf(report, "counted_bytes"),
                  numbersOf(report, "predicted_bytes"));
    }
  }
}

/// What is missing, lost or wrong ends MPI's own collectives like ours.
TEST_F(MPI, FailuresEndItsOwnCollectives) {
  std::string options = "--backend mpi --collectives mpi" + arguments("");
  std::vector<std::string> before = folder.entries();
  ProcessResult result =
      mpirun(4, options, "TAPESTRY_FAULT=rank=2,collective=1,mode=fail");
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(times("rank 2: failed on purpose (TAPESTRY_FAULT) in all_reduce of "
                  "'S' (collective 1)\n",
                  result.err),
            1)
      << result.err;
  result =
      mpirun(4, options, "TAPESTRY_TIMEOUT=2 TAPESTRY_FAULT=rank=1,mode=stop");
  EXPECT_EQ(result.status, 4);
  EXPECT_NE(
      result.err.find("all_to_all of 'A' (collective 0): rank 1 (process "),
      std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find(") is stopped; gave it up after 2 seconds "
                            "(TAPESTRY_TIMEOUT)"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(folder.entries(), before);
  result = mpirun(4, options,
                  "TAPESTRY_TIMEOUT=0.05 TAPESTRY_FAULT=rank=1,mode=late");
  EXPECT_EQ(result.status, 0) << result.err;
  result = mpirun(4, options, "TAPESTRY_FAULT=rank=1,mode=kill,collective=2");
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.status, 124) << "timed out";
}

TEST_F(MPI, ItsOwnCollectivesNeedItsBackEnd) {
  ProcessResult result = runCommand(
      TAPESTRY_SAMPLE " --backend local --collectives mpi" + arguments(""));
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("error: --collectives mpi: MPI's collectives need "
                            "--backend mpi, and the back end here is local"),
            std::string::npos)
      << result.err;
  result = mpirun(2, "--collectives tree" + arguments(""));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(times("error: --collectives: 'tree' is none of ring, mpi, nccl",
                  result.err),
            1)
      << result.err;
}

TEST_F(MPI, WrongNumberOfRanksIsSaidOnce) {
  ProcessResult result = mpirun(3, "--backend mpi" + arguments(""));
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(times("error: the program is for 4 devices, but 3 ranks were "
                  "started",
                  result.err),
            1)
      << result.err;
}

TEST_F(MPI, WrongFilesAndUsageAreSaidOnce) {
  ProcessResult result = mpirun(4, "--backend mpi --frobnicate");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(times("unknown option", result.err), 1) << result.err;
  writeFile(folder.file("a.npy"), "no");
  result = mpirun(4, "--backend mpi" + arguments(""));
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(times("a.npy: error: not an .npy file: 2 bytes", result.err), 1)
      << result.err;
}

TEST_F(MPI, FailureEndsAllRanks) {
  std::vector<std::string> before = folder.entries();
  ProcessResult result = mpirun(4, "--backend mpi" + arguments(""),
                                "TAPESTRY_FAULT=rank=2,collective=1,mode=fail");
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(times("rank 2: failed on purpose (TAPESTRY_FAULT) in all_reduce of "
                  "'S' (collective 1)\n",
                  result.err),
            1)
      << result.err;
  EXPECT_EQ(folder.entries(), before);
}

TEST_F(MPI, KilledRankEndsAllRanks) {
  std::vector<std::string> before = folder.entries();
  for (const char *where : {"0", "write"}) {
    ProcessResult result = mpirun(
        4, "--backend mpi" + arguments(""),
        std::string("TAPESTRY_FAULT=rank=1,mode=kill,collective=") + where);
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.status, 124) << "timed out";
    EXPECT_EQ(folder.entries(), before);
  }
}

TEST_F(MPI, StoppedRankTimesOut) {
  std::vector<std::string> before = folder.entries();
  ProcessResult result =
      mpirun(4, "--backend mpi" + arguments(""),
             "TAPESTRY_TIMEOUT=2 TAPESTRY_FAULT=rank=1,mode=stop");
  EXPECT_EQ(result.status, 4);
  EXPECT_NE(result.err.find(": rank 1 (process "), std::string::npos)
      << result.err;
  EXPECT_NE(result.err.find(") is stopped; gave it up after 2 seconds "
                            "(TAPESTRY_TIMEOUT)"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(folder.entries(), before);
}

/// However short the time-out: what lives is awaited.
TEST_F(MPI, LateRankIsAwaited) {
  ProcessResult result =
      mpirun(4, "--backend mpi" + arguments(""),
             "TAPESTRY_TIMEOUT=0.05 TAPESTRY_FAULT=rank=1,mode=late");
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
}

TEST_F(MPI, RankThatExitsIsLost) {
  std::vector<std::string> before = folder.entries();
  ProcessResult result =
      mpirun(4, "--backend mpi" + arguments(""),
             "TAPESTRY_TIMEOUT=1 TAPESTRY_FAULT=rank=1,mode=exit");
  EXPECT_NE(result.status, 0);
  EXPECT_NE(result.status, 124) << "timed out";
  EXPECT_EQ(folder.entries(), before);
}
