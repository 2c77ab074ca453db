//===- Monoid.cpp - The named monoids of reductions -----------------------===//

#include "tapestry/Dialect/Tapestry/IR/Monoid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

bool teg::isLegalMonoid(Monoid monoid, Type elementType) {
  switch (monoid) {
  case Monoid::None:
  case Monoid::Custom:
  case Monoid::Max:
  case Monoid::Min:
    return true;
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

static TypedAttr getFloatIdentity(Monoid monoid, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  switch (monoid) {
  case Monoid::Add:
    return FloatAttr::get(type, llvm::APFloat::getZero(semantics));
  case Monoid::Mul:
    return FloatAttr::get(type, llvm::APFloat::getOne(semantics));
  case Monoid::Max:
    return FloatAttr::get(type,
                          llvm::APFloat::getInf(semantics, /*Negative=*/true));
  case Monoid::Min:
    return FloatAttr::get(type, llvm::APFloat::getInf(semantics));
  default:
    return {};
  }
}

static TypedAttr getIntegerIdentity(Monoid monoid, IntegerType type) {
  unsigned width = type.getWidth();
  // Booleans are ordered false < true, as unsigned numbers are.
  bool isBool = width == 1;
  switch (monoid) {
  case Monoid::Add:
  case Monoid::Or:
  case Monoid::Xor:
    return IntegerAttr::get(type, llvm::APInt::getZero(width));
  case Monoid::Mul:
    return IntegerAttr::get(type, llvm::APInt(width, 1));
  case Monoid::And:
    return IntegerAttr::get(type, llvm::APInt::getAllOnes(width));
  case Monoid::Max:
    return IntegerAttr::get(type, isBool
                                      ? llvm::APInt::getZero(width)
                                      : llvm::APInt::getSignedMinValue(width));
  case Monoid::Min:
    return IntegerAttr::get(type, isBool
                                      ? llvm::APInt::getAllOnes(width)
                                      : llvm::APInt::getSignedMaxValue(width));
  default:
    return {};
  }
}

TypedAttr teg::getMonoidIdentity(Monoid monoid, Type elementType) {
  if (auto type = dyn_cast<FloatType>(elementType))
    return getFloatIdentity(monoid, type);
  if (auto type = dyn_cast<IntegerType>(elementType))
    return getIntegerIdentity(monoid, type);
  return {};
}

Value teg::emitMonoid(OpBuilder &builder, Location loc, Monoid monoid, Value a,
                      Value b) {
  bool isFloat = isa<FloatType>(a.getType());
  bool isBool = a.getType().isInteger(1);
  switch (monoid) {
  case Monoid::Add:
    if (isFloat)
      return arith::AddFOp::create(builder, loc, a, b);
    return arith::AddIOp::create(builder, loc, a, b);
  case Monoid::Mul:
    if (isFloat)
      return arith::MulFOp::create(builder, loc, a, b);
    return arith::MulIOp::create(builder, loc, a, b);
  case Monoid::Max:
    if (isFloat)
      return arith::MaximumFOp::create(builder, loc, a, b);
    if (isBool)
      return arith::MaxUIOp::create(builder, loc, a, b);
    return arith::MaxSIOp::create(builder, loc, a, b);
  case Monoid::Min:
    if (isFloat)
      return arith::MinimumFOp::create(builder, loc, a, b);
    if (isBool)
      return arith::MinUIOp::create(builder, loc, a, b);
    return arith::MinSIOp::create(builder, loc, a, b);
  case Monoid::And:
    return arith::AndIOp::create(builder, loc, a, b);
  case Monoid::Or:
    return arith::OrIOp::create(builder, loc, a, b);
  case Monoid::Xor:
    return arith::XOrIOp::create(builder, loc, a, b);
  case Monoid::None:
  case Monoid::Custom:
    break;
  }
  return {};
}
