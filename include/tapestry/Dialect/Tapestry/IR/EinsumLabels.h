//===- EinsumLabels.h - What an einsum's body does with labels --*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_EINSUMLABELS_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_EINSUMLABELS_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tapestry::teg {

/// The labels that occur in a subscript, in the result or in a label of the
/// body, as all have to (einsum_c8).
llvm::SmallBitVector findUsedLabels(EinsumOp op);

/// Gives the body the labels that occur nowhere else, as where subscripts are
/// no longer those that they were.
void keepLabels(EinsumOp op, mlir::OpBuilder &builder);

/// A box of index points outside of which no value follows from an operand, for
/// the body chooses another one there by comparing labels with numbers; all
/// points where that is not understood, or no point sees it.
ZBox pointsThatSee(EinsumOp op, unsigned operand);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_EINSUMLABELS_H
