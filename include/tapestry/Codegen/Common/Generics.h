//===- Generics.h - Operations on buffers as linalg.generic -----*- C++ -*-===//
//
// What targets begin with: every operation on buffers in one form, and the
// fills from which reductions start.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_GENERICS_H
#define TAPESTRY_CODEGEN_COMMON_GENERICS_H

#include "tapestry/Codegen/Common/Nest.h"

namespace tapestry {

/// All operations on ranked buffers below `root`, as generics in their place,
/// in program order.
llvm::SmallVector<mlir::linalg::GenericOp>
collectGenerics(mlir::Operation *root);

/// The fill right before `nest`, a reduction with one output, from whose value
/// that could start instead of from memory; null where there is none.
mlir::linalg::GenericOp findFill(const Nest &nest);
/// The value that a fill stores.
mlir::Value filledValue(mlir::linalg::GenericOp fill);

/// Lets the only output of `nest`, a reduction, start from the value of a fill
/// right before it instead of from memory. Returns the fill, which is erased
/// then and stays as a key only; null where there is none.
mlir::Operation *foldFill(Nest &nest);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_GENERICS_H
