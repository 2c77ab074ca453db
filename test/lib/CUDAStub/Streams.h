//===- Streams.h - What streams of the tests' driver do ---------*- C++ -*-===//
//
// The driver does at once what it is told. A library above it may tell a stream
// what goes on beside the host (NCCLStub): all that the stream is told later
// comes behind that.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_STUB_STREAMS_H
#define TAPESTRY_STUB_STREAMS_H

#include "CUDA/DriverAPI.h"
#include <cstdint>
#include <deque>
#include <memory>

namespace tapestry {
namespace stub {

class Work {
public:
  virtual ~Work() = default;
  /// Goes on with it, as far as that is possible or, where it waits, to its
  /// end. Returns whether it is done.
  virtual bool advance(bool waits) = 0;
};

/// One stream, of one thread.
class StreamQueue {
public:
  explicit StreamQueue(int device) : device(device) {}

  void tell(std::unique_ptr<Work> work) {
    works.push_back(std::move(work));
    ++told;
  }
  /// Returns when all is done.
  void settle() { (void)goOn(told, /*waits=*/true); }
  /// Whether so many works are done, after going on with them.
  bool goOn(uint64_t number, bool waits) {
    while (!works.empty() && told - works.size() < number) {
      if (!works.front()->advance(waits))
        return false;
      works.pop_front();
    }
    return true;
  }
  uint64_t toldSoFar() const { return told; }

  const int device; ///< its number

private:
  std::deque<std::unique_ptr<Work>> works;
  uint64_t told = 0;
};

// What the driver exports for such libraries.
using TellFn = void (*)(rt::cuda::Stream stream, Work *work);
constexpr const char *tellName = "tapestryStubTell";
/// The number of the device of a stream or, of none, of the thread; -1: none.
using DeviceFn = int (*)(rt::cuda::Stream stream);
constexpr const char *deviceName = "tapestryStubDevice";

} // namespace stub
} // namespace tapestry

#endif // TAPESTRY_STUB_STREAMS_H
