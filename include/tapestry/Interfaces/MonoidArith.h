//===- MonoidArith.h - Monoids in the arith dialect -------------*- C++ -*-===//
//
// The built-in ⊕ of every dialect here share their names: add, mul, max, min,
// and, or, xor. These functions give each its operation and its identity.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_MONOIDARITH_H
#define TAPESTRY_INTERFACES_MONOIDARITH_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"

namespace tapestry {

/// Emits `a ⊕ b`. max and min propagate NaN; integers are signed. `name` is a
/// built-in monoid that is legal for the type of `a`.
mlir::Value emitMonoid(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::StringRef name, mlir::Value a, mlir::Value b);

/// The element e with e ⊕ x = x: 0, 1, -inf or the least integer, inf or the
/// greatest, all ones, 0, 0. Null when `name` has none for this type.
mlir::TypedAttr monoidIdentity(llvm::StringRef name, mlir::Type type);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_MONOIDARITH_H
