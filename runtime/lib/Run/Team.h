//===- Team.h - The threads of one rank -------------------------*- C++ -*-===//
//
// A kernel that is large enough is run by several threads, the rank's own and
// helpers that wait for the next one: each runs the same code and computes its
// share of the points (`tapestry_rt_share`). The bits do not depend on how many
// there are, for no reduction is divided.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_RUN_TEAM_H
#define TAPESTRY_RT_RUN_TEAM_H

#include "tapestry-rt/ABI.h"
#include "tapestry-rt/Status.h"
#include <atomic>
#include <condition_variable>
#include <csetjmp>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <vector>

namespace tapestry {
namespace rt {

class Handle;
class Team;

/// What one thread of a team does of a kernel.
struct Part {
  Team *team = nullptr;
  int64_t number = 0;
  // Of the kernel at hand:
  int64_t count = 1;
  int64_t live = 0; ///< bytes that it has allocated
  int64_t peak = 0;
  jmp_buf exit;

  /// The one that the calling thread runs, or null.
  static Part *&current();
  /// Allocates so many bytes, or frees.
  void take(int64_t bytes) {
    live += bytes;
    peak = live > peak ? live : peak;
  }
  /// Leaves the kernel; all parts do, and then the rank. The frames of
  /// generated code have nothing to clean up.
  [[noreturn]] void leave(const Status &status);
};

class Team {
public:
  /// `threads` in all, the calling one, of `owner`, included. They stay on
  /// `cores`, as many, where there are any.
  Team(Handle &owner, int threads, std::vector<int> cores);
  ~Team();
  Team(const Team &) = delete;
  Team &operator=(const Team &) = delete;

  /// Runs a kernel that takes about `work` nanoseconds. Its peak is as many
  /// times that of a part as there are parts, whenever they begin. Fails where
  /// a part has left it.
  Status run(TapestryKernelFunction function, void *arguments, int64_t work);

private:
  friend struct Part;
  struct Helper;

  /// Waits until `done` of atomic variables that others change before they call
  /// `wake`.
  template <typename Done> void wait(Done done);
  void wake();

  Status start(int helpers);
  void help(Helper &helper);
  void runPart(Part &part);
  static void *runHelper(void *helper);

  Handle &owner;
  const int threads;
  const std::vector<int> cores;
  Part first;
  std::vector<std::unique_ptr<Helper>> helpers; // started when first needed

  // The kernel at hand.
  TapestryKernelFunction function = nullptr;
  void *arguments = nullptr;
  int64_t parts = 1;
  std::atomic<int64_t> finished{0};

  std::mutex mutex; // guards `failure` and what waits
  std::condition_variable changed;
  Status failure;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_RUN_TEAM_H
