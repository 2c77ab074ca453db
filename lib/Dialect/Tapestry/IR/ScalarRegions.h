//===- ScalarRegions.h - Functions of scalars in ops ------------*- C++ -*-===//
//
// The bodies of einsums, and what einsums, scans and scatters have that combine
// values by a monoid of their own. Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SCALARREGIONS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SCALARREGIONS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "tapestry/Interfaces/Monoid.h"

namespace tapestry::teg {

/// Checks that a region, `what` in messages, has arguments of these types.
mlir::LogicalResult verifyArguments(mlir::Operation *op, llvm::StringRef what,
                                    mlir::Region &region,
                                    llvm::ArrayRef<mlir::Type> types);

/// Checks that a region is a pure scalar function, but for operations that
/// `isKnown` says are checked elsewhere.
mlir::LogicalResult
verifyScalarOps(mlir::Operation *op, llvm::StringRef what, mlir::Region &region,
                llvm::function_ref<bool(mlir::Operation &)> isKnown = nullptr);

/// The type that a region yields; null after an error where it yields nothing.
mlir::Type getYieldedType(mlir::Operation *op, llvm::StringRef what,
                          mlir::Region &region);

/// Checks that exactly a custom monoid has a combine region, from two values of
/// a type to one, and an identity of that type, which may be null.
mlir::LogicalResult verifyCombiner(mlir::Operation *op, Monoid monoid,
                                   mlir::Region &combiner,
                                   mlir::TypedAttr identity, mlir::Type type);

/// Operations of a region that cost time: not constants, labels, conversions of
/// type and terminators. Of complex numbers those on parts.
int64_t countFlops(mlir::Region &region);
/// The same of combining two values of a type, 0 without a monoid.
int64_t countCombineFlops(Monoid monoid, mlir::Region &combiner,
                          mlir::Type type);

/// Emits what a combine region does, also of booleans that lie in bytes.
mlir::Value emitCombiner(mlir::OpBuilder &builder, mlir::Region &combiner,
                         mlir::Value a, mlir::Value b);

// Of ops with a monoid and a combine region.

template <typename Op>
mlir::LogicalResult verifyCustomMonoid(Op op, mlir::Type type) {
  return verifyCombiner(op, op.getMonoid(), op.getCombiner(),
                        op.getCustomIdentityAttr(), type);
}

template <typename Op> mlir::TypedAttr identityOf(Op op, mlir::Type type) {
  return op.getMonoid() == Monoid::Custom
             ? op.getCustomIdentityAttr()
             : monoidIdentity(op.getMonoid(), type);
}

template <typename Op>
mlir::Value combine(Op op, mlir::OpBuilder &builder, mlir::Location loc,
                    mlir::Value a, mlir::Value b) {
  if (op.getMonoid() == Monoid::Custom)
    return emitCombiner(builder, op.getCombiner(), a, b);
  return emitMonoid(builder, loc, op.getMonoid(), a, b);
}

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_SCALARREGIONS_H
