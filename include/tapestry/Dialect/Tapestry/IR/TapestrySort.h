//===- TapestrySort.h - Elements in order -----------------------*- C++ -*-===//
//
// SortOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSORT_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSORT_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ScanInterface.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestrySort.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSORT_H
