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
/// the labels that a result lacks.
struct PartialBlock {
  mlir::Operation *whole = nullptr;
  ZBox range;
  unsigned result = 0;
  /// Of a sum that is not at its end, which lacks points of the range: those
  /// that it has.
  std::vector<ZBox> blocks = {};
};

/// Why a stack of partial values is no block.
struct StackFault {
  /// What the stack was taken for; null where it has no partial values.
  mlir::Operation *whole = nullptr;
  unsigned result = 0;
  /// The first wrong cell: of the stack or, where `times` says how often an
  /// index point's values are combined, of what they are combined to.
  llvm::SmallVector<int64_t> cell;
  llvm::SmallVector<int64_t> point;
  std::optional<int64_t> times;
};

/// A point that is not combined once, if there is any, of blocks that a sum has
/// of a range: rather one that is there twice, which no other sum mends.
std::optional<CoverageFault> findSumFault(llvm::ArrayRef<ZRange> range,
                                          llvm::ArrayRef<ZBox> blocks);

/// The shape of a tensor.
llvm::ArrayRef<int64_t> shapeOfTensor(mlir::Value tensor);
/// "(0, 4)", of a cell or an index point.
std::string pointText(llvm::ArrayRef<int64_t> point);

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
  /// Forgets what the results of an operation are, which is about to go.
  void forget(mlir::Operation *op);
  /// Whether a tensor is itself, with a number of its own.
  bool isOwn(mlir::Value value);

  /// Says of a number that its tensor is partial.
  void setPartial(unsigned number, PartialBlock block) {
    partial[number] = std::move(block);
  }
  const PartialBlock *partialBlock(unsigned number) const {
    auto known = partial.find(number);
    return known == partial.end() ? nullptr : &known->second;
  }
  /// The first partial value that an operator reads, of the views that its
  /// operands are; null where it reads none.
  const PartialBlock *
  partialOperand(BlockOpInterface op,
                 llvm::function_ref<TensorView(mlir::Value)> viewOf) const;
  /// The block that partial results of one operator make, which are stacked
  /// along the first dimension of a view, or what they have of it; nothing
  /// where they are no such, or have a point twice, as `fault` says.
  std::optional<PartialBlock> combined(const TensorView &stack,
                                       StackFault *fault = nullptr) const;

private:
  std::optional<TensorView> lookThrough(mlir::Operation *op);

  std::vector<mlir::Value> tensors;
  llvm::DenseMap<mlir::Value, TensorView> views;
  llvm::DenseMap<unsigned, PartialBlock> partial;
};

/// A box of cells of a tensor, which has this number, as view of it.
TensorView viewOfCells(unsigned number, llvm::ArrayRef<ZRange> cells);
/// The cells of a result that a block of an operator's index space computes, as
/// view of the result, which has this number.
TensorView viewOfBlock(BlockOpInterface op, unsigned result,
                       llvm::ArrayRef<ZRange> range, unsigned number);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_GRAPHVIEWS_H
