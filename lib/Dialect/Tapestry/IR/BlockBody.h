//===- BlockBody.h - Bodies of blocks ---------------------------*- C++ -*-===//
//
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_BLOCKBODY_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_BLOCKBODY_H

#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"

namespace tapestry::teg {

/// Checks block_c12 of a block that has a body.
mlir::LogicalResult verifyBody(BlockOp op);

/// As BlockOp::lowerLocal and BlockOp::evaluateRange, of a block with a body.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
lowerBody(BlockOp op, mlir::OpBuilder &builder, mlir::Location loc,
          const LocalBlock &block);
llvm::Expected<std::vector<HostTensor>>
evaluateBody(BlockOp op, llvm::ArrayRef<const HostTensor *> operands,
             llvm::ArrayRef<ZRange> range);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_BLOCKBODY_H
