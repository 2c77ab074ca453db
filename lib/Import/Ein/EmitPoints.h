//===- EmitPoints.h - Sequence points of a .ein file ------------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_EMITPOINTS_H
#define TAPESTRY_LIB_IMPORT_EIN_EMITPOINTS_H

#include "mlir/IR/Builders.h"
#include "tapestry/Import/Ein/Graph.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace tapestry::ein {

class PointEmitter {
public:
  explicit PointEmitter(const Graph &graph) : graph(graph) {}

  /// The next point, if it stands before tensor number `end`.
  const Graph::Point *next(unsigned end) const;
  /// Emits the next point; `values` are those of the graph's tensors, `outputs`
  /// what outputs are followed by.
  void emit(mlir::OpBuilder &builder, mlir::Location loc,
            llvm::ArrayRef<mlir::Value> values,
            llvm::ArrayRef<mlir::Value> outputs);
  mlir::Value get(unsigned point) const { return points[point]; }

  /// Lets operations of one block, of the vertex `name`, follow points: what
  /// they read of what was there before is awaited.
  void holdBack(llvm::iterator_range<mlir::Block::iterator> ops,
                llvm::StringRef name, llvm::ArrayRef<unsigned> after);

  /// The results of the last of these operations; where none of them reads a
  /// tensor, as who follows the points has them. What they are of runs behind
  /// the points, where it stands.
  llvm::SmallVector<mlir::Value>
  resultsOf(llvm::iterator_range<mlir::Block::iterator> ops,
            llvm::StringRef name, llvm::ArrayRef<unsigned> after);

private:
  mlir::Value awaited(mlir::Value tensor, unsigned point,
                      mlir::Operation *reader, llvm::StringRef name);

  const Graph &graph;
  llvm::SmallVector<mlir::Value> points;
  /// What follows each point anyway.
  llvm::DenseSet<std::pair<mlir::Operation *, unsigned>> followers;
  llvm::DenseMap<std::pair<mlir::Value, unsigned>, mlir::Value> awaits;
  /// How many of them are named after each vertex.
  llvm::StringMap<unsigned> numbers;
};

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_EMITPOINTS_H
