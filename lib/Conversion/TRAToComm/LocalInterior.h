//===- LocalInterior.h - Points that read what a device has -----*- C++ -*-===//
//
// Private to this folder. Most points of a join read nothing but what a device
// holds anyway, where it lies. Those beside the edges of a tensor, or of what
// the device holds of one, are computed apart, in regions that read what the
// device is sent where that lies. So nothing is put together of both.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALINTERIOR_H
#define TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALINTERIOR_H

#include "tapestry/Dialect/TRA/IR/TRA.h"
#include "tapestry/Support/BlockRegions.h"

namespace tapestry {

/// Whether a relation is a part of what was fetched for several pieces.
bool isWindow(tra::RepartitionOp moved);

/// The regions of the blocks of a join.
struct JoinRegions {
  BlockRegions blocks;
  std::vector<BlockRegion> found;
};

/// Those of a join whose inputs devices have in these parts: of all blocks
/// alike, or, where these put something together, of others on each device.
JoinRegions
regionsOf(tra::JoinOp join,
          llvm::function_ref<llvm::SmallVector<Layout, 2>(unsigned)> partsOf);

/// Finds the joins of a program that are computed in regions, and which of
/// their inputs stay where they are, with strips beside them.
class LocalInteriors {
public:
  bool isApart(tra::JoinOp join);
  /// What devices are sent of a relation whose readers have the rest where it
  /// lies; nothing where a reader wants all in one place.
  llvm::ArrayRef<Layout> rimsOf(tra::RepartitionOp moved);

private:
  llvm::ArrayRef<Layout> possibleRimsOf(tra::RepartitionOp moved);
  bool find(tra::JoinOp join);
  bool isSplit(mlir::Value input);
  bool areSplit(mlir::Value relation);

  llvm::DenseMap<mlir::Operation *, bool> apart;
  llvm::DenseMap<mlir::Operation *,
                 std::unique_ptr<llvm::SmallVector<Layout, 2>>>
      rims;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_LOCALINTERIOR_H
