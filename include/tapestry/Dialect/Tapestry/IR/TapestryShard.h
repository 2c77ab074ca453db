//===- TapestryShard.h - Blocks of operators --------------------*- C++ -*-===//
//
// ShardOp, and what is asked of any operator that is sharded.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSHARD_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSHARD_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ScanInterface.h"
#include "llvm/ADT/SmallBitVector.h"
#include <memory>

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h.inc"

namespace tapestry::teg {

/// Whether an operator has blocks: it computes, and of what it reads alone, or
/// brings the elements of a tensor into the graph or out of it.
bool hasBlocks(mlir::Operation *op);

/// The labels that blocks of an operator may have less than all points of: none
/// of one that has no blocks of its own, as a view and a source; not the label
/// that values run on along, and no label whose points write regions.
llvm::SmallBitVector getShardedLabels(mlir::Operation *op);

/// Whether a block has all points of the labels that a result lacks.
bool isComplete(BlockOpInterface op, unsigned result,
                llvm::ArrayRef<ZRange> range);

/// What a block of `op` makes of a result: the part that it writes, of the
/// accumulator's type where it is not complete.
mlir::RankedTensorType getTypeOfPart(BlockOpInterface op, unsigned result,
                                     llvm::ArrayRef<ZRange> range);

/// What a block of `op`, whose operands are all tensors that it reads, is given
/// of one.
ZBox getSliceOf(BlockOpInterface op, unsigned operand,
                llvm::ArrayRef<ZRange> range);

/// Calls `fn` with the vertices of a graph and its loops, in order, until it
/// fails; not with the operators that vertices hold.
llvm::LogicalResult
forEachVertex(GraphOp graph,
              llvm::function_ref<llvm::LogicalResult(BlockOpInterface)> fn);

/// Whether a plan says something of an operator.
bool hasPlan(BlockOpInterface op);
/// Removes what a plan says of an operator.
void forgetPlan(BlockOpInterface op);

/// What an operator computes of its operands, whatever its name, the names of
/// its labels and its plan are; one that is compared often is asked once.
class Computation {
public:
  explicit Computation(mlir::Operation *op);
  /// Whether both compute the same of equal operands.
  bool operator==(const Computation &other) const;
  /// The same of what shards are of, whatever blocks of that they are.
  bool isOf(const Computation &other) const;
  /// Where `isOf` does not hold, what differs from the other, which is
  /// expected: "its monoid is ..., expected ...".
  std::string differenceFrom(const Computation &expected) const;
  /// Equal where `isOf` holds.
  size_t hash() const { return hash_value(meaning); }

private:
  /// Of the operator, not the shard of it: a copy that reads nothing, with
  /// numbers for labels.
  std::shared_ptr<mlir::Operation> op;
  mlir::SmallVector<mlir::Type> operandTypes;
  /// What it says of itself, but for its name.
  mlir::DictionaryAttr meaning;
  /// Null where the operator is no shard.
  index::RangeAttr range;
};

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYSHARD_H
