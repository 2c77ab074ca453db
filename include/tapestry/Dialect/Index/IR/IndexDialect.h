//===- IndexDialect.h - The tapestry_index dialect --------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXDIALECT_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXDIALECT_H

#include "mlir/IR/Dialect.h"

#include "tapestry/Dialect/Index/IR/IndexDialect.h.inc"

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXDIALECT_H
