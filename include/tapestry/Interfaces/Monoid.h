//===- Monoid.h - How reduced values are combined ---------------*- C++ -*-===//
//
// The monoids of every dialect here: none, add, mul, max, min, and, or, xor and
// custom, whose combination and identity the op itself brings. What a named one
// means for an element type: whether it is legal, its identity and the arith op
// that combines. Booleans (i1) are ordered false < true; other integers are
// signed.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_MONOID_H
#define TAPESTRY_INTERFACES_MONOID_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

#include "tapestry/Interfaces/Monoid.h.inc"

namespace tapestry {

/// Whether `monoid` combines values of this element type: and, or and xor need
/// integers, add and mul anything but i1, max and min anything but complex
/// numbers. True for none and custom.
bool isLegalMonoid(Monoid monoid, mlir::Type elementType);

/// The element e of a named monoid with e ⊕ x = x: 0, 1, -inf or the least
/// integer, inf or the greatest, all ones, 0, 0. Null where the monoid is none
/// or custom or not legal for the type.
mlir::TypedAttr monoidIdentity(Monoid monoid, mlir::Type elementType);

/// Emits `a ⊕ b` of a named monoid that is legal for their type; max and min of
/// floats propagate NaN. Null for none and custom.
mlir::Value emitMonoid(mlir::OpBuilder &builder, mlir::Location loc,
                       Monoid monoid, mlir::Value a, mlir::Value b);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_MONOID_H
