//===- Sharding.h - Blocks of an index space on slices ----------*- C++ -*-===//
//
// The white paper's sharded expressions, on plain structs: the blocks that an
// index space is cut into, and what each is given of a tensor.
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

/// What the index points of a box, not empty, are given of a tensor of this
/// shape that they read in pieces: the least box that has all that these read
/// of it. In a dimension that the points go around it is whole; what is folded
/// at an end of the tensor is so at an equal end of the slice. It has an
/// element where the tensor has any.
ZBox sliceOfReads(llvm::ArrayRef<Access> accesses, llvm::ArrayRef<ZRange> range,
                  llvm::ArrayRef<int64_t> shape);

/// How points that count from the start of a box read of that slice by the
/// pieces what those of the box read of the tensor: what the slice has, the
/// same elements; beside the slice what is beside the tensor. Pieces of which
/// another lies in the tensor instead are left out where they read none of it.
std::vector<Access> readsOfSlice(std::vector<Access> accesses,
                                 llvm::ArrayRef<ZRange> range,
                                 llvm::ArrayRef<ZRange> slice);

/// The cells that the points of a box write of a result, each dimension of
/// which is one label or whole.
ZBox partOfResult(const Projection &written, llvm::ArrayRef<ZRange> range);

} // namespace tapestry

#endif // TAPESTRY_SUPPORT_SHARDING_H
