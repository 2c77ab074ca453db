//===- TapestrySelectors.h - Views of tensors -------------------*- C++ -*-===//
//
// The selector expressions, apart from the other ops of tapestry, which more
// files know: SliceOp, ConcatOp, UnsqueezeOp, SqueezeOp, PermuteOp, ReverseOp,
// BroadcastOp, RepeatOp, PadOp, CopyOp.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSELECTORS_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSELECTORS_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/SelectorInterface.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSELECTORS_H
