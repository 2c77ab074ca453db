//===- Arena.cpp - The memory of one rank ---------------------------------===//

#include "Memory/Arena.h"
#include <algorithm>
#include <cstdlib>
#include <sys/mman.h>

using namespace tapestry;
using namespace tapestry::rt;

/// Lies before the memory that `allocate` returns.
struct Arena::Block {
  Arena *owner;
  Block *previous;
  Block *next;
  char *base;        // what the system gave
  uint64_t mapped;   // bytes at `base`; 0: from aligned_alloc
  uint64_t capacity; // usable bytes
  uint64_t asked;    // bytes of the present use

  void *memory() { return reinterpret_cast<char *>(this) + headerSize; }
  static constexpr uint64_t headerSize = 64;
};

// Blocks from here on are mapped by themselves, aligned so that the kernel can
// back them with huge pages.
static constexpr uint64_t mapFrom = uint64_t(1) << 20;
static constexpr uint64_t hugePage = uint64_t(2) << 20;
// Nothing that a machine could have; keeps the sums below from wrapping.
static constexpr uint64_t absurd = uint64_t(1) << 60;

static uint64_t roundUp(uint64_t value, uint64_t step) {
  return (value + step - 1) / step * step;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void Arena::link(Block *block) {
  block->previous = nullptr;
  block->next = liveBlocks;
  if (liveBlocks)
    liveBlocks->previous = block;
  liveBlocks = block;
  slack += static_cast<int64_t>(block->capacity - block->asked);
  live += static_cast<int64_t>(block->asked);
  peak = std::max(peak, live);
  if (!slab.contains(block)) {
    apart += static_cast<int64_t>(block->asked);
    mostApart = std::max(mostApart, apart);
  }
  if (together)
    together->add(static_cast<int64_t>(block->asked));
  ++numLive;
}

void Arena::unlink(Block *block) {
  (block->previous ? block->previous->next : liveBlocks) = block->next;
  if (block->next)
    block->next->previous = block->previous;
  slack -= static_cast<int64_t>(block->capacity - block->asked);
  live -= static_cast<int64_t>(block->asked);
  if (!slab.contains(block))
    apart -= static_cast<int64_t>(block->asked);
  if (together)
    together->add(-static_cast<int64_t>(block->asked));
  --numLive;
}

/// A freed block of `capacity` to `most` bytes.
Arena::Block *Arena::takeFree(uint64_t capacity, uint64_t alignment,
                              uint64_t most) {
  most = std::min(most, capacity + std::max<int64_t>(margin() - slack, 0));
  for (auto it = freeBlocks.lower_bound(capacity);
       it != freeBlocks.end() && it->first <= most; ++it) {
    Block *block = it->second;
    if (reinterpret_cast<uintptr_t>(block->memory()) % alignment != 0)
      continue;
    freeBlocks.erase(it);
    return block;
  }
  return nullptr;
}

/// Bytes of the slab that a block takes: its header has a page of its own.
static uint64_t pieceBytes(uint64_t capacity) {
  return Slab::page + roundUp(capacity, Slab::page);
}

/// A block of the slab; null where there is no room for it.
Arena::Block *Arena::cutBlock(uint64_t capacity, uint64_t alignment) {
  if (capacity < mapFrom || alignment > Slab::page)
    return nullptr;
  char *base = slab.take(pieceBytes(capacity));
  if (!base)
    return nullptr;
  auto *block =
      reinterpret_cast<Block *>(base + Slab::page - Block::headerSize);
  *block = Block{this, nullptr, nullptr, base, 0, capacity, 0};
  return block;
}

Arena::Block *Arena::mapBlock(uint64_t capacity, uint64_t alignment) {
  uint64_t lead = std::max<uint64_t>(Block::headerSize, alignment);
  uint64_t bytes = lead + capacity;
  char *base;
  uint64_t mapped = 0;
  if (bytes < mapFrom) {
    base = static_cast<char *>(
        std::aligned_alloc(alignment, roundUp(bytes, alignment)));
    if (!base)
      return nullptr;
  } else {
    // The data, not the header, starts on a page of its own; so a large block
    // is all huge pages but for its ends.
    uint64_t place = std::max(hugePage, alignment);
    mapped = roundUp(bytes, 4096) + place;
    void *got = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED)
      return nullptr;
    base = static_cast<char *>(got);
    madvise(base, mapped, MADV_HUGEPAGE);
    uintptr_t data =
        roundUp(reinterpret_cast<uintptr_t>(base) + Block::headerSize, place);
    lead = data - reinterpret_cast<uintptr_t>(base);
  }
  auto *block = reinterpret_cast<Block *>(base + lead - Block::headerSize);
  *block = Block{this, nullptr, nullptr, base, mapped, capacity, 0};
  return block;
}

void Arena::unmap(Block *block) {
  budget.used -= static_cast<int64_t>(block->capacity);
  footprint -= static_cast<int64_t>(block->capacity);
  char *base = block->base;
  if (block->mapped)
    munmap(base, block->mapped);
  else
    std::free(base);
}

bool Arena::isAtPeak(int64_t bytes) const {
  int64_t most = std::max(mostApart, apart + bytes);
  return footprint + bytes > most + (budget.isRoomy ? margin() : 0);
}

void Arena::trim(int64_t bytes) {
  while (!freeBlocks.empty() && isAtPeak(bytes)) {
    // Small blocks cost nothing to keep; the largest ones matter.
    auto largest = std::prev(freeBlocks.end());
    unmap(largest->second);
    freeBlocks.erase(largest);
  }
}

//===----------------------------------------------------------------------===//
// Arena
//===----------------------------------------------------------------------===//

Arena::~Arena() {
  for (auto &[capacity, block] : freeBlocks)
    unmap(block);
  while (Block *block = liveBlocks) {
    unlink(block);
    if (!slab.contains(block))
      unmap(block);
  }
  budget.used -= static_cast<int64_t>(slab.size());
}

int64_t Arena::reservedBytes(int64_t bytes) {
  auto wanted = static_cast<uint64_t>(std::max<int64_t>(bytes, 0));
  // Pieces have ends, and holes are not always where they are wanted.
  return wanted < mapFrom
             ? 0
             : static_cast<int64_t>(roundUp(wanted + wanted / 8, Slab::page));
}

void Arena::reserve(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  int64_t wanted = reservedBytes(bytes);
  if (wanted == 0)
    return;
  if (budget.used.fetch_add(wanted) + wanted > budget.limit ||
      !slab.map(static_cast<uint64_t>(wanted)))
    budget.used -= wanted;
}

void *Arena::allocate(uint64_t bytes, uint64_t alignment) {
  if (bytes > absurd || alignment > absurd)
    return nullptr;
  alignment = std::max(alignment, minAlignment);
  uint64_t capacity = roundUp(std::max<uint64_t>(bytes, 1), minAlignment);

  std::lock_guard<std::mutex> lock(mutex);
  auto wanted = static_cast<int64_t>(capacity);
  Block *block = cutBlock(capacity, alignment);
  if (!block)
    block = takeFree(capacity, alignment, capacity + capacity / 8 + 256);
  // Rather than give one back that the next pass of a loop asks for again.
  if (!block && isAtPeak(wanted))
    block = takeFree(capacity, alignment, absurd);
  if (!block) {
    trim(wanted);
    if (budget.used.fetch_add(wanted) + wanted > budget.limit) {
      budget.used -= wanted;
      return nullptr;
    }
    block = mapBlock(capacity, alignment);
    if (!block) {
      budget.used -= wanted;
      return nullptr;
    }
    footprint += wanted;
  }
  block->asked = bytes;
  link(block);
  return block->memory();
}

Arena::Block *Arena::blockOf(void *memory) {
  return reinterpret_cast<Block *>(static_cast<char *>(memory) -
                                   Block::headerSize);
}

int64_t Arena::askedBytes(void *memory) {
  return memory ? static_cast<int64_t>(blockOf(memory)->asked) : 0;
}

void Arena::reach(int64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  peak = std::max(peak, live + bytes);
}

void Arena::free(void *memory) {
  if (!memory)
    return;
  Block *block = blockOf(memory);
  Arena &arena = *block->owner;
  std::lock_guard<std::mutex> lock(arena.mutex);
  arena.unlink(block);
  if (arena.slab.contains(block))
    arena.slab.give(block->base, pieceBytes(block->capacity));
  else
    arena.freeBlocks.emplace(block->capacity, block);
}

void Arena::adopt(void *memory) {
  if (!memory)
    return;
  Block *block = blockOf(memory);
  auto capacity = static_cast<int64_t>(block->capacity);
  {
    Arena &from = *block->owner;
    std::lock_guard<std::mutex> lock(from.mutex);
    from.unlink(block);
    from.footprint -= capacity;
  }
  std::lock_guard<std::mutex> lock(mutex);
  block->owner = this;
  footprint += capacity;
  link(block);
}

void Arena::release() {
  std::lock_guard<std::mutex> lock(mutex);
  for (auto &[capacity, block] : freeBlocks)
    unmap(block);
  freeBlocks.clear();
}

Status Arena::exhausted(uint64_t bytes) const {
  int64_t available = std::max<int64_t>(budget.available(), 0);
  auto needed = static_cast<int64_t>(std::min<uint64_t>(bytes, INT64_MAX));
  // What fits may be more as it is taken of the budget.
  if (needed <= available)
    needed = static_cast<int64_t>(
        roundUp(std::max<uint64_t>(bytes, 1), minAlignment));
  // The system may have refused what the budget would have allowed.
  const char *refused = needed <= available ? "; the system refused it" : "";
  return Status::failure(
      ExitEnvironment,
      format("out of memory: needs %s more than the %s in use, %s available%s",
             formatBytes(needed).c_str(), formatBytes(liveBytes()).c_str(),
             formatBytes(available).c_str(), refused));
}

Status Scratch::allocate(Arena &arena, int64_t bytes) {
  Arena::free(memory);
  memory = nullptr;
  if (bytes == 0)
    return Status::success();
  memory = arena.allocate(static_cast<uint64_t>(bytes));
  return memory ? Status::success() : arena.exhausted(bytes);
}
