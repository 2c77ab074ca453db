//===- SessionTest.cpp - Sessions through their C interface ---------------===//

#include "TestProgram.h"
#include "Testing.h"
#include "tapestry-rt/Runtime.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <sys/resource.h>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

struct Closer {
  void operator()(TapestrySession *session) const {
    tapestry_session_close(session);
  }
};
using SessionPtr = std::unique_ptr<TapestrySession, Closer>;

SessionPtr openSession(int64_t devices, int64_t memoryLimit = 0) {
  TapestrySessionOptions options = {TAPESTRY_SESSION_VERSION, sizeof(options),
                                    devices, memoryLimit, 0};
  const char *problem = nullptr;
  SessionPtr session(tapestry_session_open(&options, &problem));
  EXPECT_TRUE(session) << problem;
  return session;
}

std::string messageOf(const SessionPtr &session) {
  return tapestry_session_message(session.get());
}

/// Y = 2 X + Z, all of them cut over dimension `dim`.
struct Sum {
  Sum(int devices, const std::vector<int64_t> &shape, int dim)
      : program(devices), boxes(cutBoxes(shape, dim, devices)) {
    program.input("X", TAPESTRY_I32, shape, boxes);
    program.input("Z", TAPESTRY_I32, shape, boxes);
    program.output("Y", TAPESTRY_I32, shape, boxes,
                   std::vector<uint8_t>(devices, 1));
    program.body = [this](TapestryRank *rank, const void *const *inputs,
                          void *const *outputs) {
      int64_t device = tapestry_rt_device(rank);
      if (device == fails)
        tapestry_rt_fail(rank, "failed on purpose");
      for (int64_t i = 0, e = volume(boxes[device]); i < e; ++i)
        static_cast<int32_t *>(outputs[0])[i] =
            2 * static_cast<const int32_t *>(inputs[0])[i] +
            static_cast<const int32_t *>(inputs[1])[i];
    };
  }
  TestProgram program;
  std::vector<Box> boxes;
  int64_t fails = -1;
};

class Sessions : public ::testing::Test {
protected:
  int put(const SessionPtr &session, const char *name,
          const std::vector<int32_t> &values) {
    return tapestry_session_put(session.get(), name, TAPESTRY_I32, 2,
                                shape.data(), values.data());
  }
  std::vector<int32_t> read(const SessionPtr &session, const char *name) {
    std::vector<int32_t> values(13 * 7);
    EXPECT_EQ(
        tapestry_session_read(session.get(), name, nullptr, values.data()), 0)
        << messageOf(session);
    return values;
  }
  int apply(const SessionPtr &session, Sum &sum,
            std::vector<TapestryBinding> bindings = {},
            const char *report = nullptr) {
    return tapestry_session_apply(
        session.get(), &sum.program.table(), bindings.data(),
        static_cast<int64_t>(bindings.size()), report);
  }

  TempFolder folder;
  std::mt19937 random{5};
  const std::vector<int64_t> shape = {13, 7};
  std::vector<int32_t> x = randomValues<int32_t>(13 * 7, random);
  std::vector<int32_t> z = randomValues<int32_t>(13 * 7, random);
};

} // namespace

TEST_F(Sessions, PutAndReadBoxes) {
  for (int64_t devices : {1, 2, 5, 64}) {
    SessionPtr session = openSession(devices);
    ASSERT_EQ(put(session, "X", x), 0);
    EXPECT_EQ(read(session, "X"), x);
    for (int round = 0; round < 20; ++round) {
      Box box = randomBox(shape, random);
      std::vector<int32_t> part(volume(box));
      EXPECT_EQ(
          tapestry_session_read(session.get(), "X", box.data(), part.data()),
          0);
      EXPECT_EQ(part, extract(x, shape, box));
    }
    TapestryTensor tensor;
    ASSERT_EQ(tapestry_session_describe(session.get(), "X", &tensor), 0);
    EXPECT_STREQ(tensor.name, "X");
    for (int64_t device = 0; device < devices; ++device) {
      BoxRef box = {tensor.boxes + 2 * device, 2};
      auto *part = static_cast<const int32_t *>(
          tapestry_session_part(session.get(), "X", device));
      EXPECT_EQ(std::vector<int32_t>(part, part + volume(box)),
                extract(x, shape, box));
    }
    EXPECT_EQ(tapestry_session_part(session.get(), "X", devices), nullptr);
    EXPECT_EQ(tapestry_session_part(session.get(), "Q", 0), nullptr);
  }
}

/// Programs that cut another dimension each time, so that everything moves.
TEST_F(Sessions, AppliesProgramsOneAfterAnother) {
  for (int devices : {1, 2, 3, 5}) {
    SessionPtr session = openSession(devices);
    ASSERT_EQ(put(session, "X", x), 0);
    ASSERT_EQ(put(session, "B", z), 0);
    std::vector<int32_t> want = x;
    for (int round = 0; round < 4; ++round) {
      Sum sum(devices, shape, 1 - round % 2);
      std::string report = folder.file("r.json");
      ASSERT_EQ(apply(session, sum, {{"Y", "X"}, {"Z", "B"}}, report.c_str()),
                0)
          << messageOf(session);
      for (size_t i = 0; i < want.size(); ++i)
        want[i] = 2 * want[i] + z[i];
      EXPECT_EQ(read(session, "X"), want);
      std::string json = readFile(report);
      EXPECT_EQ(numbersOf(json, "predicted_bytes"),
                numbersOf(json, "counted_bytes"));
      // X and B, or B alone, lie otherwise.
      EXPECT_EQ(numbersOf(json, "predicted_bytes").size(), devices == 1 ? 0u
                                                           : round % 2  ? 1u
                                                                        : 2u);
    }
    ASSERT_EQ(tapestry_session_count(session.get()), 2);
    EXPECT_STREQ(tapestry_session_name(session.get(), 0), "B");
    EXPECT_STREQ(tapestry_session_name(session.get(), 1), "X");
    EXPECT_EQ(tapestry_session_name(session.get(), 2), nullptr);
  }
}

TEST_F(Sessions, AFailureLeavesAllAsItWas) {
  for (int devices : {1, 3}) {
    SessionPtr session = openSession(devices);
    ASSERT_EQ(put(session, "X", x), 0);
    ASSERT_EQ(put(session, "Z", z), 0);
    Sum sum(devices, shape, 1);
    sum.fails = devices - 1;
    EXPECT_EQ(apply(session, sum, {{"Y", "X"}}), 4);
    EXPECT_NE(messageOf(session).find("failed on purpose"), std::string::npos);
    EXPECT_EQ(read(session, "X"), x);
    EXPECT_EQ(read(session, "Z"), z);
    EXPECT_EQ(tapestry_session_count(session.get()), 2);
    sum.fails = -1;
    EXPECT_EQ(apply(session, sum, {{"Y", "X"}}), 0) << messageOf(session);
  }
}

TEST_F(Sessions, FilesGoInAndOut) {
  writeFile(folder.file("x.npy"), npyBytes("<i4", false, shape, bytesOf(x)));
  for (int64_t devices : {1, 4, 17}) {
    SessionPtr session = openSession(devices);
    ASSERT_EQ(tapestry_session_load(session.get(), "X",
                                    folder.file("x.npy").c_str(), nullptr),
              0)
        << messageOf(session);
    EXPECT_EQ(read(session, "X"), x);
    ASSERT_EQ(tapestry_session_export(session.get(), "X",
                                      folder.file("y.npy").c_str()),
              0)
        << messageOf(session);
    EXPECT_EQ(npyData(readFile(folder.file("y.npy"))), bytesOf(x));
  }
}

TEST_F(Sessions, SayWhatIsWrong) {
  SessionPtr session = openSession(3);
  auto fails = [&](int status, int wanted, const std::string &message) {
    EXPECT_EQ(status, wanted);
    EXPECT_EQ(messageOf(session), message);
  };
  std::vector<int32_t> values(91);
  fails(tapestry_session_read(session.get(), "X", nullptr, values.data()), 1,
        "error: there is no tensor 'X' in the session, it is empty");
  fails(put(session, "a=b", x), 1,
        "error: 'a=b' cannot be a tensor's name: it has '='");
  ASSERT_EQ(put(session, "X", x), 0);
  TapestryRange outside[2] = {{0, 14}, {0, 7}};
  fails(tapestry_session_read(session.get(), "X", outside, values.data()), 1,
        "error: [0, 14) x [0, 7) is asked of tensor 'X', which is i32[13, 7]");
  int64_t huge[2] = {int64_t(1) << 40, int64_t(1) << 40};
  fails(tapestry_session_put(session.get(), "Y", TAPESTRY_I32, 2, huge,
                             values.data()),
        1, "error: tensor 'Y' has shape [1099511627776, 1099511627776]");
  fails(tapestry_session_put(session.get(), "Y", 77, 0, nullptr, values.data()),
        1, "error: tensor 'Y' has element type 77 and rank 0");
  Sum other(2, shape, 0);
  fails(apply(session, other), 1,
        "error: the program is for 2 devices, the session has 3");
  Sum sum(3, shape, 0);
  fails(apply(session, sum), 1,
        "error: there is no tensor 'Z' in the session; there are: X (for input "
        "'Z')");
  EXPECT_EQ(read(session, "X"), x);
}

TEST_F(Sessions, KeepToTheirMemory) {
  // Two tensors of 364 bytes fit, a third does not.
  SessionPtr session = openSession(1, 800);
  ASSERT_EQ(put(session, "X", x), 0);
  ASSERT_EQ(put(session, "Z", z), 0);
  Sum sum(1, shape, 0);
  EXPECT_EQ(apply(session, sum), 3);
  EXPECT_NE(messageOf(session).find("364 bytes"), std::string::npos)
      << messageOf(session);
  // What is dropped makes room.
  ASSERT_EQ(tapestry_session_drop(session.get(), "Z"), 0);
  EXPECT_EQ(apply(session, sum, {{"Z", "X"}}), 0) << messageOf(session);
}

//===----------------------------------------------------------------------===//
// Checkpoints
//===----------------------------------------------------------------------===//

TEST_F(Sessions, CheckpointsAreRestoredOnAnyNumberOfRanks) {
  std::string place = folder.file("ck");
  for (int from : {1, 2, 5}) {
    SessionPtr session = openSession(from);
    ASSERT_EQ(put(session, "X", x), 0);
    ASSERT_EQ(put(session, "not plain/", z), 0);
    double scalar = 2.5;
    ASSERT_EQ(tapestry_session_put(session.get(), "s", TAPESTRY_F64, 0, nullptr,
                                   &scalar),
              0);
    Sum sum(from, shape, 1);
    ASSERT_EQ(apply(session, sum, {{"Z", "not plain/"}}), 0)
        << messageOf(session);
    std::vector<int32_t> y = read(session, "Y");
    ASSERT_EQ(tapestry_session_checkpoint(session.get(), place.c_str()), 0)
        << messageOf(session);
    EXPECT_EQ(folder.entries(), std::vector<std::string>{"ck"});
    EXPECT_EQ(npyData(readFile(place + "/Y.npy")), bytesOf(y));
    for (int to : {1, 2, 3, 5, 8}) {
      SessionPtr other = openSession(to);
      ASSERT_EQ(tapestry_session_restore(other.get(), place.c_str()), 0)
          << messageOf(other);
      EXPECT_EQ(tapestry_session_count(other.get()), 4);
      EXPECT_EQ(read(other, "X"), x);
      EXPECT_EQ(read(other, "not plain/"), z);
      EXPECT_EQ(read(other, "Y"), y);
      double got = 0;
      ASSERT_EQ(tapestry_session_read(other.get(), "s", nullptr, &got), 0);
      EXPECT_EQ(got, scalar);
      TapestryTensor was, is;
      tapestry_session_describe(session.get(), "Y", &was);
      tapestry_session_describe(other.get(), "Y", &is);
      // As many ranks have what they had.
      for (int i = 0; from == to && i < 2 * from; ++i) {
        EXPECT_EQ(is.boxes[i].lo, was.boxes[i].lo);
        EXPECT_EQ(is.boxes[i].hi, was.boxes[i].hi);
      }
    }
  }
}

TEST_F(Sessions, RestoringKeepsWhatHasOtherNames) {
  SessionPtr session = openSession(3);
  ASSERT_EQ(put(session, "X", x), 0);
  std::string place = folder.file("ck");
  ASSERT_EQ(tapestry_session_checkpoint(session.get(), place.c_str()), 0);
  ASSERT_EQ(put(session, "X", z), 0);
  ASSERT_EQ(put(session, "Z", z), 0);
  ASSERT_EQ(tapestry_session_restore(session.get(), place.c_str()), 0);
  EXPECT_EQ(read(session, "X"), x);
  EXPECT_EQ(read(session, "Z"), z);
}

TEST_F(Sessions, RefuseDamagedCheckpoints) {
  SessionPtr session = openSession(3);
  ASSERT_EQ(put(session, "X", x), 0);
  ASSERT_EQ(put(session, "Z", z), 0);
  std::string place = folder.file("ck");
  ASSERT_EQ(tapestry_session_checkpoint(session.get(), place.c_str()), 0);
  std::string file = place + "/Z.npy";
  std::string good = readFile(file);
  ASSERT_EQ(tapestry_session_drop(session.get(), "X"), 0);
  auto fails = [&](const std::string &message) {
    EXPECT_EQ(tapestry_session_restore(session.get(), place.c_str()), 1);
    EXPECT_EQ(messageOf(session).find(message), 0u) << messageOf(session);
    // Nothing of it is there.
    EXPECT_EQ(tapestry_session_count(session.get()), 1);
    EXPECT_EQ(read(session, "Z"), z);
  };
  writeFile(file, good.substr(0, 400));
  fails(file + ": error: truncated: has 400 bytes, the checkpoint's manifest "
               "says 492");
  writeFile(file, good + "more");
  fails(file + ": error: too long: has 496 bytes, the checkpoint's manifest "
               "says 492");
  std::string bad = good;
  bad[300] ^= 1;
  writeFile(file, bad);
  fails(file + ": error: damaged: its data has checksum ");
  bad = good;
  bad[0] = 'x';
  writeFile(file, bad);
  fails(file + ": error: not an .npy file");
  bad = good;
  bad.replace(bad.find("<i4"), 3, "<f4");
  writeFile(file, bad);
  fails(file + ": error: holds f32 ('<f4'), but input 'Z' takes i32");
  remove(file.c_str());
  fails(file + ": error: cannot open: No such file or directory");
  writeFile(place + "/manifest.json", "{");
  fails(place + "/manifest.json: error: line 1: a member has no name");
  place = folder.file("none");
  fails(place + "/manifest.json: error: cannot open: No such file or "
                "directory");
}

TEST_F(Sessions, ReplaceOnlyCheckpoints) {
  SessionPtr session = openSession(2);
  ASSERT_EQ(put(session, "X", x), 0);
  std::string place = folder.file("ck");
  auto write = [&] {
    return tapestry_session_checkpoint(session.get(), place.c_str());
  };
  ASSERT_EQ(write(), 0);
  ASSERT_EQ(put(session, "Y", z), 0);
  ASSERT_EQ(tapestry_session_drop(session.get(), "X"), 0);
  ASSERT_EQ(write(), 0) << messageOf(session);
  // What only the old one had is gone.
  EXPECT_FALSE(fileExists(place + "/X.npy"));
  EXPECT_TRUE(fileExists(place + "/Y.npy"));
  std::string manifest = readFile(place + "/manifest.json");
  writeFile(place + "/notes", "mine");
  EXPECT_EQ(write(), 1);
  EXPECT_EQ(messageOf(session), place + ": error: not replaced: it has "
                                        "'notes', which is no part of a "
                                        "checkpoint");
  EXPECT_EQ(readFile(place + "/manifest.json"), manifest);
  remove((place + "/notes").c_str());
  // What a killed process left goes, its lock being free.
  std::string left = folder.file(".ck.0123456789abcdef.tmp");
  ASSERT_EQ(runCommand("mkdir " + left + " && touch " + left + "/X.npy").status,
            0);
  ASSERT_EQ(write(), 0) << messageOf(session);
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"ck"});
  // A file, and a folder that is not there.
  writeFile(folder.file("file"), "");
  place = folder.file("file");
  EXPECT_EQ(write(), 1);
  EXPECT_EQ(messageOf(session), place + ": error: cannot write: Not a "
                                        "directory");
  place = folder.file("no/ck");
  EXPECT_EQ(write(), 1);
  EXPECT_EQ(messageOf(session), place + ": error: cannot write: No such file "
                                        "or directory");
}

TEST_F(Sessions, AFullDiskLeavesTheOldCheckpoint) {
  SessionPtr session = openSession(2);
  ASSERT_EQ(put(session, "X", x), 0);
  std::string place = folder.file("ck");
  ASSERT_EQ(tapestry_session_checkpoint(session.get(), place.c_str()), 0);
  std::string manifest = readFile(place + "/manifest.json");
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = {300, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  int status = tapestry_session_checkpoint(session.get(), place.c_str());
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_EQ(status, 3);
  EXPECT_NE(messageOf(session).find("X.npy: error: cannot write: File too"),
            std::string::npos)
      << messageOf(session);
  EXPECT_EQ(folder.entries(), std::vector<std::string>{"ck"});
  EXPECT_EQ(readFile(place + "/manifest.json"), manifest);
  EXPECT_EQ(tapestry_session_restore(session.get(), place.c_str()), 0);
}

TEST_F(Sessions, OpenOnlyWithOptionsThatMakeSense) {
  auto problemOf = [](TapestrySessionOptions options) {
    const char *problem = nullptr;
    EXPECT_EQ(tapestry_session_open(&options, &problem), nullptr);
    return std::string(problem);
  };
  TapestrySessionOptions good = {TAPESTRY_SESSION_VERSION, sizeof(good), 2, 0,
                                 0};
  TapestrySessionOptions options = good;
  options.version = 9;
  EXPECT_EQ(problemOf(options), "the caller was built for version 9 of "
                                "sessions, this runtime has version 2");
  options = good;
  options.struct_size = 8;
  EXPECT_NE(problemOf(options).find("8 bytes"), std::string::npos);
  options = good;
  options.devices = 0;
  EXPECT_EQ(problemOf(options), "a session has 1 to 1024 devices, not 0");
  options = good;
  options.memory_limit = -1;
  EXPECT_EQ(problemOf(options), "the memory limit is -1 bytes");
}
