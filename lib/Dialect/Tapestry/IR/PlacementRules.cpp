//===- PlacementRules.cpp - Rules of partition and home -------------------===//

#include "PlacementRules.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

LogicalResult teg::verifyPartition(Operation *op,
                                   index::PartitionAttr partition,
                                   unsigned rank, StringRef what) {
  if (!partition)
    return success();
  if (partition.getRank() != rank)
    return op->emitOpError()
           << "has a partition of rank " << partition.getRank() << " for "
           << countOf(rank, what.str());
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
    return op->emitOpError() << "has a home that is partial over "
                             << countOf(home.getLayout().partial.size(), "axis")
                             << ", expected 0";
  index::GridAttr grid = lookupGrid(op);
  if (grid && grid != home.getGrid())
    return op->emitOpError() << "has a home on the grid " << home.getGrid()
                             << ", but the graph is on " << grid;
  return success();
}

LogicalResult teg::verifyRoute(Operation *op, ArrayAttr route,
                               index::LayoutAttr home,
                               llvm::ArrayRef<int64_t> shape,
                               const llvm::Twine &what) {
  if (!home)
    return op->emitOpError() << "has " << what << ", but no home";
  for (auto [step, attr] :
       llvm::enumerate(route.getAsRange<index::LayoutAttr>())) {
    const Layout &layout = attr.getLayout();
    if (llvm::ArrayRef<int64_t>(layout.shape()) != shape) {
      InFlightDiagnostic diagnostic = op->emitOpError();
      diagnostic << "step " << step << " of " << what << " has the shape [";
      llvm::interleaveComma(layout.shape(), diagnostic);
      diagnostic << "], but the tensor has the shape [";
      llvm::interleaveComma(shape, diagnostic);
      return diagnostic << "]";
    }
    if (!layout.partial.empty() || !layout.isPlain())
      return op->emitOpError() << "step " << step << " of " << what << " is "
                               << attr << ", expected a plain layout";
    if (attr.getGrid() != home.getGrid())
      return op->emitOpError()
             << "step " << step << " of " << what << " is on the grid "
             << attr.getGrid() << ", but the home is on " << home.getGrid();
  }
  return success();
}

LogicalResult teg::verifyRoutes(Operation *op, ArrayAttr homeRoute,
                                ArrayAttr operandRoutes, index::LayoutAttr home,
                                ValueRange operands) {
  auto shapeOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getShape();
  };
  if (homeRoute &&
      failed(verifyRoute(op, homeRoute, home, shapeOf(op->getResult(0)),
                         "the home route")))
    return failure();
  if (!operandRoutes)
    return success();
  if (operandRoutes.size() != operands.size())
    return op->emitOpError() << "has routes for " << operandRoutes.size()
                             << " of " << countOf(operands.size(), "operand");
  for (auto [number, route] : llvm::enumerate(operandRoutes))
    if (failed(verifyRoute(op, cast<ArrayAttr>(route), home,
                           shapeOf(operands[number]),
                           "the route of operand " + llvm::Twine(number))))
      return failure();
  return success();
}

/// The routes of results or operands.
static LogicalResult verifyAllRoutes(Operation *op, StringRef what,
                                     ArrayAttr routes, index::LayoutAttr home,
                                     TypeRange tensors) {
  if (!routes)
    return success();
  if (routes.size() != tensors.size())
    return op->emitOpError() << "has routes for " << routes.size() << " of "
                             << countOf(tensors.size(), what.str());
  for (auto [number, route] : llvm::enumerate(routes))
    if (failed(verifyRoute(op, cast<ArrayAttr>(route), home,
                           cast<RankedTensorType>(tensors[number]).getShape(),
                           "the route of " + what + " " + llvm::Twine(number))))
      return failure();
  return success();
}

LogicalResult teg::verifyPlacement(Operation *op, ArrayAttr homes,
                                   ArrayAttr homeRoutes,
                                   ArrayAttr operandRoutes, ValueRange read) {
  index::LayoutAttr first;
  if (homes) {
    if (homes.size() != op->getNumResults())
      return op->emitOpError()
             << "has " << countOf(homes.size(), "home") << " for "
             << countOf(op->getNumResults(), "result");
    for (auto [result, attr] : llvm::zip_equal(op->getResults(), homes)) {
      auto home = cast<index::LayoutAttr>(attr);
      first = first ? first : home;
      auto type = cast<RankedTensorType>(result.getType());
      if (failed(verifyHome(op, home, type.getShape())))
        return failure();
    }
  }
  if (failed(verifyAllRoutes(op, "result", homeRoutes, first,
                             op->getResultTypes())))
    return failure();
  return verifyAllRoutes(op, "operand", operandRoutes, first, read.getTypes());
}

ArrayAttr teg::withHome(ArrayAttr homes, size_t count, unsigned result,
                        index::LayoutAttr home) {
  llvm::SmallVector<Attribute> all(count, home);
  if (homes)
    all = llvm::to_vector(homes);
  all[result] = home;
  return ArrayAttr::get(home.getContext(), all);
}
