//===- IndexOps.h - Operations of tapestry_index ----------------*- C++ -*-===//
//
// Projections, ranges and layouts at run-time indices: ApplyOp, ImageOp,
// IntersectOp, PartOp.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Support/Access.h"

namespace tapestry::index {
/// What ends with the run.
struct RunResource : public mlir::SideEffects::Resource::Base<RunResource> {
  llvm::StringRef getName() final { return "Run"; }
};
} // namespace tapestry::index

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexOps.h.inc"

namespace tapestry::index {

/// Emits value / divisor, rounding down; the divisor is positive.
mlir::Value emitFloorDivision(mlir::OpBuilder &builder, mlir::Location loc,
                              mlir::Value value, int64_t divisor);
/// Emits the value folded into [0, mod).
mlir::Value emitFold(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value value, int64_t mod, Fold fold);

/// Whether row-major numbers of the elements of a shape can be told apart from
/// none (require_c1).
mlir::LogicalResult verifyNumbered(mlir::Operation *op,
                                   llvm::ArrayRef<int64_t> shape);

/// Emits where the window begins that a block has of a piece: the least index,
/// in each dimension, that the points [starts, ends) read. Any where they read
/// nothing.
llvm::SmallVector<mlir::Value> emitWindowStarts(mlir::OpBuilder &builder,
                                                mlir::Location loc,
                                                const Access &access,
                                                mlir::ValueRange starts,
                                                mlir::ValueRange ends);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_H
