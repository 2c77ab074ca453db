//===- HappensBefore.h - What of a graph happens before what ----*- C++ -*-===//
//
// The order that a graph asks for: of what operators read, through selectors,
// and of sequence points. Selectors and awaits do nothing by themselves.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_HAPPENSBEFORE_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_HAPPENSBEFORE_H

#include "GraphViews.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "llvm/ADT/BitVector.h"

namespace tapestry::teg {

/// What one has who reads a tensor.
struct OrderedReads {
  /// Tensors that something makes, and the cells that are read of each.
  std::vector<std::pair<mlir::Value, ZBox>> tensors = {};
  /// The points that are awaited on the way.
  llvm::SetVector<mlir::Operation *> points = {};
};

class HappensBefore {
public:
  explicit HappensBefore(GraphOp graph);

  /// What happens, those of loops, too, in the order of the graph.
  llvm::ArrayRef<mlir::Operation *> operations() const { return ops; }

  /// What is read of a tensor or, where it is given, of a box of its cells.
  /// With `isBound` no less than that where views do not say it, else no more.
  OrderedReads readsOf(mlir::Value tensor, std::optional<ZBox> cells,
                       bool isBound);
  /// The points behind an operator that reads nothing, through what is a view.
  llvm::SmallVector<mlir::Operation *> pointsBehind(mlir::Operation *op);

  /// Numbers of the events at which an operation begins and ends; of a loop
  /// they differ.
  unsigned startOf(mlir::Operation *op) const { return starts.lookup(op); }
  unsigned endOf(mlir::Operation *op) const { return ends.lookup(op); }
  /// The events before one.
  llvm::BitVector eventsBefore(unsigned event) const;
  /// The events that sinks and points observe.
  llvm::BitVector observed() const;
  /// Per event the most points on a way to it or, `isAfter`, from it.
  std::vector<unsigned> countPoints(bool isAfter) const;

private:
  struct Event {
    mlir::Operation *op = nullptr;
    /// Those that it needs, and those that are over by then.
    llvm::SmallVector<unsigned, 4> needed = {}, over = {};
  };

  void addEvents(mlir::Block &block);
  void addOrder(mlir::Block &block);
  void addNeeded(unsigned event, mlir::Operation &op);
  unsigned addEvent(mlir::Operation *op) {
    events.push_back({op});
    return events.size() - 1;
  }
  unsigned madeAt(mlir::Value value) const;

  GraphViews views;
  std::vector<Event> events;
  std::vector<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, unsigned> starts, ends;
};

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_HAPPENSBEFORE_H
