//===- TapestryScatter.h - Writes at places that data name ------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCATTER_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCATTER_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSCATTER_H
