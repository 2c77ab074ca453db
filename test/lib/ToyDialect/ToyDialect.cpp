//===- ToyDialect.cpp - A dialect that Tapestry knows nothing of ----------===//
//
// A plug-in with one operator. What the planner and the lowering ask of it is
// answered here, in ToyLowering.cpp and in ToyEvaluate.cpp.
//
//===----------------------------------------------------------------------===//

#include "Toy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectRegistry.h"
#include "tapestry/Plugin.h"

using namespace mlir;
using namespace tapestry;
using namespace toy;

#include "ToyDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ToyOps.cpp.inc"

void ToyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ToyOps.cpp.inc"
      >();
}

LogicalResult MedianStatsOp::verify() {
  RankedTensorType input = getInput().getType();
  auto row =
      RankedTensorType::get({input.getDimSize(0)}, input.getElementType());
  if (input.getRank() != 2 || !input.hasStaticShape() ||
      !isa<Float16Type, Float32Type>(input.getElementType()) ||
      getEnergy().getType() != row || getPeak().getType() != row)
    return emitOpError("makes two vectors, one element per row, of a matrix of "
                       "f16 or f32");
  return success();
}

//===----------------------------------------------------------------------===//
// Index space: rows, and columns that are reduced
//===----------------------------------------------------------------------===//

StringRef MedianStatsOp::getVertexName() { return getName(); }

SmallVector<std::string> MedianStatsOp::getLabelNames() {
  return {"row", "column"};
}

SmallVector<int64_t> MedianStatsOp::getLabelExtents() {
  return llvm::to_vector(getInput().getType().getShape());
}

SmallVector<LabelKind> MedianStatsOp::getLabelKinds() {
  return {LabelKind::Parallel, LabelKind::Reduced};
}

SmallVector<Value> MedianStatsOp::getTensorOperands() { return {getInput()}; }

std::vector<Access> MedianStatsOp::getAccesses(unsigned) {
  // Three rows around each point.
  Access window;
  window.projection = Projection::identity(2);
  window.projection.dims[0].constant = -1;
  window.projection.dims[0].size = 3;
  window.fallback = AccessFallback::Pad;
  return {window};
}

TypedAttr MedianStatsOp::getPad(unsigned) {
  return cast<TypedAttr>(
      Builder(getContext()).getZeroAttr(getInput().getType().getElementType()));
}

std::vector<Projection> MedianStatsOp::getResultProjections() {
  return {Projection::identity(1), Projection::identity(1)};
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

bool MedianStatsOp::hasPartition() {
  return static_cast<bool>(getPartitionAttr());
}

FailureOr<std::optional<Partition>>
MedianStatsOp::getPartitionOn(const DeviceGrid &grid) {
  if (!getPartitionAttr())
    return std::optional<Partition>();
  FailureOr<Partition> partition =
      getPartitionAttr().getPartition(grid, [this] { return emitOpError(); });
  if (failed(partition))
    return failure();
  return std::optional<Partition>(std::move(*partition));
}

void MedianStatsOp::setPartitionOn(const DeviceGrid &grid,
                                   const Partition &partition) {
  setPartitionAttr(index::PartitionAttr::get(getContext(), grid, partition));
}

std::optional<std::pair<DeviceGrid, Layout>>
MedianStatsOp::getHomeLayout(unsigned result) {
  if (!getHomesAttr())
    return std::nullopt;
  auto home = cast<index::LayoutAttr>(getHomesAttr()[result]);
  return std::pair(home.getDeviceGrid(), home.getLayout());
}

void MedianStatsOp::setHomeLayout(unsigned result, const DeviceGrid &grid,
                                  const Layout &layout) {
  auto home = index::LayoutAttr::get(getContext(), grid, layout);
  SmallVector<Attribute> homes(2, home);
  if (getHomesAttr())
    homes = llvm::to_vector(getHomesAttr());
  homes[result] = home;
  setHomesAttr(ArrayAttr::get(getContext(), homes));
}

/// Routes are kept as one list: those of the results, then the operand's.
static Route routeAt(ArrayAttr routes, unsigned number) {
  Route layouts;
  if (routes)
    for (auto layout :
         cast<ArrayAttr>(routes[number]).getAsRange<index::LayoutAttr>())
      layouts.push_back(layout.getLayout());
  return layouts;
}

Route MedianStatsOp::getHomeRouteLayouts(unsigned result) {
  return routeAt(getRoutesAttr(), result);
}

SmallVector<Route> MedianStatsOp::getOperandRouteLayouts() {
  return {routeAt(getRoutesAttr(), 2)};
}

void MedianStatsOp::setRoutes(const DeviceGrid &grid,
                              ArrayRef<Route> homeRoutes,
                              ArrayRef<Route> operandRoutes) {
  SmallVector<Attribute> routes;
  for (const Route &route :
       llvm::concat<const Route>(homeRoutes, operandRoutes))
    routes.push_back(ArrayAttr::get(
        getContext(),
        llvm::map_to_vector(route, [&](const Layout &layout) -> Attribute {
          return index::LayoutAttr::get(getContext(), grid, layout);
        })));
  setRoutesAttr(ArrayAttr::get(getContext(), routes));
}

//===----------------------------------------------------------------------===//
// Results and cost
//===----------------------------------------------------------------------===//

Monoid MedianStatsOp::getResultMonoid(unsigned result) {
  return result == 0 ? Monoid::Custom : Monoid::Max;
}

TypedAttr MedianStatsOp::getMonoidIdentity(unsigned result) {
  Builder b(getContext());
  return result == 0 ? TypedAttr(b.getF32FloatAttr(0))
                     : monoidIdentity(Monoid::Max,
                                      getPeak().getType().getElementType());
}

PointWork MedianStatsOp::getWork() {
  // A median, a norm and a maximum.
  return {/*flops=*/4 + 4 + 1, /*bytes=*/0};
}

ShardingConstraints MedianStatsOp::getConstraints() { return {}; }

extern "C" PluginInfo tapestryGetPluginInfo() {
  return {pluginAPIVersion, "toy",
          [](DialectRegistry &registry) { registry.insert<ToyDialect>(); },
          nullptr};
}
