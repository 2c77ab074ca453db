//===- IndexAssemble.h - Pieces of one tensor -------------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXASSEMBLE_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXASSEMBLE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexAssemble.h.inc"

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXASSEMBLE_H
