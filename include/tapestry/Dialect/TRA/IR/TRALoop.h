//===- TRALoop.h - Loops of a program over relations ------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TRA_IR_TRALOOP_H
#define TAPESTRY_DIALECT_TRA_IR_TRALOOP_H

#include "mlir/IR/SymbolTable.h"
#include "tapestry/Dialect/TRA/IR/TRA.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/TRA/IR/TRALoop.h.inc"

#endif // TAPESTRY_DIALECT_TRA_IR_TRALOOP_H
