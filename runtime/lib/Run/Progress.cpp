//===- Progress.cpp - How far a run has come ------------------------------===//

#include "Run/Progress.h"
#include "Core/Machine.h"
#include "tapestry-rt/Status.h"
#include <cstdio>
#include <unistd.h>

using namespace tapestry::rt;

static constexpr int64_t second = 1000000000;

// How often a line tells how far a run is; nobody watches a file.
static constexpr int64_t watchedPause = second;
static constexpr int64_t loggedPause = 10 * second;

Progress::Progress(std::string tool, int64_t runs, bool enabled,
                   double patienceSeconds)
    : tool(std::move(tool)), runs(runs), enabled(enabled),
      terminal(isatty(STDERR_FILENO)), begin(nowNanoseconds()),
      patience(static_cast<int64_t>(patienceSeconds * second)),
      due(begin + (terminal ? watchedPause : loggedPause)) {}

void Progress::note(int64_t newRun, const char *newPlace) {
  run.store(newRun, std::memory_order_relaxed);
  place.store(newPlace, std::memory_order_relaxed);
}

void Progress::tick(int64_t now) {
  if (!enabled || now < due.load(std::memory_order_relaxed))
    return;
  std::lock_guard<std::mutex> lock(mutex);
  if (now < due.load())
    return; // another thread was faster
  due = now + (terminal ? watchedPause : loggedPause);
  std::string line = format(
      "%s: run %lld of %lld, %s, %.0f s", tool.c_str(),
      static_cast<long long>(run.load() + 1), static_cast<long long>(runs),
      printable(place.load()).c_str(), static_cast<double>(now - begin) * 1e-9);
  fprintf(stderr, terminal ? "\r\x1b[K%s" : "%s\n", line.c_str());
  visible = terminal;
}

void Progress::waits(int rank, const char *what, int peer, double seconds) {
  // Of many processes that wait, some are enough.
  constexpr int mostProcesses = 4;
  int64_t now = nowNanoseconds();
  int64_t next = waitDue.load();
  if (!enabled || rank >= mostProcesses || seconds * second < patience ||
      now < next || !waitDue.compare_exchange_strong(next, now + patience))
    return;
  clear();
  fprintf(stderr, "%s: rank %d has waited %.0f s for rank %d in %s\n",
          tool.c_str(), rank, seconds, peer, what);
}

void Progress::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (visible)
    fputs("\r\x1b[K", stderr);
  visible = false;
}
