//===- TapestryAwait.h - What follows a sequence point ----------*- C++ -*-===//
//
// AwaitOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h.inc"

namespace tapestry::teg {

/// Of an operator that reads nothing the points that it follows: those behind
/// which it stands of who awaits its results, or selectors of them that
/// `isView` says are looked through.
llvm::SmallVector<mlir::Value>
pointsBehind(mlir::Operation *op,
             llvm::function_ref<bool(mlir::Operation *)> isView);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_H
