//===- PlacementRules.cpp - Rules of partition and home -------------------===//

#include "PlacementRules.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

LogicalResult teg::verifyPartition(Operation *op,
                                   index::PartitionAttr partition,
                                   unsigned rank, StringRef what) {
  if (!partition)
    return success();
  if (partition.getRank() != rank)
    return op->emitOpError() << "has a partition of " << partition.getRank()
                             << " entries for " << rank << " " << what;
  index::GridAttr grid = lookupGrid(op);
  if (!grid)
    return success();
  return partition.getPartition(grid.getDeviceGrid(),
                                [&]() { return op->emitOpError(); });
}

LogicalResult teg::verifyHome(Operation *op, index::LayoutAttr home,
                              llvm::ArrayRef<int64_t> shape) {
  if (!home)
    return success();
  llvm::SmallVector<int64_t> homeShape = home.getLayout().shape();
  if (homeShape.size() != shape.size())
    return op->emitOpError() << "has a home of rank " << homeShape.size()
                             << " for a tensor of rank " << shape.size();
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (homeShape[dim] != extent)
      return op->emitOpError()
             << "has a home of extent " << homeShape[dim] << " in dimension "
             << dim << ", but the tensor has extent " << extent;
  if (!home.getLayout().partial.empty())
    return op->emitOpError()
           << "has a home that is partial over "
           << home.getLayout().partial.size() << " axes, expected 0";
  index::GridAttr grid = lookupGrid(op);
  if (grid && grid != home.getGrid())
    return op->emitOpError() << "has a home on the grid " << home.getGrid()
                             << ", but the graph is on " << grid;
  return success();
}
