//===- RelativeSums.h - Bodies that sum up exp(x - m) -----------*- C++ -*-===//
//
// What passes have in common that sum up exp(x - m) with another m than the
// maximum of x, and scale the sums for that.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_RELATIVESUMS_H
#define TAPESTRY_DIALECT_INDEX_IR_RELATIVESUMS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tapestry::index {

/// `value` if it is |number| < inf ? number : 0, which is what macros subtract;
/// null for all else.
mlir::arith::SelectOp matchFiniteOrZero(mlir::Value value, mlir::Value number);

/// Whether both operations do the same, neither having regions, with operands
/// that `areSame`.
bool isSameOp(mlir::Operation *a, mlir::Operation *b,
              llvm::function_ref<bool(mlir::Value, mlir::Value)> areSame);

/// -inf.
mlir::Value emitLeast(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type);
/// Whether `value` is -inf.
mlir::Value emitIsLeast(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::Value value);

/// sum * weight. A weight of 0 leaves nothing of numbers, infinite ones
/// included: there may have been too much for the type. With `isVoid` it leaves
/// nothing of what is no number where that holds.
mlir::Value emitWeighed(mlir::OpBuilder &b, mlir::Location loc, mlir::Value sum,
                        mlir::Value weight, mlir::Value isVoid = {});

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_RELATIVESUMS_H
