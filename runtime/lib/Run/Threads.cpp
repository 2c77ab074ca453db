//===- Threads.cpp - Ranks that are threads of this process ---------------===//

#include "Run/Threads.h"
#include "Core/Machine.h"
#include "tapestry-rt/Files.h"
#include <pthread.h>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

// How long ranks that are busy may take to notice that another one failed.
static constexpr double graceSeconds = 1;
// How often to see whether a line of progress is due.
static constexpr double progressSeconds = 0.25;
// Generated code keeps small buffers on the stack.
static constexpr size_t stackBytes = size_t(8) << 20;

namespace {
struct ThreadStart {
  LocalHub *hub;
  const RankWork *work;
  int rank;
};
} // namespace

static void *runThread(void *argument) {
  auto &start = *static_cast<ThreadStart *>(argument);
  if (start.hub->waitToStart())
    (*start.work)(*start.hub, start.rank);
  else
    start.hub->leave();
  return nullptr;
}

int tapestry::rt::startThread(pthread_t &thread, void *(*function)(void *),
                              void *argument) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stackBytes);
  int error = pthread_create(&thread, &attributes, function, argument);
  pthread_attr_destroy(&attributes);
  return error;
}

/// Starts one thread per entry; returns how many could be started.
static size_t startThreads(std::vector<ThreadStart> &starts,
                           std::vector<pthread_t> &threads, int &error) {
  for (ThreadStart &start : starts) {
    pthread_t thread;
    error = startThread(thread, runThread, &start);
    if (error != 0)
      break;
    threads.push_back(thread);
  }
  return threads.size();
}

Status tapestry::rt::runThreads(int ranks, const RankWork &work,
                                const ThreadOptions &options) {
  LocalHub hub(ranks, /*spin=*/ranks <= availableCores(),
               options.bytesPerSecond);
  std::vector<ThreadStart> starts;
  for (int rank = 0; rank < ranks; ++rank)
    starts.push_back({&hub, &work, rank});
  std::vector<pthread_t> threads;
  int error = 0;
  auto started = static_cast<int>(startThreads(starts, threads, error));
  if (started < ranks) {
    std::string message =
        options.prefix +
        format("cannot start %d ranks as threads: %d started, then: %s", ranks,
               started, errnoText(error).c_str());
    hub.abort(ExitEnvironment, message.c_str());
    hub.neverStarted(ranks - started);
  }
  hub.startAll();

  while (!hub.waitForEnd(progressSeconds))
    if (options.tick)
      options.tick();
  if (!hub.waitForAll(graceSeconds)) {
    if (options.giveUp) {
      // Some rank computes on and cannot be interrupted.
      options.giveUp(hub.abortMessage());
      removeTemporaries();
      _exit(hub.abortStatus());
    }
    while (!hub.waitForAll(3600))
      ;
  }
  for (pthread_t thread : threads)
    pthread_join(thread, nullptr);
  if (int status = hub.abortStatus())
    return Status::failure(static_cast<ExitStatus>(status), hub.abortMessage());
  return Status::success();
}
