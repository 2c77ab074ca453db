//===- ShardedOrder.h - Whether a sharding keeps the order ------*- C++ -*-===//
//
// What a point of the whole graph waits for happens before all that awaits it,
// shard by shard, whatever points the sharded graph has for that. That those
// read what they read in the whole graph is known.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_SHARDEDORDER_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_SHARDEDORDER_H

#include "HappensBefore.h"

namespace tapestry::teg {

/// An operation of the sharded graph, and the block of one of the whole graph
/// that it is; no block of what is no operator.
struct OrderedPart {
  mlir::Operation *op = nullptr;
  ZBox range = {};
};

class ShardedOrder {
public:
  void add(mlir::Operation *whole, OrderedPart part) {
    parts[whole].push_back(std::move(part));
  }
  /// Parts of equal operators, of which any may be of any.
  void addEqual(llvm::ArrayRef<mlir::Operation *> wholes,
                std::vector<OrderedPart> parts) {
    equals.emplace_back(llvm::to_vector(wholes), std::move(parts));
  }

  /// Once all has been added. An error in `sharded` names the first part that
  /// need not follow another.
  mlir::LogicalResult prove(GraphOp whole, GraphOp sharded);

private:
  class Proof;
  using Equals =
      std::pair<llvm::SmallVector<mlir::Operation *>, std::vector<OrderedPart>>;

  llvm::DenseMap<mlir::Operation *, std::vector<OrderedPart>> parts;
  std::vector<Equals> equals;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_SHARDEDORDER_H
