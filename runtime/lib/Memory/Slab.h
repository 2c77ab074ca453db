//===- Slab.h - Memory that is mapped once ----------------------*- C++ -*-===//
//
// One stretch of memory of which pieces are taken and given back: what was two
// pieces that lie side by side is one for who comes next.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_MEMORY_SLAB_H
#define TAPESTRY_RT_MEMORY_SLAB_H

#include <cstdint>
#include <map>

namespace tapestry {
namespace rt {

class Slab {
public:
  Slab() = default;
  ~Slab();
  Slab(const Slab &) = delete;
  Slab &operator=(const Slab &) = delete;

  /// Pieces are whole pages.
  static constexpr uint64_t page = 4096;

  /// Maps `bytes`, a multiple of a page, once; false where the system refuses.
  bool map(uint64_t bytes);
  /// Hands out what somebody else has, and gives nothing of it back to whom.
  void use(char *memory, uint64_t size);
  /// Bytes that are mapped.
  uint64_t size() const { return bytes; }
  bool contains(const void *memory) const {
    return memory >= start && memory < start + bytes;
  }

  /// A piece of `wanted` bytes, a multiple of a page; null where none is left
  /// of that size. Its contents are undefined.
  char *take(uint64_t wanted);
  /// Gives back what `take` has returned for as many bytes.
  void give(char *piece, uint64_t wanted);

private:
  char *start = nullptr;
  uint64_t bytes = 0;
  char *mapped = nullptr;
  uint64_t mappedBytes = 0;
  std::map<uint64_t, uint64_t> holes; // where, and how large
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MEMORY_SLAB_H
