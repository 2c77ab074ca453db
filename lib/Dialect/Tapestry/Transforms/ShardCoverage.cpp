//===- ShardCoverage.cpp - Proof that shards cover a result once ----------===//

#include "tapestry/Dialect/Tapestry/Transforms/ShardCoverage.h"
#include "mlir/IR/BuiltinTypes.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

llvm::SmallVector<int64_t> teg::devicesOver(const DeviceGrid &grid,
                                            llvm::ArrayRef<unsigned> axes) {
  llvm::SmallVector<int64_t> devices;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    bool stands = true;
    for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
      stands &=
          llvm::is_contained(axes, axis) || grid.coordinate(device, axis) == 0;
    if (stands)
      devices.push_back(device);
  }
  return devices;
}

std::optional<CoverageFault>
teg::findBlockFault(const DeviceGrid &grid, llvm::ArrayRef<int64_t> extents,
                    const Partition &partition) {
  Cut axes;
  for (const Cut &cut : partition.cuts)
    axes.append(cut);
  std::vector<ZBox> blocks;
  for (int64_t device : devicesOver(grid, axes))
    blocks.push_back(partition.block(grid, extents, device));
  return findCoverageFault(boxOfShape(extents), blocks);
}

std::optional<CoverageFault>
teg::findResultFault(const DeviceGrid &grid, llvm::ArrayRef<int64_t> extents,
                     const Partition &partition, llvm::ArrayRef<Write> writes,
                     llvm::ArrayRef<int64_t> shape) {
  // An empty index space writes nothing: the result is the monoid's identity,
  // or has no cells.
  if (llvm::is_contained(extents, 0))
    return std::nullopt;
  Cut axes;
  for (const Write &write : writes)
    for (const ProjectionDim &dim : write.projection.dims)
      for (const AffineTerm &term : dim.terms)
        axes.append(partition.cuts[term.dim]);
  std::vector<ZBox> blocks;
  for (int64_t device : devicesOver(grid, axes))
    blocks.push_back(partition.block(grid, extents, device));
  return findWriteFault(writes, blocks, shape);
}

std::optional<CoverageFault> teg::findLayoutFault(const DeviceGrid &grid,
                                                  const Layout &layout) {
  std::vector<ZBox> boxes;
  for (int64_t device : devicesOver(grid, layout.usedAxes()))
    boxes.push_back(layout.box(grid, device));
  return findCoverageFault(boxOfShape(layout.shape()), boxes);
}

/// Reports a fault of a cover of `what` by `pieces`.
static LogicalResult report(BlockOpInterface op, const CoverageFault &fault,
                            const Twine &what, StringRef pieces) {
  InFlightDiagnostic diagnostic = op->emitError()
                                  << "shards of \"" << op.getVertexName()
                                  << "\": " << what << " (";
  llvm::interleaveComma(fault.point, diagnostic);
  if (fault.times == 1)
    return diagnostic << ") lies outside, yet is in one of the " << pieces;
  return diagnostic << ") is in " << fault.times << " of the " << pieces
                    << ", expected 1";
}

LogicalResult teg::verifyPartition(BlockOpInterface op, const DeviceGrid &grid,
                                   const Partition &partition) {
  llvm::SmallVector<int64_t> extents = op.getLabelExtents();
  if (auto fault = findBlockFault(grid, extents, partition))
    return report(op, *fault, "index point", "blocks");
  for (unsigned number = 0; number < op->getNumResults(); ++number) {
    auto type = cast<RankedTensorType>(op->getResult(number).getType());
    if (auto fault = findResultFault(grid, extents, partition,
                                     op.getWrites(number), type.getShape()))
      return report(op, *fault, "cell of result " + Twine(number),
                    "written boxes");
  }
  return success();
}

LogicalResult teg::verifyDevices(BlockOpInterface op, const DeviceGrid &grid) {
  auto allowed = op.getDeviceSet();
  if (!allowed)
    return success();
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
    if (!llvm::is_contained(*allowed, device)) {
      InFlightDiagnostic diagnostic = op->emitError()
                                      << "shards of \"" << op.getVertexName()
                                      << "\": device " << device << " of " << e
                                      << " has one, but only devices ";
      llvm::interleaveComma(*allowed, diagnostic);
      return diagnostic << " may run it";
    }
  return success();
}

static LogicalResult verifyHome(BlockOpInterface op, unsigned result) {
  auto home = op.getHomeLayout(result);
  if (!home)
    return success();
  // What comes from outside and only operators read may lie in their windows,
  // which overlap and leave out what nobody reads.
  if (isGraphSource(op) && !home->second.isPlain() &&
      llvm::all_of(op->getUsers(), [](Operation *user) {
        return isa<BlockOpInterface>(user) && !isGraphSink(user);
      }))
    return success();
  if (auto fault = findLayoutFault(home->first, home->second))
    return report(op, *fault,
                  result == 0 ? Twine("cell of the home")
                              : "cell of the home of result " + Twine(result),
                  "owned parts");
  return success();
}

LogicalResult teg::verifyShards(BlockOpInterface op, const DeviceGrid &grid) {
  FailureOr<std::optional<Partition>> partition = op.getPartitionOn(grid);
  if (failed(partition))
    return failure();
  if (*partition && (failed(verifyDevices(op, grid)) ||
                     failed(verifyPartition(op, grid, **partition))))
    return failure();
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    if (failed(verifyHome(op, result)))
      return failure();
  return success();
}
