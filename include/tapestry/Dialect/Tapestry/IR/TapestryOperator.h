//===- TapestryOperator.h - Operators by name -------------------*- C++ -*-===//
//
// OperatorOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_H
