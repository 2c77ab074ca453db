//===- TapestryDialect.h - The tapestry dialect -----------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIALECT_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIALECT_H

#include "mlir/IR/Dialect.h"

#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYDIALECT_H
