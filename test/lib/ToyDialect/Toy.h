//===- Toy.h - A dialect that Tapestry knows nothing of ---------*- C++ -*-===//

#ifndef TAPESTRY_TEST_TOYDIALECT_TOY_H
#define TAPESTRY_TEST_TOYDIALECT_TOY_H

#include "Placement.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Interfaces/BlockOpInterface.h"
#include "tapestry/Interfaces/RangeInterface.h"

#include "ToyDialect.h.inc"

#define GET_OP_CLASSES
#include "ToyOps.h.inc"

#endif // TAPESTRY_TEST_TOYDIALECT_TOY_H
