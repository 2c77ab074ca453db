//===- Usage.cpp - Values of options, and what is wrong with them ---------===//

#include "Usage.h"
#include "tapestry/Driver/Status.h"
#include "tapestry/Planner/Machine/Quantity.h"
#include <cmath>

using namespace llvm;
using namespace tapestry::driver;

void Usage::error(const Twine &message) {
  if (good)
    printError(message);
  good = false;
}

int64_t Usage::number(const Text &given, int64_t fallback, int64_t least,
                      int64_t most) {
  if (given.getNumOccurrences() == 0)
    return fallback;
  StringRef text = given.getValue();
  StringRef option = given.ArgStr;
  int64_t value = fallback;
  if (text.getAsInteger(10, value)) {
    error("--" + option + " takes a whole number, not '" + text + "'");
    return fallback;
  }
  if (value < least)
    error("--" + option + " has to be at least " + Twine(least) + ", not " +
          Twine(value));
  if (value > most)
    error("--" + option + " has to be at most " + Twine(most) + ", not " +
          Twine(value));
  return value;
}

double Usage::real(const Text &given, double fallback) {
  if (given.getNumOccurrences() == 0)
    return fallback;
  double value = fallback;
  if (StringRef(given).getAsDouble(value) || !(value >= 0) ||
      std::isinf(value)) {
    error("--" + given.ArgStr + " takes a number of at least 0, not '" +
          given.getValue() + "'");
    return fallback;
  }
  return value;
}

int64_t Usage::bytes(const Text &given, int64_t fallback) {
  if (given.getNumOccurrences() == 0)
    return fallback;
  llvm::Expected<int64_t> value = tapestry::machine::parseBytes(given);
  if (value)
    return *value;
  error("--" + given.ArgStr + ": " + toString(value.takeError()));
  return fallback;
}

int64_t Usage::bytesOrNone(const Text &given, int64_t fallback) {
  if (given == "none")
    return -1;
  return given == "0" ? 0 : bytes(given, fallback);
}

Bindings Usage::bindings(const cl::list<std::string> &list, StringRef option,
                         StringRef example) {
  Bindings result;
  for (StringRef text : list) {
    auto [name, value] = text.split('=');
    if (name.empty() || value.empty())
      error("-" + option + " takes " + example + ", not '" + text + "'");
    for (const auto &earlier : result)
      if (earlier.first == name && option != "-feed")
        error("-" + option + " names '" + name + "' twice");
    result.push_back({name.str(), value.str()});
  }
  return result;
}
