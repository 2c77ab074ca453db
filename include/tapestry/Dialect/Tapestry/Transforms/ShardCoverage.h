//===- ShardCoverage.h - Proof that shards cover a result once --*- C++ -*-===//
//
// The shard verifier: on plain structs, and for a block operator in the IR.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_SHARDCOVERAGE_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_SHARDCOVERAGE_H

#include "tapestry/Interfaces/BlockOpInterface.h"
#include "tapestry/Support/Layout.h"

namespace tapestry::teg {

/// The devices that stand for all others of the same coordinates on `axes`:
/// those of coordinate 0 on every other axis, ascending.
llvm::SmallVector<int64_t> devicesOver(const DeviceGrid &grid,
                                       llvm::ArrayRef<unsigned> axes);

/// A point of an index space of these extents that the devices' blocks under
/// `partition` hold otherwise than exactly once. Devices that differ only on
/// axes that cut nothing are replicas and counted once.
std::optional<CoverageFault> findBlockFault(const DeviceGrid &grid,
                                            llvm::ArrayRef<int64_t> extents,
                                            const Partition &partition);

/// A cell of a result of this shape that the devices write otherwise than
/// exactly once. Devices that differ only on axes that cut labels which all
/// pieces lack hold partial values of one cell and are counted once.
std::optional<CoverageFault> findResultFault(const DeviceGrid &grid,
                                             llvm::ArrayRef<int64_t> extents,
                                             const Partition &partition,
                                             llvm::ArrayRef<Write> writes,
                                             llvm::ArrayRef<int64_t> shape);

/// A cell of a tensor that the owners' parts under `layout` hold otherwise than
/// exactly once.
std::optional<CoverageFault> findLayoutFault(const DeviceGrid &grid,
                                             const Layout &layout);

/// Proves that all devices of the grid may run `op`: each has a block of it, if
/// only an empty one or a replica of others'.
[[nodiscard]] mlir::LogicalResult verifyDevices(BlockOpInterface op,
                                                const DeviceGrid &grid);

/// Proves that the blocks of `op` under `partition` cover its index space, and
/// what they write its results, exactly once; an error as of verifyShards().
[[nodiscard]] mlir::LogicalResult verifyPartition(BlockOpInterface op,
                                                  const DeviceGrid &grid,
                                                  const Partition &partition);

/// Proves that the shards of `op` under its partition on `grid`, and the parts
/// of its home layout, cover everything exactly once; an error at the op names
/// a point and how often it is covered. An op without both has nothing to
/// prove.
[[nodiscard]] mlir::LogicalResult verifyShards(BlockOpInterface op,
                                               const DeviceGrid &grid);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_SHARDCOVERAGE_H
