//===- UnsignedMonoid.h - The largest of unsigned integers ------*- C++ -*-===//
//
// Private to the dialect. Of named monoids only the maximum and the minimum
// have a sign.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_UNSIGNEDMONOID_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_UNSIGNEDMONOID_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Interfaces/Monoid.h"

namespace tapestry::teg {

template <typename Op>
mlir::LogicalResult verifyUnsigned(Op op, mlir::Type element) {
  bool compares =
      op.getMonoid() == Monoid::Max || op.getMonoid() == Monoid::Min;
  if (!op.getUnsignedElements() ||
      (compares && mlir::isa<mlir::IntegerType>(element) &&
       !element.isInteger(1)))
    return mlir::success();
  return op.emitOpError() << "combines unsigned elements of type " << element
                          << " by '" << stringifyMonoid(op.getMonoid())
                          << "', expected the maximum or minimum of integers";
}

template <typename Op> mlir::TypedAttr identityOf(Op op, mlir::Type element) {
  if (!op.getUnsignedElements())
    return monoidIdentity(op.getMonoid(), element);
  return mlir::IntegerAttr::get(element,
                                op.getMonoid() == Monoid::Max ? 0 : -1);
}

template <typename Op>
mlir::Value combine(Op op, mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value a, mlir::Value b) {
  if (!op.getUnsignedElements())
    return emitMonoid(builder, loc, op.getMonoid(), a, b);
  if (op.getMonoid() == Monoid::Max)
    return mlir::arith::MaxUIOp::create(builder, loc, a, b);
  return mlir::arith::MinUIOp::create(builder, loc, a, b);
}

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_UNSIGNEDMONOID_H
