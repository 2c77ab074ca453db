//===- VertexTable.h - Vertices by what they compute ------------*- C++ -*-===//
//
// The vertices of the whole graph that a shard may be of, without a look at all
// of them: those that compute as it does and read a tensor that it reads.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_VERTEXTABLE_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_VERTEXTABLE_H

#include "GraphViews.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include <map>

namespace tapestry::teg {

/// A vertex of the whole graph, and what of it has been computed.
struct TableVertex {
  mlir::Operation *op = nullptr;
  /// All that are equal, of which this is the first: any shard may be of any.
  llvm::SmallVector<mlir::Operation *, 1> equals = {op};
  /// What has been computed, and by what.
  std::vector<ZBox> ranges = {};
  std::vector<mlir::Operation *> parts = {};
};

class VertexTable {
public:
  /// Adds a vertex, whose operands have their views; of equal ones the results
  /// are, too.
  void add(mlir::Operation *op, GraphViews &views);

  /// In the order in which they were added.
  std::vector<TableVertex> vertices;

  /// Numbers of vertices, ascending, among which are all that are given what an
  /// operation is given and compute as it or, where it is a shard, as what that
  /// is one of.
  llvm::ArrayRef<unsigned> likely(mlir::Operation *op, GraphViews &views);
  /// The same of those that read a tensor of each operand that the operation is
  /// given, of that operand or another, whatever they compute.
  llvm::SmallVector<unsigned> readersOf(mlir::Operation *op, GraphViews &views);
  /// Whether an operation computes as a vertex or what that is a shard of.
  bool computesAs(mlir::Operation *op, mlir::Operation *vertex);
  /// Of what computes as none, the vertex of its kind that it may have been
  /// meant for: of its name without what a shard's has behind, or that reads
  /// what it reads, else the first; null where there is none.
  mlir::Operation *nearest(mlir::Operation *op, GraphViews &views);

  /// Every index point of every vertex is computed once, and as often as there
  /// are equal ones.
  mlir::LogicalResult proveCoverage();

  const Computation &computationOf(mlir::Operation *op) {
    return computations.try_emplace(op, op).first->second;
  }
  /// Forgets what an operation computes, which is about to go.
  void forget(mlir::Operation *op) { computations.erase(op); }

private:
  bool areEqual(mlir::Operation *a, mlir::Operation *b, GraphViews &views);

  /// Asked once.
  std::map<mlir::Operation *, Computation> computations;
  /// By the hash of what they compute, and with the number of an operand and of
  /// a tensor that they read by that.
  llvm::DenseMap<size_t, llvm::SmallVector<unsigned, 1>> byMeaning;
  llvm::DenseMap<std::tuple<size_t, unsigned, unsigned>,
                 llvm::SmallVector<unsigned, 1>>
      byTensor;
  /// By a tensor that they read.
  llvm::DenseMap<unsigned, llvm::SmallVector<unsigned, 1>> byRead;
};

/// Whether two tensors have cells of one.
bool haveOneTensor(mlir::Value a, mlir::Value b, GraphViews &views);

/// The block of a vertex that an operation computes; points count from where
/// the vertex, which may be a shard itself, starts.
ZBox rangeIn(BlockOpInterface whole, BlockOpInterface op);
/// The first point of a box that lies outside of another, which one does.
llvm::SmallVector<int64_t> firstOutside(llvm::ArrayRef<ZRange> box,
                                        llvm::ArrayRef<ZRange> space);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_VERTEXTABLE_H
