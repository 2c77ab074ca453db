//===- Slab.cpp - Memory that is mapped once ------------------------------===//

#include "Memory/Slab.h"
#include <iterator>
#include <sys/mman.h>

using namespace tapestry;
using namespace tapestry::rt;

// So aligned, the kernel can back it with huge pages.
static constexpr uint64_t hugePage = uint64_t(2) << 20;

Slab::~Slab() {
  if (mapped)
    munmap(mapped, mappedBytes);
}

bool Slab::map(uint64_t wanted) {
  uint64_t most = wanted + hugePage;
  void *got = mmap(nullptr, most, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    return false;
  mapped = static_cast<char *>(got);
  mappedBytes = most;
  madvise(mapped, mappedBytes, MADV_HUGEPAGE);
  start = mapped + (-reinterpret_cast<uintptr_t>(mapped) & (hugePage - 1));
  bytes = wanted;
  holes[0] = wanted;
  return true;
}

void Slab::use(char *memory, uint64_t size) {
  start = memory;
  bytes = size;
  holes[0] = size;
}

char *Slab::take(uint64_t wanted) {
  // The least hole that is large enough. There are few: pieces are large.
  auto best = holes.end();
  for (auto hole = holes.begin(); hole != holes.end(); ++hole)
    if (hole->second >= wanted &&
        (best == holes.end() || hole->second < best->second))
      best = hole;
  if (best == holes.end())
    return nullptr;
  auto [place, size] = *best;
  holes.erase(best);
  if (size > wanted)
    holes[place + wanted] = size - wanted;
  return start + place;
}

void Slab::give(char *piece, uint64_t wanted) {
  auto [hole, isNew] = holes.emplace(piece - start, wanted);
  auto next = std::next(hole);
  if (next != holes.end() && hole->first + hole->second == next->first) {
    hole->second += next->second;
    holes.erase(next);
  }
  if (hole == holes.begin())
    return;
  auto previous = std::prev(hole);
  if (previous->first + previous->second == hole->first) {
    previous->second += hole->second;
    holes.erase(hole);
  }
}
