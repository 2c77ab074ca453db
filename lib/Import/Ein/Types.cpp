//===- Types.cpp - Element types, monoids and constants of .ein -----------===//

#include "tapestry/Import/Ein/Types.h"
#include "tapestry/Import/Ein/AST.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"
#include <algorithm>

using namespace tapestry::ein;

namespace {
struct TypeRow {
  ElementType type;
  llvm::StringLiteral name;
  unsigned bits;
  bool isFloat;
  bool isUnsigned = false;
  bool isComplex = false;
};
constexpr TypeRow typeTable[] = {
    {ElementType::F64, "f64", 64, true},
    {ElementType::F32, "f32", 32, true},
    {ElementType::F16, "f16", 16, true},
    {ElementType::BF16, "bf16", 16, true},
    {ElementType::I8, "i8", 8, false},
    {ElementType::I16, "i16", 16, false},
    {ElementType::I32, "i32", 32, false},
    {ElementType::I64, "i64", 64, false},
    {ElementType::Bool, "bool", 1, false},
    {ElementType::U8, "u8", 8, false, true},
    {ElementType::U16, "u16", 16, false, true},
    {ElementType::U32, "u32", 32, false, true},
    {ElementType::U64, "u64", 64, false, true},
    {ElementType::C64, "c64", 64, false, false, true},
    {ElementType::C128, "c128", 128, false, false, true},
};

struct MonoidRow {
  Monoid monoid;
  llvm::StringLiteral name;
};
constexpr MonoidRow monoidTable[] = {
    {Monoid::Sum, "sum"}, {Monoid::Prod, "prod"}, {Monoid::Max, "max"},
    {Monoid::Min, "min"}, {Monoid::All, "all"},   {Monoid::Any, "any"},
    {Monoid::Xor, "xor"},
};

constexpr MonoidRow scanTable[] = {{Monoid::Sum, "cumsum"},
                                   {Monoid::Prod, "cumprod"},
                                   {Monoid::Max, "cummax"},
                                   {Monoid::Min, "cummin"}};

struct SortRow {
  SortKind sort;
  llvm::StringLiteral name;
};
constexpr SortRow sortTable[] = {{SortKind::Sort, "sort"},
                                 {SortKind::ArgSort, "argsort"},
                                 {SortKind::TopK, "topk"}};

struct MacroRow {
  MacroKind macro;
  llvm::StringLiteral name;
};
constexpr MacroRow macroTable[] = {
    {MacroKind::Softmax, "softmax"},     {MacroKind::RMSNorm, "rmsnorm"},
    {MacroKind::LayerNorm, "layernorm"}, {MacroKind::Mean, "mean"},
    {MacroKind::LogSumExp, "logsumexp"}, {MacroKind::ArgMax, "argmax"},
    {MacroKind::ArgMin, "argmin"}};

const TypeRow &rowOf(ElementType type) {
  const TypeRow &row = typeTable[static_cast<unsigned>(type)];
  assert(row.type == type && "the table is in the order of the enum");
  return row;
}
} // namespace

llvm::StringRef tapestry::ein::stringify(ElementType type) {
  return rowOf(type).name;
}

std::optional<ElementType>
tapestry::ein::parseElementType(llvm::StringRef text) {
  for (const TypeRow &row : typeTable)
    if (row.name == text)
      return row.type;
  return std::nullopt;
}

std::optional<llvm::StringRef>
tapestry::ein::suggestElementType(llvm::StringRef text) {
  using Result = std::optional<llvm::StringRef>;
  return llvm::StringSwitch<Result>(text.lower())
      .Cases({"float64", "double", "f8"}, llvm::StringRef("f64"))
      .Cases({"float32", "float", "single", "fp32"}, llvm::StringRef("f32"))
      .Cases({"float16", "half", "fp16"}, llvm::StringRef("f16"))
      .Cases({"bfloat16", "bfloat"}, llvm::StringRef("bf16"))
      .Cases({"int8", "byte", "s8", "si8"}, llvm::StringRef("i8"))
      .Cases({"int16", "short", "s16"}, llvm::StringRef("i16"))
      .Cases({"int32", "int", "s32"}, llvm::StringRef("i32"))
      .Cases({"int64", "long", "index", "s64"}, llvm::StringRef("i64"))
      .Cases({"uint8", "ubyte", "uchar", "ui8"}, llvm::StringRef("u8"))
      .Cases({"uint16", "ushort", "ui16"}, llvm::StringRef("u16"))
      .Cases({"uint32", "uint", "unsigned", "ui32"}, llvm::StringRef("u32"))
      .Cases({"uint64", "ulong", "size_t", "ui64"}, llvm::StringRef("u64"))
      .Cases({"complex64", "cfloat"}, llvm::StringRef("c64"))
      .Cases({"complex128", "cdouble", "complex"}, llvm::StringRef("c128"))
      .Cases({"i1", "boolean", "bool_"}, llvm::StringRef("bool"))
      .Default(std::nullopt);
}

bool tapestry::ein::isFloat(ElementType type) { return rowOf(type).isFloat; }

bool tapestry::ein::isInteger(ElementType type) {
  return !rowOf(type).isFloat && !isComplex(type) && type != ElementType::Bool;
}

bool tapestry::ein::isComplex(ElementType type) {
  return rowOf(type).isComplex;
}

ElementType tapestry::ein::partType(ElementType type) {
  return type == ElementType::C64    ? ElementType::F32
         : type == ElementType::C128 ? ElementType::F64
                                     : type;
}

std::optional<ElementType> tapestry::ein::complexType(ElementType parts) {
  if (parts == ElementType::F32)
    return ElementType::C64;
  return parts == ElementType::F64 ? std::optional(ElementType::C128)
                                   : std::nullopt;
}

bool tapestry::ein::isUnsigned(ElementType type) {
  return rowOf(type).isUnsigned;
}

unsigned tapestry::ein::bitWidth(ElementType type) { return rowOf(type).bits; }

unsigned tapestry::ein::byteSize(ElementType type) {
  return std::max(rowOf(type).bits / 8, 1u);
}

llvm::StringRef tapestry::ein::stringify(Monoid monoid) {
  for (const MonoidRow &row : monoidTable)
    if (row.monoid == monoid)
      return row.name;
  return "";
}

std::optional<Monoid> tapestry::ein::parseMonoid(llvm::StringRef text) {
  for (const MonoidRow &row : monoidTable)
    if (row.name == text)
      return row.monoid;
  return std::nullopt;
}

llvm::StringRef tapestry::ein::stringify(MacroKind macro) {
  const MacroRow &row = macroTable[static_cast<unsigned>(macro)];
  assert(row.macro == macro && "the table is in the order of the enum");
  return row.name;
}

std::optional<MacroKind> tapestry::ein::parseMacro(llvm::StringRef text) {
  for (const MacroRow &row : macroTable)
    if (row.name == text)
      return row.macro;
  return std::nullopt;
}

llvm::StringRef tapestry::ein::stringify(SortKind sort) {
  return sortTable[static_cast<unsigned>(sort)].name;
}

std::optional<SortKind> tapestry::ein::parseSort(llvm::StringRef text) {
  for (const SortRow &row : sortTable)
    if (row.name == text)
      return row.sort;
  return std::nullopt;
}

/// "cumsum", ...; empty for those that have no word of their own.
static llvm::StringRef scanWord(Reduction reduction) {
  for (const MonoidRow &row : scanTable)
    if (reduction.scans && row.monoid == reduction.monoid)
      return row.name;
  return {};
}

llvm::StringRef tapestry::ein::stringify(Reduction reduction) {
  if (reduction.custom)
    return reduction.custom->name;
  if (llvm::StringRef word = scanWord(reduction); !word.empty())
    return word;
  return reduction.macro ? stringify(*reduction.macro)
                         : stringify(reduction.monoid);
}

std::string tapestry::ein::asWritten(Reduction reduction) {
  bool isNamed = !reduction.scans || !scanWord(reduction).empty();
  return (isNamed ? "" : "scan ") + stringify(reduction).str();
}

std::optional<Reduction> tapestry::ein::parseReduction(llvm::StringRef text) {
  if (std::optional<Monoid> monoid = parseMonoid(text))
    return Reduction{*monoid, std::nullopt};
  for (const MonoidRow &row : scanTable)
    if (row.name == text)
      return Reduction{row.monoid, std::nullopt, /*scans=*/true};
  std::optional<MacroKind> macro = parseMacro(text);
  if (macro && reducesLabels(*macro))
    return Reduction{Monoid::None, macro};
  return std::nullopt;
}

static constexpr llvm::StringLiteral viewNames[] = {
    "transpose", "reshape", "flip",       "repeat", "tile",
    "concat",    "stack",   "interleave", "slice"};

llvm::StringRef tapestry::ein::stringify(ViewKind view) {
  return viewNames[static_cast<unsigned>(view)];
}

std::optional<ViewKind> tapestry::ein::parseView(llvm::StringRef text) {
  llvm::ArrayRef<llvm::StringLiteral> words =
      llvm::ArrayRef(viewNames).drop_back();
  const auto *name = llvm::find(words, text);
  if (name == words.end())
    return std::nullopt;
  return static_cast<ViewKind>(name - words.begin());
}

WideInt tapestry::ein::largestInteger(ElementType type) {
  return (WideInt(1) << (bitWidth(type) - (isUnsigned(type) ? 0 : 1))) - 1;
}

/// Whether there are only digits.
static bool isWhole(llvm::StringRef text) {
  return llvm::all_of(text,
                      [](char c) { return c == '-' || llvm::isDigit(c); });
}

std::optional<Number> tapestry::ein::parseNumber(llvm::StringRef text) {
  int64_t integer = 0;
  if (!text.getAsInteger(10, integer))
    return Number::ofInteger(integer);
  // A whole number beyond 64 bits is a slip, and no float.
  double real = 0;
  if (isWhole(text) || text.getAsDouble(real))
    return std::nullopt;
  return Number::ofReal(real);
}

std::string tapestry::ein::toString(const Number &number) {
  if (!number.isFloat)
    return toString(number.integer);
  llvm::SmallString<24> text;
  llvm::APFloat(number.real).toString(text);
  // As it has to be written to be a float.
  if (isWhole(text))
    text += ".0";
  return text.str().str();
}

bool tapestry::ein::fitsInteger(WideInt value, ElementType type) {
  WideInt largest = largestInteger(type);
  return (isUnsigned(type) ? 0 : -largest - 1) <= value && value <= largest;
}

std::string tapestry::ein::toString(WideInt value) {
  if (value == 0)
    return "0";
  bool negative = value < 0;
  // Digits are taken from the negative value: the smallest has no counterpart.
  WideInt rest = negative ? value : -value;
  std::string digits;
  for (; rest != 0; rest /= 10)
    digits.push_back(static_cast<char>('0' - rest % 10));
  if (negative)
    digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}
