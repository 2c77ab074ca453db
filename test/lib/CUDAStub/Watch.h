//===- Watch.h - What threads of a launch touch ------------------*- C++
//-*-===//
//
// Sees two threads at one place with nothing between that orders them, and who
// is beside the buffer that it was given.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_TEST_LIB_CUDASTUB_WATCH_H
#define TAPESTRY_TEST_LIB_CUDASTUB_WATCH_H

#include <cstdint>
#include <string>
#include <unordered_map>

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
  void beginLaunch() {
    byBlock.clear();
    known.clear();
  }
  void beginBlock() {
    byThread.clear();
    round = 0;
  }
  /// All threads of the block were at a barrier.
  void passBarrier() { ++round; }

  struct Access {
    uintptr_t base, address;
    int64_t bytes;
    bool writes;
    int64_t block, thread;
    Stretch shared; ///< the memory of the block that `base` is of, or nothing
  };
  /// Says what is wrong with it, or nothing.
  std::string note(const Access &access);

private:
  /// Of a place: who has written and read it, by numbers of threads or blocks.
  struct Touched {
    int64_t round = -1;
    int64_t writer = -1, reader = -1, another = -1; ///< another reader

    /// Who else it is that `who` comes across, or -1.
    int64_t add(int64_t who, bool writes);
  };

  std::string findRace(const Access &access);

  std::unordered_map<uintptr_t, Touched> byThread, byBlock;
  /// Allocations by what points into them.
  std::unordered_map<uintptr_t, Stretch> known;
  int64_t round = 0;
};

} // namespace stub
} // namespace tapestry

#endif // TAPESTRY_TEST_LIB_CUDASTUB_WATCH_H
