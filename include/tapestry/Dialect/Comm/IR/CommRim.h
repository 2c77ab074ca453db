//===- CommRim.h - What devices lack beside their parts ---------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_COMM_IR_COMMRIM_H
#define TAPESTRY_DIALECT_COMM_IR_COMMRIM_H

#include "tapestry/Dialect/Comm/IR/Comm.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommRim.h.inc"

#endif // TAPESTRY_DIALECT_COMM_IR_COMMRIM_H
