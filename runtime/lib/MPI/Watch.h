//===- Watch.h - Ends calls that never return -------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_MPI_WATCH_H
#define TAPESTRY_RT_MPI_WATCH_H

#include <atomic>

namespace tapestry {
namespace rt {

/// MPI's blocking collectives wait for a lost rank forever. A thread looks at
/// how long the present one has taken and ends the process with a message and
/// the status of a failed rank; the launcher then ends the others.
class Watch {
public:
  Watch(int rank, double timeoutSeconds)
      : rank(rank), timeoutSeconds(timeoutSeconds) {}

  /// For the length of one call; `what` stands in the message.
  class Guard {
  public:
    Guard(Watch &watch, const char *what);
    ~Guard() { watch.since.store(0, std::memory_order_release); }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

  private:
    Watch &watch;
  };

private:
  void start();
  [[noreturn]] void look();

  const int rank;
  const double timeoutSeconds;
  bool started = false;
  std::atomic<const char *> what{""};
  std::atomic<double> since{0}; // when the present call began; 0: there is none
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MPI_WATCH_H
