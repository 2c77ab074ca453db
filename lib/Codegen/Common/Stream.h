//===- Stream.h - Tensors that need not exist as a whole --------*- C++ -*-===//
//
// Finds operations around the result of a contraction that nobody else reads:
// they can be computed for a block of its rows and columns at a time, so that
// it is never there as a whole. FormStreams builds the loops.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_COMMON_STREAM_H
#define TAPESTRY_LIB_CODEGEN_COMMON_STREAM_H

#include "tapestry/Codegen/Common/Buffers.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"

namespace tapestry {

/// How many points a dimension has on most devices; 256 where nothing is known.
int64_t expectedExtent(mlir::Value buffer, unsigned dim);

/// What a stream may be; extents count as expected.
struct StreamLimits {
  /// The tensor has at least so many bytes: less stays in a cache anyway.
  int64_t leastBytes;
  /// Points of the contraction, and of what else a member does, per point of
  /// the tensor. With more, memory is not what bounds it.
  int64_t mostPoints;
};

/// When a member runs.
enum class StreamPhase {
  /// Once for a block of rows, before its columns.
  Before,
  /// For every block of columns.
  Inside,
  /// Once for a block of rows, after its columns.
  After,
};

struct StreamMember {
  mlir::linalg::GenericOp op;
  /// Per loop: the dimension of the tensor that it runs along; -1 for a loop of
  /// its own.
  llvm::SmallVector<int> labels;
  StreamPhase phase = StreamPhase::Inside;
  /// Divides, or multiplies, by a value per row what is only added up along the
  /// columns: that is left to be done with the sums.
  bool deferred = false;
};

/// A sum along the columns of values relative to the greatest so far.
struct RelativeSum {
  mlir::Value buffer;
  /// Members whose factors it still lacks.
  llvm::SmallVector<mlir::linalg::GenericOp, 1> factors;
};

/// `side` * (column - row) <= the sum of `constant` and `terms`, each of them a
/// factor of an index from outside; the row is that of the last label.
struct StreamMask {
  int64_t side;
  int64_t constant;
  llvm::SmallVector<std::pair<int64_t, mlir::Value>, 1> terms;
};

/// Labels are dimensions of the tensor. All members have all row labels.
struct Stream {
  /// In program order, the fills that they need included.
  llvm::SmallVector<StreamMember> members;
  mlir::memref::AllocOp tensor;
  /// Outermost first; the last one is cut into blocks.
  llvm::SmallVector<int> rows;
  int column = -1;
  /// What members write: per dimension its label, or -1.
  llvm::MapVector<mlir::Value, llvm::SmallVector<int>> written;
  /// Whether columns can be computed in blocks; all at once otherwise.
  bool cutsColumns = true;
  /// The greatest value along the columns, to whose value so far the sums below
  /// are relative; null where nothing is.
  mlir::Value greatest;
  /// What is subtracted, made of the argument of a member's body that is the
  /// greatest value.
  mlir::Value bound;
  mlir::BlockArgument boundArgument;
  llvm::SmallVector<RelativeSum> sums;
  /// Where all of those of one side are false, a block of columns changes
  /// nothing.
  llvm::SmallVector<StreamMask> masks;

  bool hasColumn(mlir::Value buffer) const;
  /// Whether a fill sets `buffer` to zero.
  bool startsFromZero(mlir::Value buffer) const;
  const RelativeSum *findSum(mlir::Value buffer) const;
  bool isMember(mlir::Operation *op) const;
};

/// The stream that begins with the contraction `producer`; none where it is no
/// contraction, or its result is needed as a whole.
std::optional<Stream> findStream(mlir::linalg::GenericOp producer,
                                 const StreamLimits &limits);

/// Decides which members run when, and whether columns can be cut: what is
/// computed with a value that all columns of a row make can wait for it, or has
/// to be a sum that can be scaled to it later on.
void findPhases(Stream &stream);

/// Finds the masks of a stream whose columns can be cut. A product of 0 is
/// taken to be 0.
void findMasks(Stream &stream);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_COMMON_STREAM_H
