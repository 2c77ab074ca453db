//===- IndexOps.h - Operations of tapestry_index ----------------*- C++ -*-===//
//
// Projections, ranges and layouts at run-time indices: ApplyOp, ImageOp,
// IntersectOp, BoundingBoxOp, PartOp, CoversOp.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexOps.h.inc"

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXOPS_H
