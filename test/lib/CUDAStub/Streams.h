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
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

namespace tapestry {
namespace stub {

class Work {
public:
  virtual ~Work() = default;
  /// Does it, on the stream's own thread.
  virtual void run() = 0;
  /// Whether, after `run`, it is as if that had not returned.
  virtual bool isStuck() const = 0;
};

/// One stream.
class StreamQueue {
public:
  explicit StreamQueue(int device) : device(device) {}
  ~StreamQueue();

  void tell(std::unique_ptr<Work> work);
  /// Returns when so many works are done, or one of them never will be.
  void wait(uint64_t number);
  void settle() { wait(toldSoFar()); }
  bool isDone(uint64_t number);
  uint64_t toldSoFar();

  const int device; ///< its number

private:
  void loop();

  std::thread thread;
  std::mutex mutex; // guards what follows
  std::condition_variable changed;
  std::deque<std::unique_ptr<Work>> works;
  uint64_t told = 0, done = 0;
  bool isStuck = false, ends = false;
};

/// What comes behind works of another stream.
class WaitWork final : public Work {
public:
  WaitWork(std::shared_ptr<StreamQueue> other, uint64_t number)
      : other(std::move(other)), number(number) {}
  void run() override { other->wait(number); }
  bool isStuck() const override { return !other->isDone(number); }

private:
  std::shared_ptr<StreamQueue> other;
  uint64_t number;
};

/// Those of all devices.
class Streams {
public:
  static Streams &all() {
    static Streams &streams = *new Streams;
    return streams;
  }
  StreamQueue *make(int device);
  void end(StreamQueue *queue);
  std::shared_ptr<StreamQueue> find(StreamQueue *queue);
  /// Returns when all that a device was told is done.
  void settle(int device);

private:
  std::mutex mutex;
  std::map<StreamQueue *, std::shared_ptr<StreamQueue>> queues;
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
