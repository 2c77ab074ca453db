//===- Sharding.h - Blocks of an index space on slices ----------*- C++ -*-===//
//
// The white paper's sharded expressions, on plain structs: the blocks that an
// index space is cut into, what each is given of a tensor, and, the other way
// round, what the whole reads of the tensor that slices are of.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_SUPPORT_SHARDING_H
#define TAPESTRY_SUPPORT_SHARDING_H

#include "tapestry/Support/Access.h"
#include "tapestry/Support/Layout.h"

namespace tapestry {

/// Per dimension of an index space the blocks that `partition` cuts it into,
/// ascending; empty ones are left out, but for that of an extent of 0.
std::vector<std::vector<ZRange>> blocksOf(const DeviceGrid &grid,
                                          llvm::ArrayRef<int64_t> extents,
                                          const Partition &partition);

/// What a shard is given of a tensor, and how its own index points, which count
/// from 0, read that.
struct ShardRead {
  ZBox slice;
  Projection projection;
  bool operator==(const ShardRead &o) const {
    return slice == o.slice && projection == o.projection;
  }
};

/// What the index points of a box, not empty, read of a tensor of this shape:
/// the image, clipped to the tensor. The shard reads by the projection from its
/// own points what the whole reads: what the slice has, the same elements;
/// beside the slice what is beside the tensor; and what is folded at the ends
/// of a tensor is so at equal ends of the slice. In a dimension that the box
/// wraps around the slice is whole. It has an element where the tensor has any.
ShardRead readOfShard(const Projection &projection,
                      llvm::ArrayRef<ZRange> range,
                      llvm::ArrayRef<int64_t> shape);

/// What the index points of a box, not empty, are given of a tensor of this
/// shape that they read in pieces: the least box that has all that these read
/// of it, whole in dimensions that are folded. It has an element where the
/// tensor has any.
ZBox sliceOfReads(llvm::ArrayRef<Access> accesses, llvm::ArrayRef<ZRange> range,
                  llvm::ArrayRef<int64_t> shape);

/// How points that count from the start of a box read of that slice by a piece
/// what those of the box read of the tensor.
Access readOfSlice(const Access &access, llvm::ArrayRef<ZRange> range,
                   llvm::ArrayRef<ZRange> slice);

/// The cells that the points of a box write of a result, each dimension of
/// which is one label or whole.
ZBox partOfResult(const Projection &written, llvm::ArrayRef<ZRange> range);

/// What one shard says of how the whole reads a tensor.
struct ShardedRead {
  /// The index points of the whole that the shard computes.
  ZBox range;
  /// What it is given.
  ShardRead read;
};

/// The projection by which all shards read a tensor of this shape, from the
/// whole's index points; nothing where they do not read by one. Of those that
/// read the same, it is linear where all shards are.
std::optional<Projection> projectionOfShards(llvm::ArrayRef<ShardedRead> shards,
                                             llvm::ArrayRef<int64_t> shape);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_SHARDING_H
