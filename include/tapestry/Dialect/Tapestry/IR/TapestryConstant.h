//===- TapestryConstant.h - Tensors that a graph holds ----------*- C++ -*-===//
//
// ConstantOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCONSTANT_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCONSTANT_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryConstant.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYCONSTANT_H
