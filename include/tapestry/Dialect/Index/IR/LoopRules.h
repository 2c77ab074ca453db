//===- LoopRules.h - Functions that loops run -------------------*- C++ -*-===//
//
// What the loops of relations and of device programs ask of their bodies.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_LOOPRULES_H
#define TAPESTRY_DIALECT_INDEX_IR_LOOPRULES_H

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tapestry::index {

/// The function `body` of these argument and result types, which does not come
/// to `loop` again; fails with an error at that where there is none.
mlir::FailureOr<mlir::FunctionOpInterface>
lookupLoopBody(mlir::Operation *loop, mlir::FlatSymbolRefAttr body,
               mlir::SymbolTableCollection &symbols, mlir::TypeRange arguments,
               mlir::TypeRange results);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_LOOPRULES_H
