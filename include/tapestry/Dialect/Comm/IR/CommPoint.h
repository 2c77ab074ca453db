//===- CommPoint.h - The order of a device program --------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_COMM_IR_COMMPOINT_H
#define TAPESTRY_DIALECT_COMM_IR_COMMPOINT_H

#include "tapestry/Dialect/Comm/IR/Comm.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommPoint.h.inc"

#endif // TAPESTRY_DIALECT_COMM_IR_COMMPOINT_H
