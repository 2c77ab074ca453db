//===- Crash.cpp - Crashes in code of users -------------------------------===//
//
// A handler may only do what is safe whatever the thread was at: it writes what
// was put together before, and ends the process.
//
//===----------------------------------------------------------------------===//

#include "tapestry-rt/Crash.h"
#include "tapestry-rt/Files.h"
#include "tapestry-rt/Status.h"
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <sys/uio.h>
#include <unistd.h>

using namespace tapestry::rt;

static constexpr struct {
  int number;
  const char *text;
} crashes[] = {
    {SIGSEGV, "a segmentation fault"},
    {SIGBUS, "a bus error"},
    {SIGFPE, "an arithmetic fault"},
    {SIGILL, "an illegal instruction"},
    {SIGABRT, "an abort"},
};

static struct sigaction previous[std::size(crashes)];
static thread_local CrashGuard *atHand = nullptr;

/// Lives as long as anything that may crash.
static std::string &crashPlace() {
  static auto *place = new std::string;
  return *place;
}

void tapestry::rt::setCrashPlace(const std::string &place) {
  crashPlace() = place;
}

namespace {

/// A stack for handlers: a thread's own may be what has run over.
class HandlerStack {
public:
  HandlerStack() {
    stack_t known = {};
    if (sigaltstack(nullptr, &known) != 0 || !(known.ss_flags & SS_DISABLE))
      return;
    memory = std::make_unique<char[]>(size);
    stack_t own = {};
    own.ss_sp = memory.get();
    own.ss_size = size;
    sigaltstack(&own, nullptr);
  }
  ~HandlerStack() {
    if (!memory)
      return;
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }

private:
  static constexpr size_t size = 65536;
  std::unique_ptr<char[]> memory;
};

} // namespace

namespace tapestry {
namespace rt {

class CrashHandler {
public:
  static void install();

private:
  static void onSignal(int number);
  [[noreturn]] static void end(const CrashGuard &guard, const char *how);
};

} // namespace rt
} // namespace tapestry

void CrashHandler::end(const CrashGuard &guard, const char *how) {
  // Of several threads that crash the first says so.
  static std::atomic<bool> isEnding{false};
  while (isEnding.exchange(true))
    pause();
  unlinkTemporaries();
  auto piece = [](const char *text) {
    return iovec{const_cast<char *>(text), strlen(text)};
  };
  const std::array<iovec, 4> pieces = {piece(guard.what.c_str()), piece(" by "),
                                       piece(how), piece("\n")};
  // Nothing can be done about a message that cannot be written.
  ssize_t written = writev(STDERR_FILENO, pieces.data(), pieces.size());
  (void)written;
  _exit(guard.status);
}

void CrashHandler::onSignal(int number) {
  for (size_t i = 0; i < std::size(crashes); ++i) {
    if (crashes[i].number != number)
      continue;
    if (atHand)
      end(*atHand, crashes[i].text);
    // It comes again when this returns.
    sigaction(number, &previous[i], nullptr);
    raise(number);
  }
}

void CrashHandler::install() {
  static std::once_flag once;
  std::call_once(once, [] {
    for (size_t i = 0; i < std::size(crashes); ++i) {
      struct sigaction action = {};
      action.sa_handler = onSignal;
      action.sa_flags = SA_ONSTACK;
      sigaction(crashes[i].number, &action, &previous[i]);
    }
  });
  static thread_local HandlerStack stack;
}

CrashGuard::CrashGuard(const std::string &what, int status)
    : what(crashPlace() + printableLines(what)), status(status) {
  CrashHandler::install();
  atHand = this;
}

CrashGuard::~CrashGuard() { atHand = nullptr; }
