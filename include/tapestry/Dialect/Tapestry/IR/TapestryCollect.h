//===- TapestryCollect.h - Rows put into a tensor ---------------*- C++ -*-===//
//
// CollectOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCOLLECT_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCOLLECT_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryCollect.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCOLLECT_H
