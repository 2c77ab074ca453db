//===- ProductSum.h - Einsums that are reduced products ---------*- C++ -*-===//
//
// An einsum whose body is a product of factors, where the product distributes
// over the reduction, may be computed as any tree of smaller einsums. Which
// bodies those are is read off the scalar region and the monoid.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PRODUCTSUM_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PRODUCTSUM_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Planner/Contraction/ContractionOrder.h"

namespace tapestry::teg {

/// A part of an einsum's body that the product multiplies.
struct Factor {
  mlir::Value value;
  /// Whether the product is divided by the value.
  bool isInverse = false;
  /// The einsum's operands that it reads, ascending.
  llvm::SmallVector<unsigned, 1> operands;
  /// The einsum's labels that it depends on, through operands or by itself.
  contraction::LabelList labels;
};

/// An einsum seen as a reduced product.
struct ProductSum {
  EinsumOp op;
  /// The monoid that the product distributes over; the einsum's own unless it
  /// has none.
  Monoid monoid = Monoid::None;
  /// The operation that multiplies; null for a single factor. Quotients are
  /// products by arith.mulf with inverse factors.
  mlir::StringAttr times;
  /// Factors that depend on operands or labels.
  llvm::SmallVector<Factor, 3> factors;
  /// Factors that depend on neither.
  llvm::SmallVector<Factor, 1> scalars;

  /// The factors as operands of a contraction, by the einsum's label numbers.
  contraction::Contraction getContraction();
};

/// Whether `times` distributes over a monoid: x*(a+b) = x*a + x*b, as for
/// arith.mulf and add, up to rounding. Integer products wrap and distribute all
/// the same; integer sums under max do not.
bool distributesOver(mlir::OperationName times, Monoid monoid);

/// Sees `op` as a product reduced by `monoid`: its own monoid or, where it
/// reduces nothing, one that another einsum would bring. Fails with the reason
/// why it is none, or why its factors cannot be taken apart: windows, repeated
/// labels of one operand, empty extents.
llvm::Expected<ProductSum> matchProductSum(EinsumOp op, Monoid monoid);

/// Emits the steps of a tree before `product.op`, which stays, and returns the
/// value of the last one. The last takes the einsum's name, all others get
/// theirs from `freshName`.
mlir::Value emitTree(mlir::OpBuilder &builder, ProductSum &product,
                     const contraction::ContractionTree &tree,
                     llvm::function_ref<std::string()> freshName);

/// Emits one factor as an einsum of its own of this name, and the product with
/// it, before `product.op`; returns the product's value.
mlir::Value emitUnfused(mlir::OpBuilder &builder, ProductSum &product,
                        unsigned factor, llvm::StringRef name);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PRODUCTSUM_H
