//===- ArenaTest.cpp - Tests of a rank's memory ---------------------------===//

#include "Memory/Arena.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cstring>
#include <random>
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

TEST(Arena, AlignsAndKeepsContents) {
  MemoryBudget budget(int64_t(1) << 40);
  Arena arena(budget);
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
