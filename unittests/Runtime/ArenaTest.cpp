//===- ArenaTest.cpp - Tests of a rank's memory ---------------------------===//

#include "Memory/Arena.h"
#include "Memory/Slab.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using namespace tapestry;
using namespace tapestry::rt;

TEST(Arena, CountsLiveAndPeakBytes) {
  MemoryBudget budget(1 << 30);
  Arena arena(budget);
  void *a = arena.allocate(1000);
  void *b = arena.allocate(500);
  EXPECT_EQ(arena.liveBytes(), 1500);
  Arena::free(a);
  void *c = arena.allocate(300);
  EXPECT_EQ(arena.liveBytes(), 800);
  EXPECT_EQ(arena.peakBytes(), 1500);
  Arena::free(b);
  Arena::free(c);
  Arena::free(nullptr);
  EXPECT_EQ(arena.liveBytes(), 0);
  EXPECT_EQ(arena.peakBytes(), 1500);
}

TEST(Arena, ReusesFreedBlocks) {
  MemoryBudget budget(1 << 30);
  Arena arena(budget);
  void *small = arena.allocate(5000);
  void *large = arena.allocate(3 << 20);
  Arena::free(small);
  Arena::free(large);
  EXPECT_EQ(arena.allocate(5000), small);
  EXPECT_EQ(arena.allocate(3 << 20), large);
}

/// What is kept for reuse never makes a rank larger than it was at its peak.
TEST(Arena, FootprintStaysWithinThePeak) {
  MemoryBudget budget(int64_t(1) << 40);
  Arena arena(budget);
  std::mt19937 random(3);
  std::vector<void *> live;
  for (int round = 0; round < 2000; ++round) {
    if (live.size() > 8 || (!live.empty() && random() % 3 == 0)) {
      size_t victim = random() % live.size();
      Arena::free(live[victim]);
      live.erase(live.begin() + victim);
    } else {
      live.push_back(arena.allocate(64 * (1 + random() % 100000)));
    }
    ASSERT_LE(budget.used.load(), arena.peakBytes() * 9 / 8 + 9 * 320);
  }
  for (void *memory : live)
    Arena::free(memory);
}

/// Passes of a loop after the first ask the system for nothing, in whatever
/// order they take their buffers.
TEST(Arena, PassesAfterTheFirstAskForNothing) {
  std::mt19937 random(7);
  for (int loop = 0; loop < 50; ++loop) {
    MemoryBudget budget(int64_t(1) << 40);
    budget.isRoomy = true;
    Arena arena(budget);
    // What stays beside what the loop works with.
    arena.allocate(16 << 20);
    uint64_t panel = (512 << 10) + 8192, large = 1 << 20, small = 256 << 10;
    std::vector<uint64_t> sizes = {small, panel, large, panel, large, small};
    std::shuffle(sizes.begin(), sizes.end(), random);
    for (int pass = 0; pass < 5; ++pass) {
      if (pass == 1)
        budget.limit = 0;
      std::vector<void *> live;
      for (uint64_t size : sizes) {
        live.push_back(arena.allocate(size));
        ASSERT_NE(live.back(), nullptr) << "loop " << loop << " pass " << pass;
        if (live.size() > 2) {
          Arena::free(live.front());
          live.erase(live.begin());
        }
      }
      for (void *memory : live)
        Arena::free(memory);
    }
  }
}

/// The same where sizes come in turns that fit into none that is free, in an
/// eighth more than is live at a time.
TEST(Arena, WhatIsReservedServesAllSizes) {
  std::mt19937 random(11);
  constexpr uint64_t mebi = 1 << 20;
  for (int loop = 0; loop < 20; ++loop) {
    MemoryBudget budget(int64_t(1) << 40);
    budget.isRoomy = true;
    Arena arena(budget);
    constexpr int64_t peak = 30 * mebi;
    arena.reserve(peak);
    EXPECT_EQ(budget.used.load(), Arena::reservedBytes(peak));
    EXPECT_EQ(arena.peakBytes(), 0);
    // From here on the system is not asked.
    budget.limit = 0;
    for (int pass = 0; pass < 20; ++pass) {
      // Cut anew in each pass: pieces are where no boundary was.
      std::vector<void *> live;
      for (uint64_t left = 30 * mebi; left >= mebi;) {
        uint64_t size = std::min(left, mebi + random() % (8 * mebi));
        live.push_back(arena.allocate(size, 64));
        ASSERT_NE(live.back(), nullptr) << "loop " << loop << " pass " << pass;
        left -= size;
      }
      std::shuffle(live.begin(), live.end(), random);
      for (void *memory : live)
        Arena::free(memory);
    }
    EXPECT_EQ(arena.liveBytes(), 0);
    EXPECT_LE(arena.peakBytes(), peak);
    EXPECT_EQ(budget.used.load(), Arena::reservedBytes(peak));
  }
}

/// What is not reserved is mapped as ever, and counts so.
TEST(Arena, AllocatesBesideWhatIsReserved) {
  constexpr int64_t mebi = 1 << 20;
  MemoryBudget budget(100 * mebi);
  budget.isRoomy = true;
  {
    Arena arena(budget);
    arena.reserve(8 * mebi);
    EXPECT_EQ(budget.used.load(), 9 * mebi);
    void *inside = arena.allocate(6 * mebi);
    EXPECT_EQ(budget.used.load(), 9 * mebi);
    // Too large for the rest, too small for a piece, aligned as no piece is.
    void *large = arena.allocate(20 * mebi);
    EXPECT_EQ(budget.used.load(), 29 * mebi);
    void *small = arena.allocate(1000);
    void *aligned = arena.allocate(mebi, 2 * mebi);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % (2 * mebi), 0u);
    EXPECT_GT(budget.used.load(), 30 * mebi);
    EXPECT_EQ(arena.liveBytes(), 27 * mebi + 1000);
    EXPECT_EQ(arena.allocate(80 * mebi), nullptr);
    for (void *memory : {inside, large, small, aligned})
      Arena::free(memory);
    EXPECT_EQ(arena.liveBytes(), 0);
    EXPECT_EQ(arena.peakBytes(), 27 * mebi + 1000);
    EXPECT_EQ(arena.allocate(6 * mebi), inside);
    // A budget that does not have it, and what is not worth it.
    Arena other(budget), tiny(budget);
    int64_t used = budget.used;
    other.reserve(100 * mebi);
    tiny.reserve(mebi - 1);
    EXPECT_EQ(budget.used.load(), used);
  }
  EXPECT_EQ(budget.used.load(), 0);
}

TEST(Slab, PiecesAreDistinctAndJoinAgain) {
  Slab slab;
  EXPECT_EQ(slab.take(Slab::page), nullptr);
  constexpr uint64_t pages = 61;
  ASSERT_TRUE(slab.map(pages * Slab::page));
  std::mt19937 random(13);
  std::vector<std::pair<char *, uint64_t>> pieces;
  std::vector<int> owner(pages, 0);
  char *start = slab.take(pages * Slab::page);
  slab.give(start, pages * Slab::page);
  for (int round = 0; round < 5000; ++round) {
    if (random() % 2 == 0 || pieces.empty()) {
      uint64_t count = 1 + random() % 9;
      char *piece = slab.take(count * Slab::page);
      // It fails only where no hole has so many pages.
      if (!piece) {
        uint64_t run = 0;
        for (int taken : owner) {
          run = taken ? 0 : run + 1;
          ASSERT_LT(run, count);
        }
        continue;
      }
      ASSERT_TRUE(slab.contains(piece));
      ASSERT_TRUE(slab.contains(piece + count * Slab::page - 1));
      for (uint64_t i = 0; i < count; ++i)
        ASSERT_EQ(owner[(piece - start) / Slab::page + i]++, 0);
      pieces.push_back({piece, count});
      continue;
    }
    size_t victim = random() % pieces.size();
    auto [piece, count] = pieces[victim];
    for (uint64_t i = 0; i < count; ++i)
      --owner[(piece - start) / Slab::page + i];
    slab.give(piece, count * Slab::page);
    pieces.erase(pieces.begin() + victim);
  }
  for (auto [piece, count] : pieces)
    slab.give(piece, count * Slab::page);
  EXPECT_EQ(slab.take(pages * Slab::page), start);
  EXPECT_FALSE(slab.contains(start + pages * Slab::page));
}

/// Both from the system and from what is reserved.
namespace {
class Contents : public testing::TestWithParam<int64_t> {};
} // namespace
INSTANTIATE_TEST_SUITE_P(Arena, Contents, testing::Values(0, 8 << 20));

TEST_P(Contents, AreAlignedAndKept) {
  MemoryBudget budget(int64_t(1) << 40);
  Arena arena(budget);
  arena.reserve(GetParam());
  std::mt19937 random(5);
  struct Use {
    unsigned char *memory;
    size_t bytes;
    unsigned char mark;
  };
  std::vector<Use> uses;
  for (int round = 0; round < 300; ++round) {
    uint64_t alignment = uint64_t(1) << (random() % 14);
    size_t bytes = random() % 40 == 0 ? (5 << 20) : random() % 3000;
    auto *memory =
        static_cast<unsigned char *>(arena.allocate(bytes, alignment));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % alignment, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
    auto mark = static_cast<unsigned char>(random());
    std::memset(memory, mark, bytes);
    uses.push_back({memory, bytes, mark});
    if (round % 3 == 2) {
      size_t victim = random() % uses.size();
      Use use = uses[victim];
      for (size_t i = 0; i < use.bytes; ++i)
        ASSERT_EQ(use.memory[i], use.mark);
      Arena::free(use.memory);
      uses.erase(uses.begin() + victim);
    }
  }
}

/// Of arenas that reserve at a time what the budget has once, one gets it.
TEST(Arena, ReservationsStayWithinTheBudget) {
  constexpr int64_t mebi = 1 << 20;
  constexpr int numThreads = 4;
  for (int round = 0; round < 500; ++round) {
    MemoryBudget budget(10 * mebi);
    std::vector<std::unique_ptr<Arena>> arenas;
    std::vector<std::thread> threads;
    std::atomic<int> waiting{numThreads};
    for (int thread = 0; thread < numThreads; ++thread) {
      arenas.push_back(std::make_unique<Arena>(budget));
      threads.emplace_back([&waiting, arena = arenas.back().get()] {
        for (--waiting; waiting > 0;)
          std::this_thread::yield();
        arena->reserve(8 * mebi);
      });
    }
    for (std::thread &thread : threads)
      thread.join();
    ASSERT_EQ(budget.used.load(), 9 * mebi) << "round " << round;
    arenas.clear();
    ASSERT_EQ(budget.used.load(), 0) << "round " << round;
  }
}

TEST(Arena, SaysBothNumbersWhenExhausted) {
  MemoryBudget budget(10000);
  Arena arena(budget);
  EXPECT_NE(arena.allocate(6000), nullptr);
  EXPECT_EQ(arena.allocate(5000), nullptr);
  EXPECT_EQ(arena.exhausted(5000).exitStatus(), ExitEnvironment);
  EXPECT_EQ(arena.exhausted(5000).message(),
            "out of memory: needs 4.9 KiB more than the 5.9 KiB in use, 3.9 "
            "KiB available");
  EXPECT_EQ(arena.allocate(UINT64_MAX), nullptr);
  // The failure left the budget as it was.
  EXPECT_NE(arena.allocate(3000), nullptr);
}

TEST(Arena, GivesEverythingBackAtTheEnd) {
  MemoryBudget budget(1 << 30);
  {
    Arena arena(budget);
    arena.allocate(100);
    arena.allocate(4 << 20);
    Arena::free(arena.allocate(2 << 20));
    EXPECT_GT(budget.used.load(), 4 << 20);
  }
  EXPECT_EQ(budget.used.load(), 0);
}
