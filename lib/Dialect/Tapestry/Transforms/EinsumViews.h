//===- EinsumViews.h - Einsums that compute nothing -------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_EINSUMVIEWS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_EINSUMVIEWS_H

#include "GraphViews.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

/// Whether nobody else reads a tensor.
bool isReadByAlone(mlir::Value tensor, mlir::Operation *reader);

/// Whether each subscript is a constant, or a label and a constant.
bool isShifted(const Projection &read);

/// What the result of an einsum is of the tensors behind its operands, in at
/// most so many pieces: where its body yields an element of one operand, or of
/// several by comparing labels with numbers, each read at a shift, with each
/// dimension of the result in one subscript. Nothing where it is anything else.
std::optional<TensorView> viewOfEinsum(EinsumOp op, GraphViews &views,
                                       size_t most);

/// Whether a reader of a view, which is its only one, may read what is behind
/// it: nobody asks for a copy, or how that is cut or kept.
bool isReadThrough(EinsumOp view);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_EINSUMVIEWS_H
