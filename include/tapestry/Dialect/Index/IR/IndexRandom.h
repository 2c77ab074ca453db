//===- IndexRandom.h - Random numbers of points -----------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_INDEXRANDOM_H
#define TAPESTRY_DIALECT_INDEX_IR_INDEXRANDOM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "tapestry/Dialect/Index/IR/IndexRandomEnums.h.inc"

namespace tapestry::index {
/// i64, or as many of them as `type` has elements.
mlir::Type wordsLike(mlir::Type type);
/// Whether numbers of that kind can be drawn of a type; says why not.
mlir::LogicalResult
verifyDrawn(RandomKind kind, mlir::Type element,
            llvm::function_ref<mlir::InFlightDiagnostic()> emitError);
} // namespace tapestry::index

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexRandom.h.inc"

#endif // TAPESTRY_DIALECT_INDEX_IR_INDEXRANDOM_H
