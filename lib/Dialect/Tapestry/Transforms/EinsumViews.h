//===- EinsumViews.h - Einsums that compute nothing -------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_EINSUMVIEWS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_EINSUMVIEWS_H

#include "GraphViews.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

/// Whether the readers of a tensor that is put together of what is behind it
/// may as well read that: it has one reader, or sources are behind it, which
/// need not be moved, and none reads an element twice; nor does the one reader
/// of every so many-th element.
bool isReadInPlace(mlir::Value tensor, const TensorView &behind,
                   const GraphViews &views);

/// Whether a tensor in steps is seen through other selectors, and all that is
/// seen is in steps, too: no reader is handed the tensors behind it. Made once,
/// it is read where it lies.
bool isSeenInSteps(mlir::Value tensor, GraphViews &views);

/// Whether each subscript is a constant, or a multiple of one label and a
/// constant.
bool isStepped(const Projection &read);

/// What the result of an einsum is of the tensors behind its operands, in at
/// most so many pieces: where its body yields an element of one operand, or of
/// several by comparing labels with numbers, each read in steps, with each
/// dimension of the result in one subscript. Nothing where it is anything else.
std::optional<TensorView> viewOfEinsum(EinsumOp op, GraphViews &views,
                                       size_t most);

/// Whether the readers of a view may read what is behind it: a copy would serve
/// none of them, and nobody asks for one, or how that is cut or kept.
bool isReadThrough(EinsumOp view, const TensorView &behind,
                   const GraphViews &views);

/// The einsum that computes at once what a view hands on of `tensor`: `op` with
/// the body of the einsum in it that makes it, where that reduces nothing,
/// nobody else reads it, and no element is handed on twice; as an operation in
/// no block. Null where it is none, or is asked for as it is.
EinsumOp computedInPlace(EinsumOp op, mlir::Value tensor);

/// An einsum of the same name that reads all of an operator's only result as it
/// is.
EinsumOp readerOf(BlockOpInterface op, mlir::OpBuilder &builder);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_EINSUMVIEWS_H
