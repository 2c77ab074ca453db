//===- JSON.h - Writes JSON text --------------------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_CORE_JSON_H
#define TAPESTRY_RT_CORE_JSON_H

#include <cstdint>
#include <string>
#include <vector>

namespace tapestry {
namespace rt {

/// Builds one JSON value; commas and escapes are taken care of. Elements of
/// arrays that `beginArray(true)` opened go on lines of their own.
class JSONWriter {
public:
  void beginObject() { open('{', false); }
  void endObject() { close('}'); }
  void beginArray(bool lines = false) { open('[', lines); }
  void endArray() { close(']'); }

  /// The name of the member that the next value belongs to.
  void key(const std::string &name);
  void value(const std::string &text);
  void value(const char *text) { value(std::string(text)); }
  void value(int64_t number);
  void value(int32_t number) { value(int64_t(number)); }
  /// In the fewest digits that read back as the same number; null for numbers
  /// that JSON does not have.
  void value(double number);

  template <typename T> void member(const std::string &name, const T &it) {
    key(name);
    value(it);
  }

  const std::string &text() const { return out; }

private:
  void separate();
  void open(char bracket, bool lines);
  void close(char bracket);
  void quote(const std::string &text);

  struct Level {
    bool lines;
    bool empty = true;
  };
  std::string out;
  std::vector<Level> levels;
  bool afterKey = false;
};

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_JSON_H
