//===- ConstantEvaluator.cpp - Numbers that are known at compile time -----===//

#include "Scope.h"
#include "tapestry/Import/Ein/Words.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

using namespace tapestry::ein;
using namespace tapestry::ein::ast;

/// One bit is kept free, so that a negation cannot overflow.
static constexpr WideInt largest = WideInt(1) << 126;

/// What `//` leaves, with the divisor's sign, as NumPy computes it.
static double floorRemainder(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest == 0)
    return std::copysign(0.0, b);
  return (rest < 0) != (b < 0) ? rest + b : rest;
}

static double floorQuotient(double a, double b) {
  double rest = std::fmod(a, b);
  if (b == 0)
    return a / b;
  double near = (a - rest) / b - (rest != 0 && (rest < 0) != (b < 0));
  if (near == 0)
    return std::copysign(0.0, a / b);
  double whole = std::floor(near);
  return near - whole > 0.5 ? whole + 1 : whole;
}

std::optional<Number> ConstantEvaluator::fail(llvm::SMRange range,
                                              const llvm::Twine &message) {
  diagnostics.error(range, message);
  return std::nullopt;
}

std::optional<Number> ConstantEvaluator::evaluate(const Expr *expr, bool asReal,
                                                  ExtentLookup extentOf) {
  real = takesFloats = asReal;
  extents = extentOf;
  return visit(expr);
}

std::optional<int64_t> ConstantEvaluator::evaluateInt(const Expr *expr,
                                                      ExtentLookup extentOf) {
  std::optional<Number> value = evaluate(expr, /*asReal=*/false, extentOf);
  if (!value)
    return std::nullopt;
  if (!fitsInteger(value->integer, ElementType::I64)) {
    diagnostics.error(expr->range, "value " + toString(value->integer) +
                                       " does not fit in 64 bits");
    return std::nullopt;
  }
  return static_cast<int64_t>(value->integer);
}

double tapestry::ein::roundToType(double value, ElementType type) {
  const llvm::fltSemantics *semantics = nullptr;
  switch (type) {
  case ElementType::F32:
    semantics = &llvm::APFloat::IEEEsingle();
    break;
  case ElementType::F16:
    semantics = &llvm::APFloat::IEEEhalf();
    break;
  case ElementType::BF16:
    semantics = &llvm::APFloat::BFloat();
    break;
  default:
    return value;
  }
  llvm::APFloat rounded(value);
  bool losesInfo = false;
  rounded.convert(*semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  rounded.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.convertToDouble();
}

std::optional<Constant> ConstantEvaluator::evaluateAs(const Expr *expr,
                                                      ElementType type,
                                                      ExtentLookup extentOf) {
  auto *truth = llvm::dyn_cast<BoolLiteral>(expr);
  if (truth && type == ElementType::Bool)
    return Constant{truth->value, 0};
  takesComplex = isComplex(type);
  std::optional<Number> number =
      evaluate(expr, /*asReal=*/isFloat(partType(type)), extentOf);
  if (!number)
    return std::nullopt;
  Constant constant;
  if (isFloat(partType(type))) {
    std::complex<double> exact = number->asComplex();
    constant.real = roundToType(exact.real(), partType(type));
    constant.imaginary = roundToType(exact.imag(), partType(type));
    if ((std::isinf(constant.real) && !std::isinf(exact.real())) ||
        (std::isinf(constant.imaginary) && !std::isinf(exact.imag()))) {
      diagnostics.error(expr->range,
                        "number is too large for " + stringify(type));
      return std::nullopt;
    }
    return constant;
  }
  if (type == ElementType::Bool) {
    constant.integer = number->integer != 0;
    return constant;
  }
  if (!fitsInteger(number->integer, type)) {
    diagnostics.error(expr->range, "value " + toString(number->integer) +
                                       " does not fit in " + stringify(type));
    return std::nullopt;
  }
  constant.integer = static_cast<int64_t>(number->integer);
  return constant;
}

std::optional<Number> ConstantEvaluator::evaluateParam(const Expr *expr) {
  real = false;
  takesFloats = true;
  std::optional<Number> value = visit(expr);
  if (value && !value->isFloat &&
      !fitsInteger(value->integer, ElementType::I64))
    return fail(expr->range, "value " + toString(value->integer) +
                                 " does not fit in 64 bits");
  return value;
}

std::optional<Number> ConstantEvaluator::visit(const Expr *expr) {
  if (auto *literal = llvm::dyn_cast<IntLiteral>(expr))
    return Number::ofInteger(literal->value);
  if (auto *literal = llvm::dyn_cast<FloatLiteral>(expr)) {
    if (!takesFloats)
      return fail(expr->range, what + " is an integer");
    if (literal->isImaginary && !takesComplex)
      return fail(expr->range, what + " is real, this is imaginary");
    return literal->isImaginary ? Number::ofComplex({0, literal->value})
                                : Number::ofReal(literal->value);
  }
  if (auto *name = llvm::dyn_cast<NameExpr>(expr)) {
    const Binding *binding = scope.lookup(name->name);
    std::optional<double> number = scope.lookupNumber(name->name);
    if (number && takesFloats)
      return Number::ofReal(*number);
    if (number)
      return fail(expr->range,
                  what + " is an integer, '" + name->name + "' is not");
    if (!binding) {
      scope.reportUnknown(diagnostics, name->name, name->range, "param");
      return std::nullopt;
    }
    if (binding->kind == Binding::Kind::Poison)
      return std::nullopt;
    if (binding->kind == Binding::Kind::Constant) {
      if (binding->constant.isFloat && !takesFloats) {
        diagnostics
            .error(expr->range,
                   what + " is an integer, '" + name->name + "' is not")
            .note(binding->defined, "it is defined here");
        return std::nullopt;
      }
      return binding->constant;
    }
    diagnostics
        .error(expr->range, what + " is made of integers and params; '" +
                                name->name + "' is neither")
        .note(binding->defined, "it is defined here");
    return std::nullopt;
  }
  if (auto *extent = llvm::dyn_cast<ExtentExpr>(expr); extent && extents) {
    std::optional<int64_t> value = extents(*extent);
    if (!value)
      return std::nullopt;
    return Number::ofInteger(*value);
  }
  if (auto *unary = llvm::dyn_cast<UnaryExpr>(expr);
      unary && unary->op == UnaryOp::Neg) {
    std::optional<Number> value = visit(unary->operand);
    if (!value)
      return std::nullopt;
    if (value->isComplex)
      return Number::ofComplex(-value->asComplex());
    return value->isFloat ? Number::ofReal(-value->real)
                          : Number::ofInteger(-value->integer);
  }
  if (auto *binary = llvm::dyn_cast<BinaryExpr>(expr))
    return visitBinary(*binary);
  if (auto *call = llvm::dyn_cast<CallExpr>(expr))
    return visitCall(*call);
  return fail(expr->range,
              what + " is a constant made of numbers, params, + - * / and **");
}

std::optional<Number> ConstantEvaluator::visitBinary(const BinaryExpr &expr) {
  if (expr.op > BinaryOp::Pow)
    return fail(expr.opRange, what + " is a constant; '" + spelling(expr.op) +
                                  "' is not allowed in it");
  std::optional<Number> lhs = visit(expr.lhs);
  std::optional<Number> rhs = visit(expr.rhs);
  if (!lhs || !rhs)
    return std::nullopt;
  if (lhs->isComplex || rhs->isComplex)
    return complexResult(expr, *lhs, *rhs);
  if (expr.op == BinaryOp::Pow)
    return power(expr, *lhs, *rhs);
  if (isBitwise(expr.op))
    return bits(expr, *lhs, *rhs);
  bool isWhole = !lhs->isFloat && !rhs->isFloat;
  bool dividesExactly =
      isWhole && rhs->integer != 0 && lhs->integer % rhs->integer == 0;
  if (!isWhole || (real && expr.op == BinaryOp::Div && !dividesExactly)) {
    double a = lhs->asReal(), b = rhs->asReal();
    switch (expr.op) {
    case BinaryOp::Add:
      return Number::ofReal(a + b);
    case BinaryOp::Sub:
      return Number::ofReal(a - b);
    case BinaryOp::Mul:
      return Number::ofReal(a * b);
    case BinaryOp::FloorDiv:
      return Number::ofReal(floorQuotient(a, b));
    case BinaryOp::Mod:
      return Number::ofReal(floorRemainder(a, b));
    default:
      return Number::ofReal(a / b);
    }
  }
  WideInt a = lhs->integer, b = rhs->integer, result = 0;
  bool overflow = false;
  switch (expr.op) {
  case BinaryOp::Add:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case BinaryOp::Sub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case BinaryOp::Mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case BinaryOp::FloorDiv:
    result = b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0));
    break;
  case BinaryOp::Mod:
    result = b == 0 ? 0 : a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    break;
  default:
    if (b == 0)
      return fail(expr.range, "division by zero");
    result = a / b;
  }
  if (overflow || result > largest || result < -largest)
    return fail(expr.range, "value is too large");
  return Number::ofInteger(result);
}

std::optional<Number> ConstantEvaluator::complexResult(const BinaryExpr &expr,
                                                       Number lhs, Number rhs) {
  std::complex<double> a = lhs.asComplex(), b = rhs.asComplex();
  switch (expr.op) {
  case BinaryOp::Add:
    return Number::ofComplex(a + b);
  case BinaryOp::Sub:
    return Number::ofComplex(a - b);
  case BinaryOp::Mul:
    return Number::ofComplex(a * b);
  case BinaryOp::Div:
    return Number::ofComplex(rhs.isComplex ? a / b : a / rhs.asReal());
  default:
    return fail(expr.opRange, "'" + spelling(expr.op) +
                                  "' of imaginary numbers is no constant");
  }
}

std::optional<Number> ConstantEvaluator::bits(const BinaryExpr &expr,
                                              Number lhs, Number rhs) {
  if (lhs.isFloat || rhs.isFloat)
    return fail(expr.range, "'" + spelling(expr.op) + "' needs integers");
  WideInt a = lhs.integer, b = rhs.integer;
  // A negative count moves out all bits, as one that is large.
  int count = b < 0 || b > 127 ? 127 : static_cast<int>(b);
  switch (expr.op) {
  case BinaryOp::BitAnd:
    return Number::ofInteger(a & b);
  case BinaryOp::BitOr:
    return Number::ofInteger(a | b);
  case BinaryOp::BitXor:
    return Number::ofInteger(a ^ b);
  case BinaryOp::Shr:
    return Number::ofInteger(a >> count);
  default:
    if (a == 0 || b < 0)
      return Number::ofInteger(0);
    // Numbers have no width that bits could leave by.
    if (count > 125 || a > largest >> count || a < -(largest >> count))
      return fail(expr.range, "value is too large");
    return Number::ofInteger(a * (WideInt(1) << count));
  }
}

std::optional<Number> ConstantEvaluator::power(const BinaryExpr &expr,
                                               Number base, Number exponent) {
  if (base.isFloat || exponent.isFloat || (real && exponent.integer < 0))
    return Number::ofReal(std::pow(base.asReal(), exponent.asReal()));
  if (exponent.integer < 0)
    return fail(expr.range, "a negative power of an integer is no integer");
  WideInt result = 1, factor = base.integer;
  // Squaring first is as good as any: a factor of 2 and more overflows after
  // 127 steps at the latest, 0, 1 and -1 never do.
  for (WideInt rest = exponent.integer; rest > 0; rest /= 2) {
    bool overflow =
        rest % 2 != 0 && __builtin_mul_overflow(result, factor, &result);
    overflow |= rest > 1 && __builtin_mul_overflow(factor, factor, &factor);
    if (overflow || result > largest || result < -largest)
      return fail(expr.range, "value is too large");
  }
  return Number::ofInteger(result);
}

std::optional<Number> ConstantEvaluator::visitCall(const CallExpr &expr) {
  bool isMax = expr.callee == "max", isMin = expr.callee == "min";
  if (!isMax && !isMin)
    return fail(expr.range, what + " is a constant; '" + expr.callee +
                                "' cannot be used in it");
  if (!expr.names.empty())
    return fail(expr.names.back().range,
                "only macros take arguments by name, but '" + expr.callee +
                    "' is none");
  if (expr.args.size() != 2)
    return fail(expr.range, "'" + expr.callee + "' takes 2 arguments, got " +
                                llvm::Twine(expr.args.size()));
  std::optional<Number> a = visit(expr.args[0]), b = visit(expr.args[1]);
  if (!a || !b)
    return std::nullopt;
  if (a->isComplex || b->isComplex)
    return fail(expr.range, "complex numbers have no order");
  if (a->isFloat || b->isFloat) {
    llvm::APFloat x(a->asReal()), y(b->asReal());
    return Number::ofReal(
        (isMax ? maximum(x, y) : minimum(x, y)).convertToDouble());
  }
  return Number::ofInteger(isMax ? std::max(a->integer, b->integer)
                                 : std::min(a->integer, b->integer));
}
