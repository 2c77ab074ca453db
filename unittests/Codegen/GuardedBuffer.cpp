//===- GuardedBuffer.cpp - Memory that faults one byte past its end -------===//
//
// mmap with one more page that is not accessible.
//
//===----------------------------------------------------------------------===//

#include "GuardedBuffer.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <utility>

namespace tapestry::test {

constexpr size_t page = 4096;

GuardedBuffer::GuardedBuffer(size_t bytes, size_t alignment) : bytes(bytes) {
  size_t used = (bytes + alignment - 1) / alignment * alignment;
  size_t pages = (used + page - 1) / page * page + page;
  mapped = pages;
  void *memory = mmap(nullptr, pages, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    perror("mmap");
    abort();
  }
  mapping = static_cast<char *>(memory);
  // What lies around the data must not be harmless zeros.
  memset(mapping, 0xEE, pages - page);
  mprotect(mapping + pages - page, page, PROT_NONE);
  start = mapping + pages - page - used;
}

GuardedBuffer::~GuardedBuffer() {
  if (mapping)
    munmap(mapping, mapped);
}

GuardedBuffer::GuardedBuffer(GuardedBuffer &&other) noexcept
    : mapping(std::exchange(other.mapping, nullptr)), mapped(other.mapped),
      start(other.start), bytes(other.bytes) {}

static std::map<void *, GuardedBuffer> &blocks() {
  static std::map<void *, GuardedBuffer> live;
  return live;
}

void *guardedAlloc(uint64_t alignment, uint64_t bytes) {
  GuardedBuffer buffer(bytes, alignment);
  void *data = buffer.data();
  blocks().emplace(data, std::move(buffer));
  return data;
}

void guardedFree(void *memory) { blocks().erase(memory); }

size_t liveBlocks() { return blocks().size(); }

} // namespace tapestry::test
