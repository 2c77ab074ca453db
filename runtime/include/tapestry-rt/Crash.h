//===- Crash.h - Crashes in code of users -----------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_CRASH_H
#define TAPESTRY_RT_CRASH_H

#include <string>

namespace tapestry {
namespace rt {

/// While it lives, a signal by which this thread crashes (SIGSEGV, SIGBUS,
/// SIGFPE, SIGILL, SIGABRT) ends the process with `status` and one message:
/// `what`, and how it ended. Temporary files are removed; what else there is to
/// tidy up is left, as locks may be held. Crashes elsewhere go to whoever
/// handled them before.
class CrashGuard {
public:
  CrashGuard(const std::string &what, int status);
  ~CrashGuard();
  CrashGuard(const CrashGuard &) = delete;
  CrashGuard &operator=(const CrashGuard &) = delete;

private:
  friend class CrashHandler;
  std::string what;
  int status;
};

/// What messages of crashes begin with from now on: the place of what is being
/// done, "train.session:3: ", or nothing. While no guard lives.
void setCrashPlace(const std::string &place);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CRASH_H
