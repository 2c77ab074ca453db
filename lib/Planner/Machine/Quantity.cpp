//===- Quantity.cpp - Numbers with units, as users write them -------------===//

#include "tapestry/Planner/Machine/Quantity.h"
#include "tapestry/Planner/Model/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <optional>

using namespace tapestry;
using namespace tapestry::machine;

namespace {

struct Scale {
  llvm::StringLiteral name;
  double factor;
};

constexpr Scale decimalPrefixes[] = {{"", 1},    {"k", 1e3}, {"K", 1e3},
                                     {"M", 1e6}, {"G", 1e9}, {"T", 1e12},
                                     {"P", 1e15}};
constexpr Scale binaryPrefixes[] = {{"Ki", 0x1p10},
                                    {"Mi", 0x1p20},
                                    {"Gi", 0x1p30},
                                    {"Ti", 0x1p40},
                                    {"Pi", 0x1p50}};
constexpr Scale secondUnits[] = {
    {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"\u00b5s", 1e-6}, {"ns", 1e-9}};

} // namespace

static std::optional<double> factorOf(llvm::ArrayRef<Scale> scales,
                                      llvm::StringRef name) {
  for (const Scale &scale : scales)
    if (scale.name == name)
      return scale.factor;
  return std::nullopt;
}

/// Of a unit of bytes (without "/s"), how many bytes it is.
static std::optional<double> bytesUnit(llvm::StringRef unit) {
  double share = 1;
  if (unit.consume_back("bit"))
    share = 0.125;
  else if (!unit.consume_back("B"))
    return std::nullopt;
  auto factor = factorOf(decimalPrefixes, unit);
  if (!factor)
    factor = factorOf(binaryPrefixes, unit);
  return factor ? std::optional<double>(*factor * share) : std::nullopt;
}

static std::optional<double> unitFactor(llvm::StringRef name, Unit unit) {
  switch (unit) {
  case Unit::Seconds:
    return factorOf(secondUnits, name);
  case Unit::BytesPerSecond:
    return name.consume_back("/s") ? bytesUnit(name) : std::nullopt;
  case Unit::FlopsPerSecond:
    if (name.consume_back_insensitive("FLOP/s") ||
        name.consume_back_insensitive("FLOPS"))
      return factorOf(decimalPrefixes, name);
    return std::nullopt;
  }
  return std::nullopt;
}

static llvm::StringRef exampleOf(Unit unit) {
  switch (unit) {
  case Unit::Seconds:
    return "5us";
  case Unit::BytesPerSecond:
    return "25GB/s";
  case Unit::FlopsPerSecond:
    return "1.5TFLOP/s";
  }
  return "";
}

/// Takes a decimal number without a sign off the front of `text`.
static std::optional<double> takeNumber(llvm::StringRef &text) {
  auto digitsFrom = [&](size_t at) {
    while (at < text.size() && llvm::isDigit(text[at]))
      ++at;
    return at;
  };
  size_t end = digitsFrom(0);
  bool hasDigits = end != 0;
  if (end < text.size() && text[end] == '.') {
    size_t after = digitsFrom(end + 1);
    hasDigits |= after != end + 1;
    end = after;
  }
  if (!hasDigits)
    return std::nullopt;
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    size_t at = end + 1;
    if (at < text.size() && (text[at] == '+' || text[at] == '-'))
      ++at;
    if (size_t after = digitsFrom(at); after != at)
      end = after;
  }
  double value = 0;
  if (text.take_front(end).getAsDouble(value))
    return std::nullopt;
  text = text.drop_front(end).ltrim();
  return value;
}

llvm::Expected<double> machine::parseQuantity(llvm::StringRef text, Unit unit) {
  llvm::StringRef rest = text.trim();
  bool isNegative = rest.consume_front("-");
  std::optional<double> number = takeNumber(rest);
  std::optional<double> factor = unitFactor(rest, unit);
  if (!number || !factor)
    return planError("expected a quantity such as ", exampleOf(unit), ", not '",
                     text, "'");
  double value = *number * *factor;
  if (!(value <= 1e30))
    return planError("'", text, "' is too large");
  if (isNegative || (value == 0 && unit != Unit::Seconds))
    return planError("'", text, "' is not ",
                     unit == Unit::Seconds ? "0 or more" : "more than 0");
  if (value != 0 && !isSensible(value))
    return planError("'", text, "' is too small");
  return value;
}

llvm::Expected<int64_t> machine::parseBytes(llvm::StringRef text) {
  llvm::StringRef rest = text.trim();
  bool isNegative = rest.consume_front("-");
  std::optional<double> number = takeNumber(rest);
  std::optional<double> factor = rest.empty() ? 1.0 : bytesUnit(rest);
  if (!number || !factor)
    return planError("expected a number of bytes such as 16GiB, not '", text,
                     "'");
  double value = *number * *factor;
  if (!(value < 0x1p62))
    return planError("'", text, "' is too large");
  if (isNegative || value < 1)
    return planError("'", text, "' is less than 1 byte");
  return static_cast<int64_t>(value);
}

std::string machine::formatQuantity(double value, Unit unit) {
  static constexpr Scale seconds[] = {
      {"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
  static constexpr Scale others[] = {{"P", 1e15}, {"T", 1e12}, {"G", 1e9},
                                     {"M", 1e6},  {"k", 1e3},  {"", 1}};
  llvm::ArrayRef<Scale> scales = others;
  llvm::StringRef base = "";
  if (unit == Unit::Seconds)
    scales = seconds;
  else
    base = unit == Unit::BytesPerSecond ? "B/s" : "FLOP/s";
  // The largest scale that the value reaches; below all of them the smallest.
  const Scale *best = value == 0 ? scales.begin() : &scales.back();
  if (value != 0)
    best = llvm::find_if(scales.drop_back(), [&](const Scale &scale) {
      return value >= scale.factor * (1 - 1e-6);
    });
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format("%.5g", value / best->factor) << best->name << base;
  return text;
}
