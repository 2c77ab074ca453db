//===- ShardReads.h - Whether shards read what the whole does ---*- C++ -*-===//

#ifndef TAPESTRY_SUPPORT_SHARDREADS_H
#define TAPESTRY_SUPPORT_SHARDREADS_H

#include "tapestry/Support/Sharding.h"
#include "tapestry/Support/TensorView.h"

namespace tapestry {

/// What an operator reads of an operand.
struct OperandRead {
  /// From its own index points, which count from 0.
  Projection projection;
  /// What the operand is.
  TensorView operand;
};

/// What an operand is of the one tensor that has it, and how index points,
/// which count from 0, read that.
struct SliceRead {
  ZBox slice;
  Projection projection;
};

/// What index points of these extents read of an operand, as slice of the one
/// tensor that has it; nothing where they read several or no box of it.
std::optional<std::pair<unsigned, SliceRead>>
asSliceRead(const OperandRead &read, llvm::ArrayRef<int64_t> extents);

/// An index point at which a shard does not read what the whole reads.
struct ReadFault {
  /// Of the whole; of those that are wrong the first.
  llvm::SmallVector<int64_t> point;
  /// The cells; nothing where it lies beside the operand.
  std::optional<ViewCell> expected, got;
  /// False where there are too many points to find a wrong one, and no proof
  /// that there is none.
  bool isFound = true;
};

/// Proves that the shard that computes `range` reads cell for cell what the
/// whole reads there, or returns a point where it does not. Slices of one
/// tensor are compared by their projections, others point by point.
std::optional<ReadFault> findReadFault(const OperandRead &whole,
                                       const OperandRead &shard,
                                       llvm::ArrayRef<ZRange> range);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_SHARDREADS_H
