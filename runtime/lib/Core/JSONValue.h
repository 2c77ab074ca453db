//===- JSONValue.h - Reads JSON text ----------------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_CORE_JSONVALUE_H
#define TAPESTRY_RT_CORE_JSONVALUE_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tapestry {
namespace rt {

struct JSONValue {
  enum class Kind { Null, Bool, Integer, Real, Text, Array, Object };
  Kind kind = Kind::Null;
  /// A bool's, or an integer's of 64 bits.
  int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<JSONValue> items;
  std::vector<std::pair<std::string, JSONValue>> members;

  bool isInteger() const { return kind == Kind::Integer; }
  bool isText() const { return kind == Kind::Text; }
  bool isArray() const { return kind == Kind::Array; }
  bool isObject() const { return kind == Kind::Object; }
  /// The member of this name; null where there is none.
  const JSONValue *find(const std::string &name) const;
};

/// Reads one value, which is all of `text`. Where that is none, returns false
/// and what is wrong with its line: "line 3: ...". Refused, too, are names that
/// an object has twice and what is nested more than 100 deep.
bool readJSON(const std::string &text, JSONValue &value, std::string &problem);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_CORE_JSONVALUE_H
