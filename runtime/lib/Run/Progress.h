//===- Progress.h - How far a run has come ----------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_RUN_PROGRESS_H
#define TAPESTRY_RT_RUN_PROGRESS_H

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace tapestry {
namespace rt {

/// Lines on standard error: on a terminal one that updates itself every second,
/// otherwise plain lines every ten. Rank 0 notes where
/// it is; any thread of its process may make the lines appear.
class Progress {
public:
  /// `tool` stands before each line.
  Progress(std::string tool, int64_t runs, bool enabled,
           double patienceSeconds);

  /// Rank 0 is in run number `run` (from 0) at `place`, a text that stays.
  void note(int64_t run, const char *place);
  /// Prints a line if it is time for one; cheap if not.
  void tick(int64_t now);
  /// Rank `rank` has waited so long for `peer`: a line once in a while, for one
  /// of the ranks of this process.
  void waits(int rank, const char *what, int peer, double seconds);
  /// Removes the updating line, so that other text can follow.
  void clear();

private:
  const std::string tool;
  const int64_t runs;
  const bool enabled;
  const bool terminal;
  const int64_t begin;
  const int64_t patience;
  std::atomic<int64_t> due;
  std::atomic<int64_t> waitDue{0};
  std::atomic<int64_t> run{0};
  std::atomic<const char *> place{"start"};
  std::mutex mutex; // guards the line on the terminal
  bool visible = false;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_PROGRESS_H
