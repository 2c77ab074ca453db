//===- Buffers.h - Which operation touches which buffer ---------*- C++ -*-===//
//
// The memory side of straight-line code over buffers: views lead back to the
// buffer that they show, and operations on different buffers may change places.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_COMMON_BUFFERS_H
#define TAPESTRY_LIB_CODEGEN_COMMON_BUFFERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tapestry {

/// The buffer that `memref` is a view of. Different roots never overlap.
mlir::Value rootOf(mlir::Value memref);

struct Touch {
  mlir::Value root;
  bool writes = false;
};

/// The buffers that `op` loads from inside its body, whose operands say nothing
/// of that: a gather's. Such an operation stays where and as it is.
llvm::SmallVector<mlir::Value> buffersLoadedBy(mlir::linalg::LinalgOp op);

/// The buffers that `op` reads or writes; none when that is not known and it
/// may be any.
std::optional<llvm::SmallVector<Touch>> touchesOf(mlir::Operation *op);

/// Whether the order of `a` and `b` matters to memory.
bool conflict(mlir::Operation *a, mlir::Operation *b);

/// Whether `op` may touch `root`.
bool touches(mlir::Operation *op, mlir::Value root);

/// `op` can be moved down to right before `target`, later in its block. Frees
/// in between do not count: the caller delays them.
bool canSink(mlir::Operation *op, mlir::Operation *target);

/// Whether `op` computes every element of its one result from values at that
/// point, and from nothing that the result held before.
bool isElementwise(mlir::linalg::GenericOp op);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_COMMON_BUFFERS_H
