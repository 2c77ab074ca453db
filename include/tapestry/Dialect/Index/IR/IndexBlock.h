//===- IndexBlock.h - Calls of functions from outside -----------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXBLOCK_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXBLOCK_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexBlock.h.inc"

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXBLOCK_H
