//===- TapestryAwait.h - What follows a sequence point ----------*- C++ -*-===//
//
// AwaitOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYAWAIT_H
