//===- TapestryAttrs.h - Enumerations and attributes of tapestry *- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/DialectImplementation.h"

#include "tapestry/Dialect/Tapestry/IR/TapestryEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_H
