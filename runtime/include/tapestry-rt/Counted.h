//===- Counted.h - Numbers before nouns -------------------------*- C++ -*-===//
//
// For messages and tables of the compiler and of the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_RT_COUNTED_H
#define TAPESTRY_RT_COUNTED_H

#include <string>

namespace tapestry {

/// "devices" of "device", "vertices" of "vertex", "axes" of "axis".
inline std::string pluralOf(const std::string &noun) {
  size_t stem = noun.size() < 2 ? 0 : noun.size() - 2;
  if (noun.compare(stem, 2, "ex") == 0)
    return noun.substr(0, stem) + "ices";
  if (noun.compare(stem, 2, "is") == 0)
    return noun.substr(0, stem) + "es";
  return noun + "s";
}

/// "1 device", "3 devices", "0 vertices".
inline std::string countOf(long long number, const std::string &noun) {
  return std::to_string(number) + " " + (number == 1 ? noun : pluralOf(noun));
}

} // namespace tapestry

#endif // TAPESTRY_RT_COUNTED_H
