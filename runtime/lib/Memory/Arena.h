//===- Arena.h - The memory of one rank -------------------------*- C++ -*-===//
//
// Everything that a rank allocates for tensors: its inputs and outputs, the
// buffers of generated code (through ABI.h) and scratch of collectives. Counts
// live and peak bytes, keeps freed blocks for reuse and frees all at the end.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_MEMORY_ARENA_H
#define TAPESTRY_RT_MEMORY_ARENA_H

#include "Memory/Slab.h"
#include "tapestry-rt/Status.h"
#include <atomic>
#include <map>
#include <mutex>

namespace tapestry {
namespace rt {

/// Bytes that the ranks of a process share.
struct MemoryBudget {
  int64_t limit;
  std::atomic<int64_t> used{0};
  /// Whether arenas may keep somewhat more than they have at their peaks: not
  /// where a user has said how much there is.
  bool isRoomy = false;

  explicit MemoryBudget(int64_t limit) : limit(limit) {}
  int64_t available() const { return limit - used.load(); }
};

/// Bytes asked for and not freed of several arenas together, now and at most.
class LiveBytes {
public:
  void add(int64_t bytes) {
    int64_t sum = now += bytes;
    int64_t most = peak;
    while (sum > most && !peak.compare_exchange_weak(most, sum)) {
    }
  }
  int64_t peakBytes() const { return peak; }
  /// Forgets what there was before.
  void restart() { peak = now.load(); }

private:
  std::atomic<int64_t> now{0}, peak{0};
};

class Arena {
public:
  /// What it allocates counts in `together`, too, which outlives it.
  explicit Arena(MemoryBudget &budget, LiveBytes *together = nullptr)
      : budget(budget), together(together) {}
  ~Arena();
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;

  static constexpr uint64_t minAlignment = 64;

  /// Maps what large blocks of up to `bytes` in all are cut from, so that the
  /// system is asked once for what is taken again and again. What does not fit,
  /// for there is no hole of its size, is mapped by itself. No other arena may
  /// adopt of this one then.
  void reserve(int64_t bytes);
  /// What `reserve` takes of the budget.
  static int64_t reservedBytes(int64_t bytes);
  /// Memory aligned to `alignment` (a power of two) and `minAlignment` at
  /// least; its contents are undefined. Null when the budget or the machine has
  /// none left. Any thread may allocate and free.
  void *allocate(uint64_t bytes, uint64_t alignment = minAlignment);
  /// Frees what `allocate` of any arena returned, or null.
  static void free(void *memory);
  /// What was asked for when that was allocated; null: 0.
  static int64_t askedBytes(void *memory);
  /// Counts in the peak so many bytes beside the live ones.
  void reach(int64_t bytes);
  /// Takes over what another arena of the same budget has allocated, which may
  /// end then.
  void adopt(void *memory);
  /// Gives all freed blocks back to the system.
  void release();

  /// Bytes asked for and not freed, now and at most.
  int64_t liveBytes() const { return live; }
  int64_t peakBytes() const { return peak; }

  /// What to say when `allocate(bytes)` returned null: both numbers.
  Status exhausted(uint64_t bytes) const;

private:
  struct Block;
  static Block *blockOf(void *memory);
  Block *takeFree(uint64_t capacity, uint64_t alignment, uint64_t most);
  /// Whether so many bytes more are too many to keep all freed blocks.
  bool isAtPeak(int64_t bytes) const;
  /// What live blocks, and in a roomy budget all, may have beyond their peak:
  /// passes of a loop that take buffers of several sizes in turns then ask the
  /// system once.
  int64_t margin() const { return mostApart / 8 + 320 * (numLive + 1); }
  Block *cutBlock(uint64_t capacity, uint64_t alignment);
  Block *mapBlock(uint64_t capacity, uint64_t alignment);
  void unmap(Block *block);
  /// Gives freed blocks back until `bytes` more keep the arena within its peak,
  /// or near it.
  void trim(int64_t bytes);
  void link(Block *block);
  void unlink(Block *block);

  MemoryBudget &budget;
  LiveBytes *const together;
  mutable std::mutex mutex;
  std::multimap<uint64_t, Block *> freeBlocks; // by capacity
  Block *liveBlocks = nullptr;
  int64_t live = 0;
  int64_t peak = 0;
  /// What live blocks have beyond what was asked for, and their number.
  int64_t slack = 0;
  int64_t numLive = 0;
  /// Capacities of live and free blocks together, and bytes of the live ones,
  /// now and at most: of those that are not in the slab.
  int64_t footprint = 0;
  int64_t apart = 0;
  int64_t mostApart = 0;
  Slab slab;
};

/// Memory of an arena for the length of a scope.
class Scratch {
public:
  Scratch() = default;
  ~Scratch() { Arena::free(memory); }
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;

  Status allocate(Arena &arena, int64_t bytes);
  char *data() const { return static_cast<char *>(memory); }

private:
  void *memory = nullptr;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MEMORY_ARENA_H
