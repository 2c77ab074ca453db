//===- Monoid.h - The named monoids of reductions ---------------*- C++ -*-===//
//
// What the monoids none, add, mul, max, min, and, or and xor mean for an
// element type: whether they are legal, their identity, and the arith op that
// combines. Booleans (i1) are ordered false < true; other integers are signed.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_MONOID_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_MONOID_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h"

namespace tapestry::teg {

/// Whether `monoid` combines values of this element type: and, or and xor need
/// integers, add and mul anything but i1. True for none and custom.
bool isLegalMonoid(Monoid monoid, mlir::Type elementType);

/// The identity of a named monoid: 0, 1, -inf or the smallest integer, +inf or
/// the largest, all ones, 0, 0. Null for none and custom.
mlir::TypedAttr getMonoidIdentity(Monoid monoid, mlir::Type elementType);

/// Emits a combined with b by a named monoid; max and min of floats propagate
/// NaN. Null for none and custom.
mlir::Value emitMonoid(mlir::OpBuilder &builder, mlir::Location loc,
                       Monoid monoid, mlir::Value a, mlir::Value b);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_MONOID_H
