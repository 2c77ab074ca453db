//===- JSON.cpp - Writes JSON text ----------------------------------------===//

#include "Core/JSON.h"
#include "tapestry-rt/Status.h"
#include <cmath>
#include <cstdlib>

using namespace tapestry::rt;

void JSONWriter::separate() {
  if (afterKey) {
    afterKey = false;
    return;
  }
  if (levels.empty())
    return;
  Level &level = levels.back();
  if (!level.empty)
    out += level.lines ? "," : ", ";
  if (level.lines)
    out += "\n" + std::string(2 * levels.size(), ' ');
  level.empty = false;
}

void JSONWriter::open(char bracket, bool lines) {
  separate();
  out += bracket;
  levels.push_back({lines});
}

void JSONWriter::close(char bracket) {
  Level level = levels.back();
  levels.pop_back();
  if (level.lines && !level.empty)
    out += "\n" + std::string(2 * levels.size(), ' ');
  out += bracket;
}

/// The length of the well-formed UTF-8 sequence at `at`, 0 if there is none.
static size_t utf8Length(const std::string &text, size_t at) {
  auto byte = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  unsigned first = byte(at);
  if (first < 0x80)
    return 1;
  size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(at + i) & 0xc0) != 0x80)
      return 0;
  // Overlong forms, surrogates, and what lies past the last code point.
  unsigned second = byte(at + 1);
  if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
      (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
    return 0;
  return length;
}

void JSONWriter::quote(const std::string &text) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    auto byte = static_cast<unsigned char>(text[i]);
    size_t length = utf8Length(text, i);
    if (byte == '"' || byte == '\\')
      out += format("\\%c", byte);
    else if (byte < 0x20 || byte == 0x7f)
      out += format("\\u%04x", byte);
    else if (length == 0)
      out += "\\ufffd"; // not UTF-8: the replacement character
    else
      out.append(text, i, length);
    i += length == 0 ? 1 : length;
  }
  out += '"';
}

void JSONWriter::key(const std::string &name) {
  separate();
  quote(name);
  out += ": ";
  afterKey = true;
}

void JSONWriter::value(const std::string &text) {
  separate();
  quote(text);
}

void JSONWriter::value(int64_t number) {
  separate();
  out += format("%lld", static_cast<long long>(number));
}

void JSONWriter::value(double number) {
  separate();
  if (!std::isfinite(number)) {
    out += "null";
    return;
  }
  std::string text;
  for (int digits = 6; digits <= 17; ++digits) {
    text = format("%.*g", digits, number);
    if (strtod(text.c_str(), nullptr) == number)
      break;
  }
  out += text;
}
