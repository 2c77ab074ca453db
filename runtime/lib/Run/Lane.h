//===- Lane.h - What a rank does beside its program -------------*- C++ -*-===//
//
// Collectives that have been started go on in a thread of their own, one after
// another in the order of their starts, which is the same on all ranks. The
// program's thread and this one use the rank's transport in turns: what the
// program's thread sends goes behind what has been started.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_LANE_H
#define TAPESTRY_RT_RUN_LANE_H

#include "tapestry-rt/Status.h"
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace tapestry {
namespace rt {

/// All functions are for the thread that made it.
class Lane {
public:
  using Work = std::function<Status()>;

  /// Its thread, which is started when it is first needed, may move between
  /// `cores`.
  explicit Lane(std::vector<int> cores) : cores(std::move(cores)) {}
  ~Lane() { stop(); }
  Lane(const Lane &) = delete;
  Lane &operator=(const Lane &) = delete;

  /// Has `work` done behind all that was handed over before; after a failure it
  /// is left out. Returns its number, or fails where there is no thread.
  Status start(Work work, int64_t &number);
  /// Returns when the work of this number is done: the first failure of the
  /// lane.
  Status wait(int64_t number);
  /// Waits for all that was started.
  Status settle() { return started == 0 ? Status::success() : wait(started); }
  /// Ends the thread behind what it is doing now; nothing can be started then.
  void stop();

private:
  void run();
  static void *runThread(void *lane);

  const std::vector<int> cores;
  int64_t started = 0; ///< the number of the last
  bool hasThread = false;
  pthread_t thread;

  std::mutex mutex; // guards what follows
  std::condition_variable changed;
  std::deque<Work> queue;
  int64_t done = 0;
  bool ends = false;
  Status failure;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_LANE_H
