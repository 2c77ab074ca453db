//===- Speculation.h - Whether a body may run too often ---------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_SPECULATION_H
#define TAPESTRY_DIALECT_INDEX_IR_SPECULATION_H

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tapestry::index {

/// Whether `op`, which has no effect but what its regions do, may run where it
/// would not: as MLIR's RecursivelySpeculatable, but that remainders and
/// floored quotients of integers, too, end a program where they divide by 0.
mlir::Speculation::Speculatability speculatabilityOf(mlir::Operation *op);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_SPECULATION_H
