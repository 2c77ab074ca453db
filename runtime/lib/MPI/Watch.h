//===- Watch.h - Ends calls that never return -------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_MPI_WATCH_H
#define TAPESTRY_RT_MPI_WATCH_H

#include "MPI/Vigil.h"

namespace tapestry {
namespace rt {

/// MPI's blocking collectives wait for a lost rank forever. A thread looks
/// after the members of the present one; where one is lost, it ends the process
/// with a message and the status of a failed rank, and the launcher ends the
/// others.
class Watch {
public:
  Watch(int rank, Vigil &vigil, double timeoutSeconds)
      : rank(rank), vigil(vigil), timeoutSeconds(timeoutSeconds) {}

  /// For the length of one call among `members`; `what` stands in the message.
  class Guard {
  public:
    Guard(Watch &watch, const char *what, const std::vector<int> &members)
        : watch(watch) {
      watch.begin(what, members);
    }
    ~Guard() { watch.end(); }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

  private:
    Watch &watch;
  };

private:
  void begin(const char *newWhat, const std::vector<int> &newMembers);
  void end();
  [[noreturn]] void look();

  const int rank;
  Vigil &vigil;
  const double timeoutSeconds;
  bool started = false;
  std::mutex mutex; // guards what follows
  const char *what = "";
  const std::vector<int> *members = nullptr; // null: there is no call
  uint64_t call = 0;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_MPI_WATCH_H
