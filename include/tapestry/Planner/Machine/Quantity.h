//===- Quantity.h - Numbers with units, as users write them -----*- C++ -*-===//
//
// "25GB/s", "5us", "67TFLOP/s", "16GiB": what machine files, grids and memory
// limits are written in.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_MACHINE_QUANTITY_H
#define TAPESTRY_PLANNER_MACHINE_QUANTITY_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>

namespace tapestry::machine {

enum class Unit {
  BytesPerSecond, ///< "25GB/s", "400Gbit/s"; more than 0
  Seconds,        ///< "5us", "1.5ms"; 0 or more
  FlopsPerSecond, ///< "67TFLOP/s", "67TFLOPS"; more than 0
};

/// Whether costs that are counted with such a number of a machine stay finite.
constexpr bool isSensible(double number) {
  return number >= 1e-30 && number <= 1e30;
}

/// A number and its unit, blanks between them allowed, in base units. Prefixes
/// are decimal (k, M, G, T, P) or, of bytes, binary (Ki, Mi, Gi, Ti, Pi). The
/// error quotes the text; a number without a unit, of the wrong unit, below
/// what the unit allows, or neither 0 nor sensible is one.
llvm::Expected<double> parseQuantity(llvm::StringRef text, Unit unit);

/// "16GiB", "80GB", "4096B" or a plain number of bytes; at least 1. A fraction
/// of a byte is dropped.
llvm::Expected<int64_t> parseBytes(llvm::StringRef text);

/// The shortest text that parseQuantity() reads back as this value to within
/// five digits: "450GB/s", "2us".
std::string formatQuantity(double value, Unit unit);

} // namespace tapestry::machine

#endif // TAPESTRY_PLANNER_MACHINE_QUANTITY_H
