//===- IndexConstant.h - A device's part of a constant ----------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXCONSTANT_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXCONSTANT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexConstant.h.inc"

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXCONSTANT_H
