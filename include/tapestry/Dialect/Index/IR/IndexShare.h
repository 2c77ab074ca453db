//===- IndexShare.h - What one thread computes ------------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXSHARE_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXSHARE_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexShare.h.inc"

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXSHARE_H
