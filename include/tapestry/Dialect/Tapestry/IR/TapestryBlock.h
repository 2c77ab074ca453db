//===- TapestryBlock.h - Blocks with signatures -----------------*- C++ -*-===//
//
// BlockOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYBLOCK_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYBLOCK_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYBLOCK_H
