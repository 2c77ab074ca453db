//===- Temporaries.h - Unfinished files, removed on any exit ----*- C++ -*-===//

#ifndef TAPESTRY_RT_IO_TEMPORARIES_H
#define TAPESTRY_RT_IO_TEMPORARIES_H

#include <csignal>
#include <string>

namespace tapestry {
namespace rt {

/// Notes a file that is to be removed unless `forgetTemporary` is called.
void noteTemporary(const std::string &path);
/// The file is complete (or gone).
void forgetTemporary(const std::string &path);
/// Removes all files that are noted and forgets them.
void removeTemporaries();
/// Only removes them; safe in signal handlers and without memory.
void unlinkTemporaries();

/// While one of these is alive, SIGINT, SIGTERM and SIGHUP remove the noted
/// files before they do what they did before.
class SignalGuard {
public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard &) = delete;
  SignalGuard &operator=(const SignalGuard &) = delete;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_IO_TEMPORARIES_H
