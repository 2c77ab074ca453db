//===- TeamTest.cpp - Tests of the threads of a rank ----------------------===//

#include "Core/Machine.h"
#include "TestProgram.h"
#include "Testing.h"
#include "tapestry-rt/Runtime.h"
#include "gtest/gtest.h"
#include <atomic>
#include <set>
#include <thread>

using namespace tapestry::rt;
using namespace tapestry::rt::testing;

namespace {

constexpr int64_t longWork = int64_t(1) << 40;

/// Runs kernels, `body`, on one rank of so many threads.
struct KernelRun {
  KernelRun(int64_t threads, std::function<void()> body) : program(1) {
    program.output("Y", TAPESTRY_I32, {1}, {{{0, 1}}}, {1});
    program.body = [body](TapestryRank *, const void *const *, void *const *) {
      body();
    };
    RunOptions options;
    options.tool = "prog";
    options.backend = "local";
    options.progress = false;
    options.threads = threads;
    ::testing::internal::CaptureStderr();
    status = run(program.table(), options);
    err = ::testing::internal::GetCapturedStderr();
  }
  TestProgram program;
  int status;
  std::string err;
};

/// Calls `kernel` on all threads that `work` is worth.
template <typename Kernel> void share(Kernel kernel, int64_t work = longWork) {
  tapestry_rt_parallel(
      [](void *argument) { (*static_cast<Kernel *>(argument))(); }, &kernel,
      work);
}

TEST(Team, SharesEachPointOnce) {
  for (int64_t threads : {1, 2, 3, 7}) {
    KernelRun run(threads, [&] {
      // One kernel after another, of more and of fewer points than threads.
      for (int64_t units = 0; units < 200; ++units) {
        std::vector<std::atomic<int>> computed(units + 1);
        std::atomic<int> parts{0};
        share([&] {
          int64_t end = tapestry_rt_share(units, 1);
          for (int64_t at = tapestry_rt_share(units, 0); at < end; ++at)
            ++computed[at];
          ++parts;
        });
        EXPECT_EQ(parts, threads);
        for (int64_t at = 0; at < units; ++at)
          EXPECT_EQ(computed[at], 1) << at << " of " << units;
        EXPECT_EQ(computed[units], 0);
      }
    });
    EXPECT_EQ(run.status, 0) << run.err;
  }
}

TEST(Team, TheLastPartHasTheOnlyPoint) {
  KernelRun run(5, [&] {
    std::atomic<int> with{0};
    share([&] {
      with += tapestry_rt_share(1, 0) < tapestry_rt_share(1, 1);
      if (tapestry_rt_share(1, 0) < tapestry_rt_share(1, 1)) {
        EXPECT_EQ(tapestry_rt_share(5, 0), 4);
      }
    });
    EXPECT_EQ(with, 1);
  });
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(Team, ShortKernelsStayOnOneThread) {
  KernelRun run(4, [&] {
    for (auto [work, parts] : {std::pair<int64_t, int>{0, 1},
                               {2 * TAPESTRY_PART_NANOSECONDS - 1, 1},
                               {2 * TAPESTRY_PART_NANOSECONDS, 2},
                               {longWork, 4}}) {
      std::atomic<int> ran{0};
      share([&] { ++ran; }, work);
      EXPECT_EQ(ran, parts) << work;
    }
  });
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(Team, KernelsWithinKernelsStayWhereTheyAre) {
  KernelRun run(3, [&] {
    std::atomic<int> ran{0};
    share([&] {
      share([&] {
        EXPECT_EQ(tapestry_rt_share(7, 0), 0);
        EXPECT_EQ(tapestry_rt_share(7, 1), 7);
        ++ran;
      });
      // Of the outer one each has a share again.
      EXPECT_EQ(tapestry_rt_share(3, 1) - tapestry_rt_share(3, 0), 1);
    });
    EXPECT_EQ(ran, 3);
  });
  EXPECT_EQ(run.status, 0) << run.err;
}

TEST(Team, HelpersAreTheSameThreads) {
  KernelRun run(3, [&] {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    for (int kernel = 0; kernel < 50; ++kernel)
      share([&] {
        std::lock_guard<std::mutex> lock(mutex);
        seen.insert(std::this_thread::get_id());
      });
    EXPECT_EQ(seen.size(), 3u);
  });
  EXPECT_EQ(run.status, 0) << run.err;
}

/// One part alone asks for more than there is: all leave, and the run ends with
/// its message.
TEST(Team, AnyPartEndsTheRun) {
  for (int64_t failing : {0, 2}) {
    KernelRun run(3, [&] {
      share([&] {
        void *memory = _mlir_memref_to_llvm_alloc(1 << 20);
        if (tapestry_rt_share(3, 0) == failing)
          _mlir_memref_to_llvm_alloc(uint64_t(1) << 60);
        _mlir_memref_to_llvm_free(memory);
      });
      ADD_FAILURE() << "a kernel without memory came back";
    });
    EXPECT_EQ(run.status, 3);
    EXPECT_NE(run.err.find("out of memory: needs"), std::string::npos)
        << run.err;
  }
}

TEST(Machine, CoresAreDistinctAndThereIsOne) {
  std::vector<int> cores = distinctCores();
  EXPECT_GE(cores.size(), 1u);
  EXPECT_LE(static_cast<int>(cores.size()), availableCores());
  EXPECT_EQ(std::set<int>(cores.begin(), cores.end()).size(), cores.size());
  EXPECT_EQ(threadsPerRank(1), static_cast<int64_t>(cores.size()));
  EXPECT_EQ(threadsPerRank(1000000), 1);
}

} // namespace
