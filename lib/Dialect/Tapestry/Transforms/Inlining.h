//===- Inlining.h - A producer's body inside its reader's -------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_INLINING_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_INLINING_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "llvm/Support/Error.h"

namespace tapestry::teg {

/// The einsum that computes what `reader` does, with every read of `producer`
/// replaced by its body, as an operation in no block. It reduces by `monoid`,
/// over the labels that `producer` reduces too, which get names that `reader`
/// does not have; whether that is the same value is the caller's to know.
/// Fails, with the reason, where a read may see a pad, a label of the
/// producer's body has no label of the reader for it, a label of the reader
/// would occur nowhere, or the body would become too long.
llvm::Expected<EinsumOp> inlineProducer(EinsumOp reader, EinsumOp producer,
                                        Monoid monoid);

/// Success where an einsum may become others. What a user asks of one (a pin of
/// its labels, a layout group) is written on it as attributes, and is about the
/// einsum as it is.
llvm::Error checkUnasked(EinsumOp op);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_INLINING_H
