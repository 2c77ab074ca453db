//===- Monoid.cpp - How reduced values are combined -----------------------===//

#include "tapestry/Interfaces/Monoid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;

#include "tapestry/Interfaces/Monoid.cpp.inc"

bool tapestry::isLegalMonoid(Monoid monoid, Type elementType) {
  switch (monoid) {
  case Monoid::None:
  case Monoid::Custom:
    return true;
  case Monoid::Max:
  case Monoid::Min:
    // Complex numbers have no order.
    return !isa<ComplexType>(elementType);
  case Monoid::Add:
  case Monoid::Mul:
    return !elementType.isInteger(1);
  case Monoid::And:
  case Monoid::Or:
  case Monoid::Xor:
    return isa<IntegerType>(elementType);
  }
  return false;
}

/// The upstream name of a monoid, which arith knows to build and to neutralise.
static std::optional<arith::AtomicRMWKind> kindOf(Monoid monoid, Type type) {
  using Kind = arith::AtomicRMWKind;
  if (!isLegalMonoid(monoid, type))
    return std::nullopt;
  bool isFloat = isa<FloatType>(type);
  bool isBool = type.isInteger(1);
  switch (monoid) {
  case Monoid::None:
  case Monoid::Custom:
    return std::nullopt;
  case Monoid::Add:
    return isFloat ? Kind::addf : Kind::addi;
  case Monoid::Mul:
    return isFloat ? Kind::mulf : Kind::muli;
  // The value of a bool is 0 or 1, not 0 or -1.
  case Monoid::Max:
    return isFloat ? Kind::maximumf : isBool ? Kind::maxu : Kind::maxs;
  case Monoid::Min:
    return isFloat ? Kind::minimumf : isBool ? Kind::minu : Kind::mins;
  case Monoid::And:
    return Kind::andi;
  case Monoid::Or:
    return Kind::ori;
  case Monoid::Xor:
    return Kind::xori;
  }
  return std::nullopt;
}

Value tapestry::emitMonoid(OpBuilder &builder, Location loc, Monoid monoid,
                           Value a, Value b) {
  if (isa<ComplexType>(a.getType())) {
    if (monoid == Monoid::Add)
      return complex::AddOp::create(builder, loc, a, b);
    return monoid == Monoid::Mul
               ? Value(complex::MulOp::create(builder, loc, a, b))
               : Value();
  }
  auto kind = kindOf(monoid, a.getType());
  // Upstream's reductions lack xor.
  if (kind == arith::AtomicRMWKind::xori)
    return arith::XOrIOp::create(builder, loc, a, b);
  return kind ? arith::getReductionOp(*kind, builder, loc, a, b) : Value();
}

TypedAttr tapestry::monoidIdentity(Monoid monoid, Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType)) {
    bool isMul = monoid == Monoid::Mul;
    return isMul || monoid == Monoid::Add ? complexValue(complex, isMul, 0)
                                          : TypedAttr();
  }
  auto kind = kindOf(monoid, elementType);
  if (!kind)
    return {};
  OpBuilder builder(elementType.getContext());
  if (kind == arith::AtomicRMWKind::xori)
    return builder.getIntegerAttr(elementType, 0);
  return arith::getIdentityValueAttr(*kind, elementType, builder,
                                     UnknownLoc::get(elementType.getContext()));
}
