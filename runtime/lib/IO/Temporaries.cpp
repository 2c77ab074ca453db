//===- Temporaries.cpp - Unfinished files, removed on any exit ------------===//
//
// A signal handler may only look at memory that is complete at any moment, so
// names lie in a fixed table of slots whose pointers are set and cleared as a
// whole.
//
//===----------------------------------------------------------------------===//

#include "IO/Temporaries.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <unistd.h>

using namespace tapestry::rt;

// More outputs than this in one program lose only the removal by signals.
static constexpr int numSlots = 256;
static std::atomic<char *> slots[numSlots];

void tapestry::rt::noteTemporary(const std::string &path) {
  char *name = strdup(path.c_str());
  for (std::atomic<char *> &slot : slots) {
    char *empty = nullptr;
    if (slot.compare_exchange_strong(empty, name))
      return;
  }
  free(name);
}

void tapestry::rt::forgetTemporary(const std::string &path) {
  for (std::atomic<char *> &slot : slots) {
    char *name = slot.load();
    if (name && path == name && slot.compare_exchange_strong(name, nullptr))
      free(name);
  }
}

void tapestry::rt::unlinkTemporaries() {
  for (std::atomic<char *> &slot : slots)
    if (char *name = slot.load())
      unlink(name);
}

void tapestry::rt::removeTemporaries() {
  unlinkTemporaries();
  for (std::atomic<char *> &slot : slots)
    free(slot.exchange(nullptr));
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

static constexpr int guarded[] = {SIGINT, SIGTERM, SIGHUP};
static struct sigaction previous[std::size(guarded)];
static std::atomic<int> guards{0};

static void onSignal(int number) {
  unlinkTemporaries();
  for (size_t i = 0; i < std::size(guarded); ++i)
    if (guarded[i] == number)
      sigaction(number, &previous[i], nullptr);
  // Delivered as soon as this handler returns.
  raise(number);
}

SignalGuard::SignalGuard() {
  if (guards.fetch_add(1) != 0)
    return;
  struct sigaction action = {};
  action.sa_handler = onSignal;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < std::size(guarded); ++i) {
    sigaction(guarded[i], nullptr, &previous[i]);
    // What the caller ignores (nohup) stays ignored.
    if (previous[i].sa_handler != SIG_IGN)
      sigaction(guarded[i], &action, nullptr);
  }
}

SignalGuard::~SignalGuard() {
  if (guards.fetch_sub(1) != 1)
    return;
  for (size_t i = 0; i < std::size(guarded); ++i)
    sigaction(guarded[i], &previous[i], nullptr);
}
