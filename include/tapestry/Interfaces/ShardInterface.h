//===- ShardInterface.h - Operators whose blocks are operators --*- C++ -*-===//
//
// Declares ShardInterface: what an operator brings so that a graph may say
// block by block what it computes.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_SHARDINTERFACE_H
#define TAPESTRY_INTERFACES_SHARDINTERFACE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "tapestry/Support/Projection.h"
#include <optional>

namespace tapestry {

/// What an operator that computes a block is made of.
struct ShardedBlock {
  llvm::StringRef name;
  /// The block; the operator's extents are its sizes.
  ZBox range;
  /// Whether it says its range. One that does not is a whole and starts at 0.
  bool isShard = true;
  /// One per operand, from the operator's own index points, linear or wrapping
  /// around: it folds as the operator does that it is made after.
  mlir::ValueRange operands;
  llvm::ArrayRef<Projection> projections;
  /// Of the result: the accumulator's where that is partial.
  mlir::Type elementType;
};

} // namespace tapestry

#include "tapestry/Interfaces/ShardInterface.h.inc"

#endif // TAPESTRY_INTERFACES_SHARDINTERFACE_H
