//===- PlainBlock.h - Plain operators as blocks of others -------*- C++ -*-===//
//
// An operator on slices may be a block of one on the tensors that these are
// slices of: where its index space lies in that one's, and its operands in the
// tensors, it is written as a shard.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINBLOCK_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINBLOCK_H

#include "FreshNames.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"

namespace tapestry::teg {

/// A tensor that a whole operator reads.
struct WholeOperand {
  llvm::SmallVector<int64_t> shape;
  /// The cell that is the first of the block's operand.
  llvm::SmallVector<int64_t> origin;
};

/// Where an operator lies in one that it may be a block of.
struct PlainBlock {
  /// Per label of the whole.
  llvm::SmallVector<int64_t> extents;
  ZBox range;
  llvm::SmallVector<WholeOperand> operands;
  /// What the whole reads beside its tensors, for what the block does not
  /// leave; null where there is no such.
  mlir::ArrayAttr pads;
  /// Per result of the whole its element type.
  llvm::SmallVector<mlir::Type> elementTypes;
};

/// Whether an operator may be taken for a block of another.
bool mayBeBlock(mlir::Operation *op);

/// How the index points of an operator read an operand, before what leaves it
/// is folded; nothing where that is not in one piece.
std::optional<Projection> readOf(BlockOpInterface op, unsigned operand);

/// An order of so many operands in which each is the one of that number, or
/// another, that `isLike` it, the rest as they are; empty where they are all in
/// that order.
llvm::SmallVector<unsigned>
orderLike(unsigned count,
          llvm::function_ref<bool(unsigned operand, unsigned place)> isLike);
/// Gives an einsum without a plan its operands in another order.
void reorderOperands(EinsumOp op, llvm::ArrayRef<unsigned> order);
/// The order from which that comes.
llvm::SmallVector<unsigned> inverseOrder(llvm::ArrayRef<unsigned> order);

/// Writes an operator as the shard that it is, before it, on slices of its
/// operands where the shard is given less; both compute the same. Null, with
/// the reason, where it is none.
ShardOp createShard(BlockOpInterface op, const PlainBlock &block,
                    FreshNames &names, std::string &reason);
/// The slices of the operator's operands that have been made for its shard.
llvm::SmallVector<mlir::Operation *> slicesFor(ShardOp shard,
                                               BlockOpInterface op);
/// Erases a shard that takes no operator's place, with those.
void eraseShard(ShardOp shard, BlockOpInterface op);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PLAINBLOCK_H
