//===- Progress.cpp - How far a run has come ------------------------------===//

#include "Run/Progress.h"
#include "Core/Machine.h"
#include "tapestry-rt/Status.h"
#include <cstdio>
#include <unistd.h>

using namespace tapestry::rt;

static constexpr int64_t second = 1000000000;

Progress::Progress(std::string tool, int64_t runs, bool enabled)
    : tool(std::move(tool)), runs(runs), enabled(enabled),
      terminal(isatty(STDERR_FILENO)), begin(nowNanoseconds()),
      due(begin + second) {}

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
  due = now + second;
  std::string line = format("%s: run %lld of %lld, %s, %.0f s", tool.c_str(),
                            static_cast<long long>(run.load() + 1),
                            static_cast<long long>(runs), place.load(),
                            static_cast<double>(now - begin) * 1e-9);
  fprintf(stderr, terminal ? "\r\x1b[K%s" : "%s\n", line.c_str());
  visible = terminal;
}

void Progress::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (visible)
    fputs("\r\x1b[K", stderr);
  visible = false;
}
