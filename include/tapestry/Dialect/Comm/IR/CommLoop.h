//===- CommLoop.h - Loops of a device program -------------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_COMM_IR_COMMLOOP_H
#define TAPESTRY_DIALECT_COMM_IR_COMMLOOP_H

#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "tapestry/Dialect/Comm/IR/Comm.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommLoop.h.inc"

#endif // TAPESTRY_DIALECT_COMM_IR_COMMLOOP_H
