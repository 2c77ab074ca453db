//===- GraphLoopInterface.h - Loops of a graph ------------------*- C++ -*-===//
//
// Declares GraphLoopInterface: operations that run a part of a graph several
// times.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_GRAPHLOOPINTERFACE_H
#define TAPESTRY_INTERFACES_GRAPHLOOPINTERFACE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/OpDefinition.h"

#include "tapestry/Interfaces/GraphLoopInterface.h.inc"

namespace tapestry {

/// The result of an operator that `tensor` is for its readers: of what a loop
/// carries the first value inside of the loop and the last one behind it.
mlir::OpResult producerOf(mlir::Value tensor);

/// Whether somebody outside of a graph sees `tensor`.
bool isHandedOut(mlir::Value tensor);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_GRAPHLOOPINTERFACE_H
