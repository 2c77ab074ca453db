//===- Watch.h - What threads of a launch touch -----------------*- C++ -*-===//
//
// Sees two threads at one place with nothing between that orders them, who is
// beside the buffer that it was given, and who is where a GPU cannot read.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_TEST_LIB_CUDASTUB_WATCH_H
#define TAPESTRY_TEST_LIB_CUDASTUB_WATCH_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace tapestry {
namespace stub {

/// Where some memory begins and ends.
struct Stretch {
  uintptr_t begin = 0, end = 0;
  bool contains(uintptr_t from, uintptr_t to) const {
    return begin <= from && to <= end && from <= to;
  }
};

/// The allocation of the device that an address lies in, or nothing
/// (Driver.cpp).
Stretch findAllocation(uintptr_t address);

class Watch {
public:
  /// Nothing has been touched by a launch.
  void beginLaunch();
  void beginBlock() { ++round; }
  /// All threads of the block were at a barrier.
  void passBarrier() { ++round; }
  /// Memory of the block.
  void share(uintptr_t begin, size_t bytes);

  /// Of one element, or of several side by side.
  struct Access {
    uintptr_t base, address;
    int64_t bytes, elementBytes;
    /// What the address has to be a multiple of.
    int64_t alignment;
    bool writes;
    int64_t block, thread;
  };
  /// Says what is wrong with it, or nothing.
  std::string note(const Access &access);

private:
  /// Who has written and read a place since a time, by numbers of threads or
  /// blocks.
  struct Touched {
    int64_t since = -1;
    int32_t writer = -1, reader = -1, another = -1; ///< another reader

    /// Who else it is that `who` comes across, or -1.
    int32_t add(int64_t now, int32_t who, bool writes);
  };
  /// Of four bytes, or of each byte where elements are less.
  struct Place {
    Touched byThread, byBlock;
  };
  struct Buffer {
    uintptr_t base = 0;
    Stretch within;
    bool isShared = false;
    std::vector<Place> *places = nullptr;
  };

  const Buffer &find(uintptr_t base);
  std::string findRace(const Access &access, const Buffer &buffer);

  /// Those of this launch. There are few.
  std::vector<Buffer> buffers;
  /// By where buffers begin; what is older than this launch does not count.
  std::unordered_map<uintptr_t, std::vector<Place>> places;
  int64_t round = 0, launch = 0;
};

} // namespace stub
} // namespace tapestry

#endif // TAPESTRY_TEST_LIB_CUDASTUB_WATCH_H
