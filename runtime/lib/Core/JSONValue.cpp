//===- JSONValue.cpp - Reads JSON text ------------------------------------===//

#include "Core/JSONValue.h"
#include "tapestry-rt/Status.h"
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

using namespace tapestry::rt;

const JSONValue *JSONValue::find(const std::string &name) const {
  for (const auto &[key, value] : members)
    if (key == name)
      return &value;
  return nullptr;
}

namespace {

/// Goes through the text once; stops at the first mistake.
class JSONReader {
public:
  explicit JSONReader(const std::string &text) : text(text) {}

  bool read(JSONValue &value, std::string &problem) {
    bool good = element(value, 0);
    if (good && (peek() != '\0' || at < text.size()))
      good = wrong("something follows the value");
    if (!good) {
      auto line = 1 + std::count(text.begin(), text.begin() + at, '\n');
      problem =
          format("line %lld: %s", static_cast<long long>(line), what.c_str());
    }
    return good;
  }

private:
  static constexpr int mostDepth = 100;

  bool wrong(const std::string &message) {
    what = message;
    return false;
  }
  /// The next character that is no blank, '\0' at the end.
  char peek() {
    while (at < text.size() && text[at] != '\0' && strchr(" \t\r\n", text[at]))
      ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char wanted) {
    if (peek() != wanted)
      return false;
    ++at;
    return true;
  }
  bool word(const char *wanted) {
    size_t length = strlen(wanted);
    if (text.compare(at, length, wanted) != 0)
      return false;
    at += length;
    return true;
  }

  bool element(JSONValue &value, int depth) {
    if (depth > mostDepth)
      return wrong(format("values are nested more than %d deep", mostDepth));
    switch (peek()) {
    case '{':
      return object(value, depth);
    case '[':
      return array(value, depth);
    case '"':
      value.kind = JSONValue::Kind::Text;
      return string(value.text);
    default:
      return literal(value);
    }
  }

  bool object(JSONValue &value, int depth) {
    value.kind = JSONValue::Kind::Object;
    ++at;
    while (!take('}')) {
      if (!value.members.empty() && !take(','))
        return wrong("a member is not followed by ',' or '}'");
      std::string name;
      if (peek() != '"')
        return wrong("a member has no name");
      if (!string(name))
        return false;
      if (value.find(name))
        return wrong("'" + printable(name) + "' stands twice");
      if (!take(':'))
        return wrong("'" + printable(name) + "' is not followed by ':'");
      value.members.emplace_back(name, JSONValue());
      if (!element(value.members.back().second, depth + 1))
        return false;
    }
    return true;
  }

  bool array(JSONValue &value, int depth) {
    value.kind = JSONValue::Kind::Array;
    ++at;
    while (!take(']')) {
      if (!value.items.empty() && !take(','))
        return wrong("an element is not followed by ',' or ']'");
      value.items.emplace_back();
      if (!element(value.items.back(), depth + 1))
        return false;
    }
    return true;
  }

  bool string(std::string &result) {
    ++at;
    while (at < text.size() && text[at] != '"') {
      auto byte = static_cast<unsigned char>(text[at]);
      if (byte < ' ')
        return wrong("a text has a control character");
      ++at;
      if (byte != '\\')
        result += static_cast<char>(byte);
      else if (!escape(result))
        return wrong("a text has an escape that JSON does not know");
    }
    return at++ < text.size() || wrong("a text does not end");
  }

  /// What follows a backslash.
  bool escape(std::string &result) {
    static constexpr char names[] = "\"\\/bfnrt";
    static constexpr char values[] = "\"\\/\b\f\n\r\t";
    if (at == text.size())
      return false;
    char name = text[at++];
    if (name != 'u') {
      const char *found = name ? strchr(names, name) : nullptr;
      if (found)
        result += values[found - names];
      return found != nullptr;
    }
    unsigned code = 0, low = 0;
    if (!hex(code))
      return false;
    if (code >= 0xd800 && code < 0xdc00) {
      if (!word("\\u") || !hex(low) || low < 0xdc00 || low >= 0xe000)
        return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    append(result, code);
    return true;
  }

  bool hex(unsigned &code) {
    if (at + 4 > text.size())
      return false;
    auto [end, error] =
        std::from_chars(text.data() + at, text.data() + at + 4, code, 16);
    at += 4;
    return error == std::errc() && end == text.data() + at;
  }

  /// A code point as UTF-8.
  static void append(std::string &result, unsigned code) {
    auto put = [&](unsigned byte) { result += static_cast<char>(byte); };
    if (code < 0x80)
      return put(code);
    if (code < 0x800) {
      put(0xc0 | code >> 6);
    } else {
      if (code < 0x10000) {
        put(0xe0 | code >> 12);
      } else {
        put(0xf0 | code >> 18);
        put(0x80 | (code >> 12 & 0x3f));
      }
      put(0x80 | (code >> 6 & 0x3f));
    }
    put(0x80 | (code & 0x3f));
  }

  bool literal(JSONValue &value) {
    if (word("null"))
      return true;
    value.kind = JSONValue::Kind::Bool;
    value.integer = word("true") ? 1 : 0;
    if (value.integer || word("false"))
      return true;
    const char *begin = text.data() + at;
    const char *end = text.data() + text.size();
    auto [stop, error] = std::from_chars(begin, end, value.integer);
    bool isInteger = error == std::errc() &&
                     (stop == end || !strchr(".eE0123456789", *stop));
    value.kind = isInteger ? JSONValue::Kind::Integer : JSONValue::Kind::Real;
    if (!isInteger) {
      auto [realStop, realError] = std::from_chars(begin, end, value.real);
      stop = realStop;
      error = realError;
    }
    if (error != std::errc() || stop == begin)
      return wrong(begin == end ? "the text ends early"
                                : "there is no value that JSON knows");
    at = static_cast<size_t>(stop - text.data());
    return true;
  }

  const std::string &text;
  size_t at = 0;
  std::string what;
};

} // namespace

bool tapestry::rt::readJSON(const std::string &text, JSONValue &value,
                            std::string &problem) {
  value = JSONValue();
  return JSONReader(text).read(value, problem);
}
