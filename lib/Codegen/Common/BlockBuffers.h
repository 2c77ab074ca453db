//===- BlockBuffers.h - What loops over blocks put in place -----*- C++ -*-===//
//
// Buffers of one block in place of whole ones, and the loop that becomes a
// kernel in place of the operations that it computes block by block.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_COMMON_BLOCKBUFFERS_H
#define TAPESTRY_LIB_CODEGEN_COMMON_BLOCKBUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tapestry/Codegen/Common/IndexBuilder.h"
#include "llvm/ADT/MapVector.h"

namespace tapestry {

/// Whole buffers, and those of a block.
using BlockBuffers = llvm::MapVector<mlir::Value, mlir::Value>;

/// A dimension's size; of an allocated buffer, as it was allocated.
mlir::OpFoldResult sizeOf(IndexBuilder &b, mlir::Value buffer, unsigned dim);

mlir::Value allocateBlock(IndexBuilder &b,
                          llvm::ArrayRef<mlir::OpFoldResult> sizes,
                          mlir::Type element);

/// Makes the loop a kernel with what is said of the operation that it replaces.
void becomeKernel(IndexBuilder &b, mlir::Operation *loop,
                  mlir::Operation *replaced);

/// Erases the whole buffers with what still uses them, their frees.
void eraseReplaced(const BlockBuffers &buffers);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_COMMON_BLOCKBUFFERS_H
