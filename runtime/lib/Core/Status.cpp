//===- Status.cpp - Success, or what went wrong ---------------------------===//

#include "Core/Status.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>

using namespace tapestry::rt;

std::string tapestry::rt::format(const char *pattern, ...) {
  va_list arguments;
  va_start(arguments, pattern);
  va_list again;
  va_copy(again, arguments);
  int length = vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(length > 0 ? length : 0, '\0');
  // The terminating null goes where std::string keeps its own.
  vsnprintf(text.data(), text.size() + 1, pattern, again);
  va_end(again);
  return text;
}

std::string tapestry::rt::formatBytes(int64_t bytes) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024)
    return format("%lld bytes", static_cast<long long>(bytes));
  double scaled = static_cast<double>(bytes) / 1024;
  int unit = 0;
  for (; scaled >= 1024 && unit < 4; ++unit)
    scaled /= 1024;
  return format("%.1f %s", scaled, units[unit]);
}

std::string tapestry::rt::errnoText(int number) {
  char buffer[256];
  // The GNU form returns the text, which need not be in the buffer.
  return strerror_r(number, buffer, sizeof(buffer));
}
