//===- LocalTransport.h - Ranks that are threads of one process -*- C++ -*-===//
//
// The `local` back end: a message is a pointer to the sender's memory, and the
// receiver copies or combines straight out of it.
// A rank waits for another as long as that takes: a thread that is there works
// or waits itself.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_LOCAL_LOCALTRANSPORT_H
#define TAPESTRY_RT_LOCAL_LOCALTRANSPORT_H

#include "tapestry-rt/Transport.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tapestry {
namespace rt {

/// Where the ranks of a process meet. Make one, give each rank's thread its
/// endpoint, and keep it until all threads are gone.
class LocalHub {
public:
  /// `spin`: wait actively for some microseconds before sleeping; pays where
  /// every rank has a processor. `bytesPerSecond`: what a rank sends goes out
  /// one message after another and takes at least so long; 0: no time.
  LocalHub(int ranks, bool spin, double bytesPerSecond = 0);
  ~LocalHub();

  Transport &endpoint(int rank);
  int size() const { return static_cast<int>(endpoints.size()); }

  /// Records the first failure and wakes all ranks that wait.
  void abort(int status, const char *message);
  bool aborted() const { return stop.load(std::memory_order_acquire); }
  /// The first failure's; 0 and empty where there was none.
  int abortStatus() const;
  std::string abortMessage() const;

  /// A rank has run to its end, well or not; returns when all have, so that
  /// nobody reads memory of a rank that is gone.
  void leave();
  /// A rank's thread waits here until all threads exist; returns false where
  /// they could not all be started. Needs no memory: that may be what lacks.
  bool waitToStart();
  void startAll();
  /// So many ranks will never leave because they could not be started.
  void neverStarted(int ranks);
  /// For the thread that started the ranks: waits until all have left or one
  /// has failed, so many seconds at most. Returns whether that is so.
  bool waitForEnd(double seconds);
  /// Waits until all have left, so many seconds at most. Returns whether all
  /// have.
  bool waitForAll(double seconds);

private:
  friend class LocalEndpoint;
  using Clock = std::chrono::steady_clock;

  /// When the last of so many bytes arrives that leave one after another.
  Clock::time_point arrival(Clock::time_point sent, int64_t bytes) const;

  std::vector<std::unique_ptr<class LocalEndpoint>> endpoints;
  const bool spin;
  const double bytesPerSecond;

  std::atomic<bool> stop{false};
  mutable std::mutex mutex; // guards what follows
  std::condition_variable changed;
  int status = 0;
  std::string text;
  bool started = false;
  int left = 0;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_LOCAL_LOCALTRANSPORT_H
