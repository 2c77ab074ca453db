//===- LocalJoin.h - One device's share of a join or block ------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALJOIN_H
#define TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALJOIN_H

#include "LocalBorders.h"

namespace tapestry {

/// Copies the ⊕ region of an aggregate into that of a collective, which
/// combines stored elements.
void emitStoredCombine(mlir::OpBuilder &builder, mlir::Region &from,
                       mlir::Region &to);

/// Emits what `device` computes of `join` from its parts of the operands: a
/// linalg.generic over the device's block of the index space, preceded by the
/// padding that its windows reach for, or one for each region of the block
/// where these are computed apart. Returns the device's part of the
/// result.
mlir::Value lowerLocalJoin(mlir::OpBuilder &builder, tra::JoinOp join,
                           bool isApart, llvm::ArrayRef<HeldParts> operands,
                           mlir::Value device);

/// The same for a block: its body on the device's windows and bounds. One part
/// per result.
llvm::SmallVector<mlir::Value> lowerLocalBlock(mlir::OpBuilder &builder,
                                               tra::BlockOp block,
                                               mlir::ValueRange operands,
                                               mlir::Value device);

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALJOIN_H
