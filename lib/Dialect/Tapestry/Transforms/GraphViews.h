//===- GraphViews.h - What the tensors of a graph are -----------*- C++ -*-===//
//
// Tensors of a graph as views of others, which have numbers, and what is known
// of partial results: what both directions of sharding look through.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_GRAPHVIEWS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_GRAPHVIEWS_H

#include "tapestry/Interfaces/BlockOpInterface.h"
#include "tapestry/Support/ShardReads.h"
#include "llvm/ADT/DenseMap.h"

namespace tapestry::teg {

/// A block of an operator's index space whose values have been combined along
/// the labels that the result lacks.
struct PartialBlock {
  mlir::Operation *whole = nullptr;
  ZBox range;
};

class GraphViews {
public:
  /// A new number, for a tensor of this value's shape.
  unsigned addTensor(mlir::Value value);
  /// The value that a number was given for.
  mlir::Value tensor(unsigned number) const { return tensors[number]; }

  /// What a tensor is: what has been set or, of a selector that can be looked
  /// through, what it reads; else itself, with a number of its own.
  const TensorView &of(mlir::Value value);
  void set(mlir::Value value, TensorView view);

  /// Says of a number that its tensor is partial.
  void setPartial(unsigned number, PartialBlock block) {
    partial[number] = std::move(block);
  }
  const PartialBlock *partialBlock(unsigned number) const {
    auto known = partial.find(number);
    return known == partial.end() ? nullptr : &known->second;
  }
  /// The block that partial results of one operator make, which are stacked
  /// along the first dimension of a view; nothing where they are no such, or do
  /// not make a box once.
  std::optional<PartialBlock> combined(const TensorView &stack) const;

private:
  std::optional<TensorView> lookThrough(mlir::Operation *op);

  std::vector<mlir::Value> tensors;
  llvm::DenseMap<mlir::Value, TensorView> views;
  llvm::DenseMap<unsigned, PartialBlock> partial;
};

/// The cells of the result that a block of an operator's index space computes,
/// as view of the result, which has this number.
TensorView viewOfBlock(BlockOpInterface op, llvm::ArrayRef<ZRange> range,
                       unsigned number);
/// Whether a block has all points of the labels that the result lacks.
bool isComplete(BlockOpInterface op, llvm::ArrayRef<ZRange> range);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_GRAPHVIEWS_H
