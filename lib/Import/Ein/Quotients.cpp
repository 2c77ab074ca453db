//===- Quotients.cpp - Multiples of quotients and rests in subscripts -----===//
//
// A subscript is a sum that is divided and wrapped around at most. A multiple
// of such a quotient or rest, X[2 * (i // 2) + 1], reads every second element
// of X at i // 2: a slice.
//
//===----------------------------------------------------------------------===//

#include "Quotients.h"
#include "WholeTensors.h"

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

namespace {
constexpr int64_t largest = int64_t(1) << 30;

/// factor * quotient + constant.
struct Multiple {
  int64_t factor, constant;
  const BinaryExpr *quotient;
};

std::optional<int64_t> small(int64_t value) {
  bool fits = -largest < value && value < largest;
  return fits ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> constantOf(const Expr *expr, const Scope &scope) {
  if (auto *literal = llvm::dyn_cast<IntLiteral>(expr))
    return literal->value < uint64_t(largest)
               ? std::optional<int64_t>(literal->value)
               : std::nullopt;
  if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    std::optional<Number> number = scope.lookupConstant(name->name);
    bool fits = number && !number->isFloat && number->integer < largest &&
                number->integer > -largest;
    return fits ? std::optional<int64_t>(number->integer) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<Multiple> made(int64_t factor, int64_t constant,
                             const BinaryExpr *quotient) {
  if (!small(factor) || !small(constant) || factor == 0)
    return std::nullopt;
  return Multiple{factor, constant, quotient};
}

std::optional<Multiple> multipleOf(const Expr *expr, const Scope &scope) {
  auto *binary = llvm::dyn_cast<BinaryExpr>(expr);
  if (!binary)
    return std::nullopt;
  if (binary->op == BinaryOp::FloorDiv || binary->op == BinaryOp::Mod)
    return findLabel(binary, scope) ? made(1, 0, binary) : std::nullopt;
  std::optional<int64_t> left = constantOf(binary->lhs, scope);
  std::optional<int64_t> right = constantOf(binary->rhs, scope);
  if (left.has_value() == right.has_value())
    return std::nullopt;
  int64_t number = left ? *left : *right;
  auto inner = multipleOf(left ? binary->rhs : binary->lhs, scope);
  if (!inner)
    return std::nullopt;
  int64_t sign = 1;
  switch (binary->op) {
  case BinaryOp::Mul:
    return made(number * inner->factor, number * inner->constant,
                inner->quotient);
  case BinaryOp::Sub:
    if (!left)
      return made(inner->factor, inner->constant - number, inner->quotient);
    sign = -1;
    [[fallthrough]];
  case BinaryOp::Add:
    return made(sign * inner->factor, number + sign * inner->constant,
                inner->quotient);
  default:
    return std::nullopt;
  }
}

/// The slice whose elements are read at quotient + shift; nothing where the
/// subscript needs none, or leaves the tensor.
struct Stride {
  int64_t first, step, shift;
  const BinaryExpr *quotient;
};

std::optional<Stride> strideOf(const Expr *subscript, int64_t extent,
                               const Scope &scope) {
  std::optional<Multiple> multiple = multipleOf(subscript, scope);
  if (!multiple)
    return std::nullopt;
  auto [factor, constant, quotient] = *multiple;
  bool wraps = quotient->op == BinaryOp::Mod;
  // What is added behind a division, or it is taken from, needs no slice.
  if (wraps ? factor == 1 && constant == 0 : std::abs(factor) == 1)
    return std::nullopt;
  Stride stride{constant, factor, 0, quotient};
  if (!wraps) {
    // A quotient may be negative: the slice has all elements that are so far
    // from each other.
    int64_t size = std::abs(factor);
    int64_t rest = ((constant % size) + size) % size;
    stride.first = rest;
    if (factor < 0)
      stride.first += (extent - 1 - rest) / size * size;
    stride.shift = (constant - stride.first) / factor;
  }
  bool isInside = stride.first >= 0 && stride.first < extent;
  return isInside ? std::optional(stride) : std::nullopt;
}

const Expr *numberAt(int64_t value, llvm::SMRange range, Context &context) {
  const Expr *literal =
      context.create<IntLiteral>(range, static_cast<uint64_t>(std::abs(value)));
  return value < 0 ? context.create<UnaryExpr>(range, UnaryOp::Neg, literal)
                   : literal;
}
} // namespace

const AccessExpr *tapestry::ein::sliceQuotients(
    const AccessExpr &access,
    llvm::function_ref<llvm::ArrayRef<int64_t>()> shapeOf, const Scope &scope,
    Context &context) {
  if (access.pad || access.fold ||
      llvm::none_of(access.subscripts, [&](const Expr *subscript) {
        return multipleOf(subscript, scope).has_value();
      }))
    return &access;
  llvm::ArrayRef<int64_t> shape = shapeOf();
  if (shape.size() != access.subscripts.size())
    return &access;
  llvm::SmallVector<SliceRange> ranges;
  llvm::SmallVector<const Expr *> subscripts;
  bool isSliced = false;
  for (auto [subscript, extent] : llvm::zip(access.subscripts, shape)) {
    SliceRange &range = ranges.emplace_back();
    range.range = subscript->range;
    subscripts.push_back(subscript);
    std::optional<Stride> stride = strideOf(subscript, extent, scope);
    if (!stride)
      continue;
    isSliced = true;
    range.first = numberAt(stride->first, subscript->range, context);
    range.step = numberAt(stride->step, subscript->range, context);
    subscripts.back() = stride->quotient;
    if (stride->shift != 0)
      subscripts.back() = context.create<BinaryExpr>(
          subscript->range, BinaryOp::Add, subscript->range, stride->quotient,
          numberAt(stride->shift, subscript->range, context));
  }
  if (!isSliced)
    return &access;
  const Expr *base = access.view;
  if (!base)
    base = context.create<NameExpr>(access.tensorRange, access.tensor);
  auto *view = context.create<ViewExpr>(
      access.tensorRange, access.depth + 1, ViewKind::Slice,
      llvm::ArrayRef<const Expr *>(), context.copy<const Expr *>(base));
  view->slices = context.copy<SliceRange>(ranges);
  auto *result = context.create<AccessExpr>(access);
  result->tensor = "";
  result->view = view;
  result->subscripts = context.copy<const Expr *>(subscripts);
  return result;
}
