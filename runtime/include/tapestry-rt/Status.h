//===- Status.h - Success, or what went wrong -------------------*- C++ -*-===//
//
// What functions of the runtime return where something can fail, and the few
// helpers that make texts. The runtime is built without exceptions.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_STATUS_H
#define TAPESTRY_RT_STATUS_H

#include "tapestry-rt/Runtime.h"
#include <cstdint>
#include <string>

namespace tapestry {
namespace rt {

/// printf into a string.
std::string format(const char *pattern, ...)
    __attribute__((format(printf, 1, 2)));

/// "17 bytes", "41.2 GiB".
std::string formatBytes(int64_t bytes);

/// The text of an errno value.
std::string errnoText(int number);

/// A name or a piece of somebody's text as it can stand in a line of a message:
/// control characters and bytes that are no UTF-8 as \xNN, and only both ends
/// of what is longer than `most` bytes.
std::string printable(const std::string &text, size_t most = 300);
/// The same for a whole message, line by line.
std::string printableLines(const std::string &text);

class [[nodiscard]] Status {
public:
  static Status success() { return Status(); }
  static Status failure(ExitStatus exit, std::string message) {
    Status status;
    status.exit = exit;
    status.text = std::move(message);
    return status;
  }
  /// Another rank failed and has said why: leave without a word.
  static Status stopped() {
    Status status = failure(ExitRankFailed, "stopped");
    status.silent = true;
    return status;
  }

  bool failed() const { return exit != ExitDone; }
  bool isStopped() const { return silent; }
  ExitStatus exitStatus() const { return exit; }
  const std::string &message() const { return text; }

private:
  ExitStatus exit = ExitDone;
  bool silent = false;
  std::string text;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_STATUS_H
