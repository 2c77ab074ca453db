//===- Placement.cpp - Where the plan puts an operator --------------------===//

#include "Placement.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"

using namespace mlir;
using namespace tapestry;
using namespace toy;

FailureOr<std::optional<Partition>>
Placement::getPartitionOn(const DeviceGrid &grid) const {
  auto attr = op->getAttrOfType<index::PartitionAttr>("partition");
  if (!attr)
    return std::optional<Partition>();
  FailureOr<Partition> partition =
      attr.getPartition(grid, [this] { return op->emitOpError(); });
  if (failed(partition))
    return failure();
  return std::optional<Partition>(std::move(*partition));
}

void Placement::setPartitionOn(const DeviceGrid &grid,
                               const Partition &partition) {
  op->setAttr("partition",
              index::PartitionAttr::get(op->getContext(), grid, partition));
}

std::optional<std::pair<DeviceGrid, Layout>>
Placement::getHome(unsigned result) const {
  auto homes = op->getAttrOfType<ArrayAttr>("homes");
  if (!homes)
    return std::nullopt;
  auto home = cast<index::LayoutAttr>(homes[result]);
  return std::pair(home.getDeviceGrid(), home.getLayout());
}

void Placement::setHome(unsigned result, const DeviceGrid &grid,
                        const Layout &layout) {
  auto home = index::LayoutAttr::get(op->getContext(), grid, layout);
  SmallVector<Attribute> homes(op->getNumResults(), home);
  if (auto known = op->getAttrOfType<ArrayAttr>("homes"))
    homes = llvm::to_vector(known);
  homes[result] = home;
  op->setAttr("homes", ArrayAttr::get(op->getContext(), homes));
}

Route Placement::getRoute(unsigned number) const {
  Route layouts;
  if (auto routes = op->getAttrOfType<ArrayAttr>("routes"))
    for (auto layout :
         cast<ArrayAttr>(routes[number]).getAsRange<index::LayoutAttr>())
      layouts.push_back(layout.getLayout());
  return layouts;
}

SmallVector<Route> Placement::getOperandRoutes() const {
  SmallVector<Route> routes;
  for (size_t read = 0, e = cast<BlockOpInterface>(op).getReads().size();
       read < e; ++read)
    routes.push_back(getRoute(op->getNumResults() + read));
  return routes;
}

void Placement::setRoutes(const DeviceGrid &grid, ArrayRef<Route> homeRoutes,
                          ArrayRef<Route> operandRoutes) {
  MLIRContext *context = op->getContext();
  SmallVector<Attribute> routes;
  for (const Route &route :
       llvm::concat<const Route>(homeRoutes, operandRoutes))
    routes.push_back(ArrayAttr::get(
        context,
        llvm::map_to_vector(route, [&](const Layout &layout) -> Attribute {
          return index::LayoutAttr::get(context, grid, layout);
        })));
  op->setAttr("routes", ArrayAttr::get(context, routes));
}
