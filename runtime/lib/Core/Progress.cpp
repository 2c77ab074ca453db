//===- Progress.cpp - How far a run has come ------------------------------===//

#include "Core/Progress.h"
#include "Core/Machine.h"
#include <cstdio>
#include <unistd.h>

using namespace tapestry::rt;

Progress::Progress(bool enabled)
    : enabled(enabled), terminal(isatty(STDERR_FILENO)),
      last(nowNanoseconds()) {}

void Progress::show(int64_t now, const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  last = now;
  fprintf(stderr, terminal ? "\r\x1b[K%s" : "%s\n", text.c_str());
  visible = terminal;
}

void Progress::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  if (visible)
    fputs("\r\x1b[K", stderr);
  visible = false;
}
