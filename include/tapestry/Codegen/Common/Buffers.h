//===- Buffers.h - Which operation touches which buffer ---------*- C++ -*-===//
//
// The memory side of straight-line code over buffers: views lead back to the
// buffer that they show, and operations on memory that is known to be distinct
// may change places.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_BUFFERS_H
#define TAPESTRY_CODEGEN_COMMON_BUFFERS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace tapestry {

/// What `memref` is a view of; null when it is none.
mlir::Value viewSourceOf(mlir::Value memref);

/// The buffer that `memref` is a view of, as far as that can be seen.
mlir::Value rootOf(mlir::Value memref);

/// Whether nothing but views of `root` shows its memory: it was allocated here,
/// or is an argument that the function's caller says so of (`llvm.noalias`).
/// What another operation hands on (a selection, a call) may show it still.
bool isDistinct(mlir::Value root);

/// Whether `root` may show any memory: nothing is known of where it comes from.
bool isOfUnknownOrigin(mlir::Value root);

/// Whether memory of `a` may be memory of `b`. Values that are no buffers have
/// none.
bool mayAlias(mlir::Value a, mlir::Value b);

/// A view of what lies one element behind each that `cast` shows.
mlir::Value viewOfNext(mlir::OpBuilder &b,
                       mlir::memref::ReinterpretCastOp cast);

/// Whether `next` shows the elements one behind each that `memref` shows.
bool isViewOfNext(mlir::Value next, mlir::Value memref);

/// The buffer of one element that lies at `pointer`; casts of it show more.
mlir::Value elementAt(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value pointer, mlir::Type element);

/// Bytes of an element in memory; none for types other than numbers.
std::optional<int64_t> storedBytes(mlir::Type element);

struct Touch {
  mlir::Value buffer;
  bool writes = false;
};

/// The buffers that `op` loads from inside its body, whose operands say nothing
/// of that: a gather's. Such an operation stays where and as it is. None when
/// the body does something else to memory.
std::optional<llvm::SmallVector<mlir::Value>>
buffersLoadedBy(mlir::linalg::LinalgOp op);

/// Whether nothing in the body of `op` has to do with memory.
bool hasPureBody(mlir::linalg::LinalgOp op);

/// The values through which `op` reads or writes buffers; none when that is not
/// known and it may be any.
std::optional<llvm::SmallVector<Touch>> accessesOf(mlir::Operation *op);

/// The same by the roots of those values.
std::optional<llvm::SmallVector<Touch>> touchesOf(mlir::Operation *op);

/// Whether the order of `a` and `b` matters to memory.
bool conflict(mlir::Operation *a, mlir::Operation *b);

/// Whether `op` may touch memory of `buffer`.
bool touches(mlir::Operation *op, mlir::Value buffer);

/// Whether `op` frees what was allocated here, and can thus wait.
bool isLocalFree(mlir::Operation *op);

/// memref.copy as a generic in its place, so that it needs no runtime function.
mlir::linalg::GenericOp copyToGeneric(mlir::RewriterBase &rewriter,
                                      mlir::memref::CopyOp copy);

/// Whether `op` computes every element of its one result from values at that
/// point, and from nothing that the result held before.
bool isElementwise(mlir::linalg::GenericOp op);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_BUFFERS_H
