//===- GuardedBuffer.h - Memory that faults one byte past its end -*- C++
//-*-===//
//
// Buffers of the code generation tests. Each ends at a page that cannot be
// touched, so that a vector access past the last element ends the test.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_UNITTESTS_CODEGEN_GUARDEDBUFFER_H
#define TAPESTRY_UNITTESTS_CODEGEN_GUARDEDBUFFER_H

#include <cstddef>
#include <cstdint>

namespace tapestry::test {

class GuardedBuffer {
public:
  /// `bytes` that end at a guard page, but for what `alignment` requires.
  explicit GuardedBuffer(size_t bytes, size_t alignment = 1);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer &&other) noexcept;
  GuardedBuffer(const GuardedBuffer &) = delete;
  GuardedBuffer &operator=(const GuardedBuffer &) = delete;

  char *data() const { return start; }
  size_t size() const { return bytes; }

private:
  char *mapping = nullptr;
  size_t mapped = 0;
  char *start = nullptr;
  size_t bytes = 0;
};

/// The runtime's allocation functions, guarded, for compiled code. Returns the
/// number of blocks that are not freed.
void *guardedAlloc(uint64_t alignment, uint64_t bytes);
void guardedFree(void *memory);
size_t liveBlocks();

} // namespace tapestry::test

#endif // TAPESTRY_UNITTESTS_CODEGEN_GUARDEDBUFFER_H
