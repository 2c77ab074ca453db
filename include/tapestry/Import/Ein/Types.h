//===- Types.h - Element types, monoids and constants of .ein ---*- C++ -*-===//

#ifndef TAPESTRY_IMPORT_EIN_TYPES_H
#define TAPESTRY_IMPORT_EIN_TYPES_H

#include "tapestry/Dialect/Tapestry/Macros/MacroKind.h"
#include "llvm/ADT/StringRef.h"
#include <complex>
#include <cstdint>
#include <optional>

namespace tapestry::ein {
namespace ast {
struct MonoidStmt;
} // namespace ast

using tapestry::LabelRole;
using tapestry::MacroKind;

enum class ElementType {
  F64,
  F32,
  F16,
  BF16,
  I8,
  I16,
  I32,
  I64,
  Bool,
  U8,
  U16,
  U32,
  U64,
  C64,
  C128
};

/// "f64", "f32", "f16", "bf16", "i8", ..., "i64", "bool", "u8", ..., "c128".
llvm::StringRef stringify(ElementType type);
std::optional<ElementType> parseElementType(llvm::StringRef text);
/// The type that someone who wrote "float32", "double" or "int" had in mind.
std::optional<llvm::StringRef> suggestElementType(llvm::StringRef text);

/// Complex types are none.
bool isFloat(ElementType type);
/// Bool is none.
bool isInteger(ElementType type);
bool isComplex(ElementType type);
/// The type of a complex type's parts; any other type itself.
ElementType partType(ElementType type);
/// The complex type whose parts have this type; nothing where there is none.
std::optional<ElementType> complexType(ElementType parts);
bool isUnsigned(ElementType type);
/// Bits of a value; 1 for bool.
unsigned bitWidth(ElementType type);
/// Bytes of a stored element.
unsigned byteSize(ElementType type);

/// The operation that combines the values along the reduced labels.
/// Custom is one that the program defines.
enum class Monoid { None, Sum, Prod, Max, Min, All, Any, Xor, Custom };
/// "sum", "prod", ...; "" for None and Custom.
llvm::StringRef stringify(Monoid monoid);
std::optional<Monoid> parseMonoid(llvm::StringRef text);

/// "softmax", "rmsnorm", "layernorm", "mean", "logsumexp", "argmax", "argmin".
llvm::StringRef stringify(MacroKind macro);
std::optional<MacroKind> parseMacro(llvm::StringRef text);

/// What combines values along labels: a monoid, or a macro that ends in one.
struct Reduction {
  Monoid monoid = Monoid::None;
  std::optional<MacroKind> macro;
  /// Whether the label stays: every element is combined with those before it.
  bool scans = false;
  /// Of Monoid::Custom: what defines it.
  const ast::MonoidStmt *custom = nullptr;
  bool operator==(const Reduction &o) const {
    return monoid == o.monoid && macro == o.macro && scans == o.scans &&
           custom == o.custom;
  }
};
/// Its name, as vertices have it: "sum", ..., "cumsum", or that of the monoid.
llvm::StringRef stringify(Reduction reduction);
/// As programs write it, which may be `scan` and the name.
std::string asWritten(Reduction reduction);
/// "sum", ..., "mean", ..., "argmin", "cumsum", ...; not the macros that keep
/// their labels.
std::optional<Reduction> parseReduction(llvm::StringRef text);

/// What puts the values along a label in order: the statement's result has
/// their ranks in its place.
enum class SortKind {
  Sort,    ///< from the least to the largest
  ArgSort, ///< their indices
  TopK     ///< the largest few and, where they are asked for, their indices
};
/// "sort", "argsort", "topk".
llvm::StringRef stringify(SortKind sort);
std::optional<SortKind> parseSort(llvm::StringRef text);

/// Whole tensors seen otherwise: permuted, cut otherwise, backwards, with each
/// element or all several times, one behind the other, along a new dimension,
/// in turns; a part of them, which has no word: `X[2:5]`.
enum class ViewKind {
  Transpose,
  Reshape,
  Flip,
  Repeat,
  Tile,
  Concat,
  Stack,
  Interleave,
  Slice
};
/// "transpose", "reshape", ..., "slice".
llvm::StringRef stringify(ViewKind view);
std::optional<ViewKind> parseView(llvm::StringRef text);

/// An exact integer wide enough that no arithmetic on 64-bit values loses bits.
using WideInt = __int128;

/// A number that has no type yet: a literal, a parameter, an extent, or what
/// was computed from those.
struct Number {
  bool isFloat = false;
  WideInt integer = 0;
  double real = 0;
  double imaginary = 0;
  /// Whether an imaginary number stands in it.
  bool isComplex = false;

  static Number ofInteger(WideInt value) { return {false, value, 0}; }
  static Number ofReal(double value) { return {true, 0, value}; }
  static Number ofComplex(std::complex<double> value) {
    return {true, 0, value.real(), value.imag(), true};
  }
  double asReal() const {
    return isFloat ? real : static_cast<double>(integer);
  }
  std::complex<double> asComplex() const { return {asReal(), imaginary}; }
  bool operator==(const Number &o) const {
    return isFloat == o.isFloat && integer == o.integer && real == o.real &&
           isComplex == o.isComplex && imaginary == o.imaginary;
  }
};
/// "1024", "-3", "0.1", "1e-5": an integer of 64 bits or a float.
std::optional<Number> parseNumber(llvm::StringRef text);
std::string toString(const Number &number);

/// The largest value of an integer type.
WideInt largestInteger(ElementType type);
/// Whether `value` is one of the integers of `type`.
bool fitsInteger(WideInt value, ElementType type);
std::string toString(WideInt value);

} // namespace tapestry::ein

#endif // TAPESTRY_IMPORT_EIN_TYPES_H
