//===- TapestryScan.h - Running values --------------------------*- C++ -*-===//
//
// ScanOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCAN_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCAN_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ScanInterface.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryScan.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCAN_H
