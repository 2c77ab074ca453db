//===- Fault.cpp - Failures on purpose, for tests -------------------------===//

#include "Run/Fault.h"
#include <csignal>
#include <cstdlib>
#include <unistd.h>

using namespace tapestry;
using namespace tapestry::rt;

static bool parseNumber(const std::string &text, int64_t &number) {
  char *end;
  number = strtoll(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0' && number >= 0;
}

static bool parseEntry(const std::string &key, const std::string &value,
                       Fault &fault) {
  if (key == "rank")
    return parseNumber(value, fault.rank);
  if (key == "collective") {
    fault.collective = Fault::atWrite;
    return value == "write" || parseNumber(value, fault.collective);
  }
  if (key != "mode")
    return false;
  fault.mode = value == "fail"    ? Fault::Mode::Fail
               : value == "kill"  ? Fault::Mode::Kill
               : value == "exit"  ? Fault::Mode::Exit
               : value == "stop"  ? Fault::Mode::Stop
               : value == "stall" ? Fault::Mode::Stall
               : value == "late"  ? Fault::Mode::Late
                                  : Fault::Mode::None;
  return fault.mode != Fault::Mode::None;
}

Status tapestry::rt::parseFault(const char *text, Fault &fault) {
  if (!text || !*text)
    return Status::success();
  fault.mode = Fault::Mode::Fail;
  std::string rest = text;
  while (!rest.empty()) {
    size_t comma = rest.find(',');
    std::string entry = rest.substr(0, comma);
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
    size_t equals = entry.find('=');
    if (equals == std::string::npos ||
        !parseEntry(entry.substr(0, equals), entry.substr(equals + 1), fault))
      return Status::failure(
          ExitUsage,
          format("TAPESTRY_FAULT: '%s' is none of rank=NUMBER, "
                 "collective=NUMBER|write, mode=fail|kill|exit|stop|stall|late",
                 entry.c_str()));
  }
  return Status::success();
}

Status Fault::strike(const std::string &where, bool isProcess,
                     const std::function<bool()> &stopped) const {
  switch (mode) {
  case Mode::None:
    break;
  case Mode::Fail:
    return Status::failure(ExitRankFailed,
                           "failed on purpose (TAPESTRY_FAULT) in " + where);
  case Mode::Kill:
    if (isProcess)
      raise(SIGKILL);
    return Status::failure(ExitRankFailed, "died in " + where);
  case Mode::Exit:
    _exit(ExitDone);
  case Mode::Stop:
    raise(SIGSTOP);
    break;
  case Mode::Stall:
    while (!stopped())
      usleep(10000);
    return Status::stopped();
  case Mode::Late:
    sleep(2);
    break;
  }
  return Status::success();
}
