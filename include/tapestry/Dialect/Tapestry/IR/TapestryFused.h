//===- TapestryFused.h - Operators that are one vertex ----------*- C++ -*-===//
//
// FusedOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYFUSED_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYFUSED_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h.inc"

namespace tapestry::teg {

/// Why a producer and an operator that reads its result cannot be one; empty
/// where they can. Both stand by themselves in one block.
std::string whyNotFused(BlockOpInterface producer, BlockOpInterface consumer);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYFUSED_H
