//===- Status.cpp - Success, or what went wrong ---------------------------===//

#include "tapestry-rt/Status.h"
#include "tapestry-rt/Counted.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <vector>

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
    return countOf(bytes, "byte");
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

//===----------------------------------------------------------------------===//
// What a terminal can show
//===----------------------------------------------------------------------===//

/// How many bytes of `text` at `at` are one character that can be shown; 0:
/// none are.
static size_t shownBytes(const std::string &text, size_t at) {
  auto byte = [&](size_t index) -> unsigned {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : 0;
  };
  unsigned first = byte(at);
  if (first < 0x80)
    return (first >= 0x20 && first != 0x7f) || first == '\t' ? 1 : 0;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4)
    return 0;
  unsigned point = first & (0x7f >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0) != 0x80)
      return 0;
    point = point << 6 | (byte(at + i) & 0x3f);
  }
  static constexpr unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  bool isCharacter = point >= least[length] && point <= 0x10ffff &&
                     (point < 0xd800 || point > 0xdfff);
  // Controls of ISO 6429, and those that turn the direction of writing.
  bool isControl = point < 0xa0 || (point >= 0x202a && point <= 0x202e) ||
                   (point >= 0x2066 && point <= 0x2069);
  return isCharacter && !isControl ? length : 0;
}

std::string tapestry::rt::printable(const std::string &text, size_t most) {
  std::vector<std::string> pieces;
  size_t total = 0;
  for (size_t at = 0; at < text.size();) {
    size_t length = shownBytes(text, at);
    pieces.push_back(
        length > 0 ? text.substr(at, length)
                   : format("\\x%02x", static_cast<unsigned char>(text[at])));
    at += length > 0 ? length : 1;
    total += pieces.back().size();
  }
  std::string result, end;
  size_t first = 0, last = pieces.size();
  if (total > most) {
    while (result.size() < most * 2 / 3)
      result += pieces[first++];
    while (last > first && end.size() < most / 3)
      end.insert(0, pieces[--last]);
    return result + " ... " + end;
  }
  for (const std::string &piece : pieces)
    result += piece;
  return result;
}

std::string tapestry::rt::printableLines(const std::string &text) {
  constexpr size_t mostPerLine = 2000;
  std::string result;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = text.find('\n', begin);
    result += printable(text.substr(begin, end - begin), mostPerLine);
    if (end == std::string::npos)
      break;
    result += '\n';
    begin = end + 1;
  }
  return result;
}
