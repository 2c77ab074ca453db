//===- Team.cpp - The threads of one rank ---------------------------------===//

#include "Run/Team.h"
#include "Core/Machine.h"
#include "Run/Handle.h"
#include "Run/Threads.h"
#include "tapestry-rt/Spin.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::rt;

struct Team::Helper {
  Part part;
  pthread_t thread;
  /// Kernels that it was asked to take part in, and ends after.
  std::atomic<uint64_t> asked{0};
  std::atomic<bool> ends{false};
};

Part *&Part::current() {
  static thread_local Part *part = nullptr;
  return part;
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Most waits are for threads that work alongside and are short; the next
/// kernel may be long in coming.
template <typename Done> void Team::wait(Done done) {
  for (int turn = 0; turn < spinTurns; ++turn) {
    if (done())
      return;
    pauseBriefly();
  }
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, done);
}

void Team::wake() {
  // Whoever has looked in vain sleeps by the time that the lock can be had.
  {
    std::lock_guard<std::mutex> lock(mutex);
  }
  changed.notify_all();
}

void Part::leave(const Status &status) {
  {
    std::lock_guard<std::mutex> lock(team->mutex);
    if (!team->failure.failed())
      team->failure = status;
  }
  longjmp(exit, 1);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

Team::Team(Handle &owner, int threads, std::vector<int> cores)
    : owner(owner), threads(threads), cores(std::move(cores)) {
  if (!this->cores.empty())
    stayOnCore(this->cores.front());
  first.team = this;
}

Team::~Team() {
  for (auto &helper : helpers)
    helper->ends = true;
  wake();
  for (auto &helper : helpers)
    pthread_join(helper->thread, nullptr);
}

void *Team::runHelper(void *argument) {
  auto &helper = *static_cast<Helper *>(argument);
  helper.part.team->help(helper);
  return nullptr;
}

void Team::help(Helper &helper) {
  if (!cores.empty())
    stayOnCore(cores[helper.part.number]);
  Handle::current() = &owner;
  for (uint64_t seen = 0;; ++seen) {
    wait([&] { return helper.asked != seen || helper.ends; });
    if (helper.asked == seen)
      return;
    runPart(helper.part);
    // Behind that the next kernel may begin.
    int64_t others = helper.part.count - 1;
    if (finished.fetch_add(1) + 1 == others)
      wake();
  }
}

/// Starts helpers until there are so many.
Status Team::start(int count) {
  while (static_cast<int>(helpers.size()) < count) {
    auto helper = std::make_unique<Helper>();
    helper->part.team = this;
    helper->part.number = static_cast<int64_t>(helpers.size()) + 1;
    int error = startThread(helper->thread, runHelper, helper.get());
    if (error != 0)
      return Status::failure(ExitEnvironment,
                             format("cannot start thread %zu of %d: %s",
                                    helpers.size() + 2, threads,
                                    errnoText(error).c_str()));
    helpers.push_back(std::move(helper));
  }
  return Status::success();
}

void Team::runPart(Part &part) {
  part.count = parts;
  part.live = part.peak = 0;
  if (setjmp(part.exit) == 0) {
    Part::current() = &part;
    function(arguments);
  }
  Part::current() = nullptr;
}

Status Team::run(TapestryKernelFunction kernel, void *of, int64_t work) {
  parts = tapestry_rt_parts(work, threads);
  if (Status status = start(static_cast<int>(parts) - 1); status.failed())
    return status;
  function = kernel;
  arguments = of;
  finished = 0;
  for (int64_t number = 1; number < parts; ++number)
    ++helpers[number - 1]->asked;
  if (parts > 1)
    wake();
  runPart(first);
  wait([this] { return finished == parts - 1; });
  int64_t peak = first.peak;
  for (int64_t number = 1; number < parts; ++number)
    peak = std::max(peak, helpers[number - 1]->part.peak);
  owner.reach(parts * peak);
  return failure;
}
