//===- Temporaries.cpp - Unfinished files, removed on any exit ------------===//
//
// A signal handler may only look at memory that is complete at any moment, so
// names lie in a fixed table of slots whose pointers are set and cleared as a
// whole, and none is freed while somebody may look at it.
//
//===----------------------------------------------------------------------===//

#include "tapestry-rt/Files.h"
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <mutex>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tapestry::rt;

// More outputs than this in one program lose only the removal by signals.
static constexpr size_t numSlots = 256;
static std::atomic<char *> slots[numSlots];
static std::mutex forgetting;
/// How many unlink, without a lock: a handler could wait for its own thread.
static std::atomic<int> unlinking{0};

/// Empties a slot, whose name is lost where it may be in use.
static void clear(std::atomic<char *> &slot) {
  char *name = slot.exchange(nullptr);
  if (unlinking.load() == 0)
    free(name);
}

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
  std::lock_guard<std::mutex> lock(forgetting);
  for (std::atomic<char *> &slot : slots)
    if (const char *name = slot.load(); name && path == name)
      clear(slot);
}

static void removeNow(const char *path) {
  if (unlink(path) != 0 && errno == EISDIR)
    rmdir(path);
}

void tapestry::rt::removeTemporary(const std::string &path) {
  removeNow(path.c_str());
  forgetTemporary(path);
}

void tapestry::rt::unlinkTemporaries() {
  unlinking.fetch_add(1);
  // Folders are noted before what is in them.
  for (size_t i = numSlots; i-- > 0;)
    if (char *name = slots[i].load())
      removeNow(name);
  unlinking.fetch_sub(1);
}

void tapestry::rt::removeTemporaries() {
  unlinkTemporaries();
  std::lock_guard<std::mutex> lock(forgetting);
  for (std::atomic<char *> &slot : slots)
    clear(slot);
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

static constexpr int guarded[] = {SIGINT,  SIGQUIT, SIGTERM, SIGHUP,
                                  SIGPIPE, SIGXCPU, SIGXFSZ};
static struct sigaction previous[std::size(guarded)];
static std::atomic<int> guards{0};

/// Whether the caller ignores a signal (nohup), asked before `main`: libraries
/// put handlers of their own in place of that.
static bool isIgnored(int number) {
  struct sigaction action;
  return sigaction(number, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN;
}
static const std::array<bool, std::size(guarded)> ignoredAtStart = [] {
  std::array<bool, std::size(guarded)> ignored = {};
  for (size_t i = 0; i < ignored.size(); ++i)
    ignored[i] = isIgnored(guarded[i]);
  return ignored;
}();

/// The process group of a program under way; 0: there is none.
static std::atomic<pid_t> child{0};

/// Whether a handler ends the process. Of several signals at once the first
/// does, and whoever would tell of what it ends waits.
static std::atomic<bool> ending{false};

static void pauseBriefly() {
  const timespec pause = {0, 10000000};
  nanosleep(&pause, nullptr);
}

/// What it writes until it ends would come after the removal. One that does
/// not end when asked to is killed after about a second.
static void endChild(pid_t group) {
  kill(-group, SIGTERM);
  for (int looks = 0; looks < 100; ++looks) {
    if (waitpid(group, nullptr, WNOHANG) != 0)
      return;
    pauseBriefly();
  }
  kill(-group, SIGKILL);
  waitpid(group, nullptr, 0);
}

static void onSignal(int number) {
  while (ending.exchange(true))
    pauseBriefly();
  if (pid_t group = child.load())
    endChild(group);
  unlinkTemporaries();
  for (size_t i = 0; i < std::size(guarded); ++i)
    if (guarded[i] == number)
      sigaction(number, &previous[i], nullptr);
  // Delivered here: by the handler's end another one could come first.
  sigset_t own;
  sigemptyset(&own);
  sigaddset(&own, number);
  pthread_sigmask(SIG_UNBLOCK, &own, nullptr);
  raise(number);
  // Whose handler this was before lets the process live.
  ending.store(false);
}

static sigset_t guardedSet() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : guarded)
    sigaddset(&set, number);
  return set;
}

SignalGuard::SignalGuard() {
  if (guards.fetch_add(1) != 0)
    return;
  for (size_t i = 0; i < std::size(guarded); ++i) {
    struct sigaction action = {};
    // A write beyond the limit fails then, as one onto a full disk does.
    action.sa_handler = guarded[i] == SIGXFSZ ? SIG_IGN : onSignal;
    action.sa_mask = guardedSet();
    sigaction(guarded[i], nullptr, &previous[i]);
    if (ignoredAtStart[i])
      action.sa_handler = SIG_IGN;
    // Nor is what the caller ignores by now taken.
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

//===----------------------------------------------------------------------===//
// Other programs
//===----------------------------------------------------------------------===//

int tapestry::rt::runChild(const std::vector<std::string> &words,
                           std::string &problem) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own, so that a signal finds all that it starts.
  sigset_t blocked = guardedSet();
  pid_t pid = 0;
  // No signal between the child's start and the note of it.
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  posix_spawnattr_setsigmask(&attributes, &before);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
  int error = posix_spawnp(&pid, arguments[0], nullptr, &attributes,
                           arguments.data(), environ);
  if (error == 0)
    child.store(pid);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    problem = errnoText(error);
    return -1;
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  child.store(0);
  while (ending.load())
    pauseBriefly();
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  problem = strsignal(WTERMSIG(status));
  return -1;
}
