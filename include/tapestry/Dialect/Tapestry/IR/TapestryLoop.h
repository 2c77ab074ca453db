//===- TapestryLoop.h - Loops of a graph ------------------------*- C++ -*-===//
//
// LoopOp and NextOp, which ends its body.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYLOOP_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYLOOP_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryLoop.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYLOOP_H
