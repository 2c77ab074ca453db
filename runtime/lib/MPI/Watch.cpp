//===- Watch.cpp - Ends calls that never return ---------------------------===//

#include "MPI/Watch.h"
#include "tapestry-rt/Runtime.h"
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <thread>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

static double seconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return double(now.tv_sec) + double(now.tv_nsec) * 1e-9;
}

Watch::Guard::Guard(Watch &watch, const char *what) : watch(watch) {
  watch.start();
  watch.what = what;
  watch.since.store(seconds(), std::memory_order_release);
}

void Watch::start() {
  if (started)
    return;
  started = true;
  std::thread([this] { look(); }).detach();
}

void Watch::look() {
  double pause = std::clamp(timeoutSeconds / 8, 0.01, 10.0);
  while (true) {
    usleep(static_cast<useconds_t>(pause * 1e6));
    double begin = since.load(std::memory_order_acquire);
    if (begin == 0 || seconds() - begin < timeoutSeconds)
      continue;
    // No file is under way while the program runs, so nothing is left behind.
    fprintf(stderr,
            "rank %d: %s: waited %g seconds for the other ranks; gave "
            "up\n",
            rank, what.load(), timeoutSeconds);
    fflush(stderr);
    _exit(ExitRankFailed);
  }
}
