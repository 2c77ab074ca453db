//===- Threads.h - Ranks that are threads of this process -------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_THREADS_H
#define TAPESTRY_RT_RUN_THREADS_H

#include "Local/LocalTransport.h"
#include "tapestry-rt/Status.h"
#include <functional>
#include <pthread.h>

namespace tapestry {
namespace rt {

/// What one rank does. It ends by `leave` of the hub; what other ranks may read
/// stays until that returns. A failure is told by the endpoint's `abort`.
using RankWork = std::function<void(LocalHub &hub, int rank)>;

struct ThreadOptions {
  /// Stands before messages that no rank words: "prog: error: ".
  std::string prefix = "error: ";
  /// As LocalHub's.
  double bytesPerSecond = 0;
  /// Called several times a second while ranks run; may be null.
  std::function<void()> tick;
  /// Prints a failure whose ranks do not come back within a second, after which
  /// the process ends; null: they are waited for.
  std::function<void(const std::string &)> giveUp;
};

/// Starts a thread with a stack that generated code can run on; returns the
/// error's number, or 0.
int startThread(pthread_t &thread, void *(*function)(void *), void *argument);

/// Runs `work` on so many ranks and returns the first failure.
Status runThreads(int ranks, const RankWork &work,
                  const ThreadOptions &options = {});

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_THREADS_H
