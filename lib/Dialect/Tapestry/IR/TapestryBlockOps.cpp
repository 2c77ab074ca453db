//===- TapestryBlockOps.cpp - Index spaces of sources and einsums ---------===//
//
// BlockOpInterface for tapestry.source and tapestry.einsum.
//
//===----------------------------------------------------------------------===//

#include "IndexSpaceRules.h"
#include "ScalarRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Index/IR/LabelRanges.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/EinsumLabels.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// What all share: partition, home and routes are attributes of the same form
//===----------------------------------------------------------------------===//

FailureOr<std::optional<Partition>>
teg::detail::resolvePartition(Operation *op, index::PartitionAttr partition,
                              const DeviceGrid &grid) {
  if (!partition)
    return std::optional<Partition>();
  FailureOr<Partition> resolved =
      partition.getPartition(grid, [&]() { return op->emitOpError(); });
  if (failed(resolved))
    return failure();
  Partition cut = std::move(*resolved);
  return std::optional<Partition>(std::move(cut));
}

std::optional<std::pair<DeviceGrid, Layout>>
teg::detail::resolveHome(index::LayoutAttr home) {
  if (!home)
    return std::nullopt;
  return std::pair(home.getDeviceGrid(), home.getLayout());
}

Route teg::detail::resolveRoute(ArrayAttr route) {
  Route layouts;
  if (route)
    for (auto layout : route.getAsRange<index::LayoutAttr>())
      layouts.push_back(layout.getLayout());
  return layouts;
}

llvm::SmallVector<Route> teg::detail::resolveRoutes(ArrayAttr routes,
                                                    size_t count) {
  if (!routes)
    return llvm::SmallVector<Route>(count);
  return llvm::map_to_vector(routes.getAsRange<ArrayAttr>(), resolveRoute);
}

static ArrayAttr layoutsAttr(MLIRContext *context, const DeviceGrid &grid,
                             const Route &route) {
  return ArrayAttr::get(
      context,
      llvm::map_to_vector(route, [&](const Layout &layout) -> Attribute {
        return index::LayoutAttr::get(context, grid, layout);
      }));
}

ArrayAttr teg::detail::routeAttr(MLIRContext *context, const DeviceGrid &grid,
                                 const Route &route) {
  return route.empty() ? ArrayAttr() : layoutsAttr(context, grid, route);
}

ArrayAttr teg::detail::routesAttr(MLIRContext *context, const DeviceGrid &grid,
                                  llvm::ArrayRef<Route> routes) {
  if (llvm::all_of(routes, [](const Route &route) { return route.empty(); }))
    return {};
  return ArrayAttr::get(
      context, llvm::map_to_vector(routes, [&](const Route &r) -> Attribute {
        return layoutsAttr(context, grid, r);
      }));
}

//===----------------------------------------------------------------------===//
// SourceOp
//===----------------------------------------------------------------------===//

static llvm::SmallVector<std::string> dimensionNames(RankedTensorType type) {
  llvm::SmallVector<std::string> names;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    names.push_back(std::to_string(dim));
  return names;
}

StringRef SourceOp::getVertexName() { return getName(); }

llvm::SmallVector<std::string> SourceOp::getLabelNames() {
  return dimensionNames(getType());
}

llvm::SmallVector<int64_t> SourceOp::getLabelExtents() {
  return llvm::to_vector(getType().getShape());
}

llvm::SmallVector<LabelKind> SourceOp::getLabelKinds() {
  return llvm::SmallVector<LabelKind>(getType().getRank(), LabelKind::Parallel);
}

llvm::SmallVector<Value> SourceOp::getTensorOperands() { return {}; }

std::vector<Access> SourceOp::getAccesses(unsigned) { return {}; }

std::vector<Projection> SourceOp::getResultProjections() {
  return {Projection::identity(getType().getRank())};
}

bool SourceOp::hasPartition() { return static_cast<bool>(getPartitionAttr()); }

FailureOr<std::optional<Partition>>
SourceOp::getPartitionOn(const DeviceGrid &grid) {
  return detail::resolvePartition(*this, getPartitionAttr(), grid);
}

void SourceOp::setPartitionOn(const DeviceGrid &grid,
                              const Partition &partition) {
  setPartitionAttr(index::PartitionAttr::get(getContext(), grid, partition));
}

std::optional<std::pair<DeviceGrid, Layout>> SourceOp::getHomeLayout(unsigned) {
  return detail::resolveHome(getHomeAttr());
}

void SourceOp::setHomeLayout(unsigned, const DeviceGrid &grid,
                             const Layout &layout) {
  setHomeAttr(index::LayoutAttr::get(getContext(), grid, layout));
}

Monoid SourceOp::getResultMonoid(unsigned) { return Monoid::None; }

TypedAttr SourceOp::getMonoidIdentity(unsigned) { return {}; }

Value SourceOp::emitCombine(unsigned, OpBuilder &, Location, Value, Value) {
  return {};
}

PointWork SourceOp::getWork() { return {}; }

ShardingConstraints SourceOp::getConstraints(unsigned) {
  return constraintsOf((*this)->getOpResult(0));
}

//===----------------------------------------------------------------------===//
// SinkOp: each index point reads an element, and writes no tensor
//===----------------------------------------------------------------------===//

static RankedTensorType typeOf(SinkOp sink) {
  return cast<RankedTensorType>(sink.getTensor().getType());
}

StringRef SinkOp::getVertexName() { return getName(); }

llvm::SmallVector<std::string> SinkOp::getLabelNames() {
  return dimensionNames(typeOf(*this));
}

llvm::SmallVector<int64_t> SinkOp::getLabelExtents() {
  return llvm::to_vector(typeOf(*this).getShape());
}

llvm::SmallVector<LabelKind> SinkOp::getLabelKinds() {
  return llvm::SmallVector<LabelKind>(typeOf(*this).getRank(),
                                      LabelKind::Parallel);
}

llvm::SmallVector<Value> SinkOp::getTensorOperands() { return {getTensor()}; }

std::vector<Access> SinkOp::getAccesses(unsigned) {
  return {Access{Projection::identity(typeOf(*this).getRank())}};
}

std::vector<Projection> SinkOp::getResultProjections() { return {}; }

bool SinkOp::hasPartition() { return false; }

FailureOr<std::optional<Partition>> SinkOp::getPartitionOn(const DeviceGrid &) {
  return std::optional<Partition>();
}

void SinkOp::setPartitionOn(const DeviceGrid &, const Partition &) {}

std::optional<std::pair<DeviceGrid, Layout>> SinkOp::getHomeLayout(unsigned) {
  return std::nullopt;
}

void SinkOp::setHomeLayout(unsigned, const DeviceGrid &, const Layout &) {}

Monoid SinkOp::getResultMonoid(unsigned) { return Monoid::None; }

TypedAttr SinkOp::getMonoidIdentity(unsigned) { return {}; }

Value SinkOp::emitCombine(unsigned, OpBuilder &, Location, Value, Value) {
  return {};
}

PointWork SinkOp::getWork() { return {}; }

ShardingConstraints SinkOp::getConstraints(unsigned) { return {}; }

//===----------------------------------------------------------------------===//
// EinsumOp
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> EinsumOp::getLabelNames() {
  return labelNamesOf(getLabels());
}

llvm::SmallVector<int64_t> EinsumOp::getLabelExtents() {
  return llvm::to_vector(getExtents());
}

llvm::SmallVector<LabelKind> EinsumOp::getLabelKinds() {
  AffineMap map = getResultMap();
  llvm::SmallVector<LabelKind> kinds(map.getNumDims(), LabelKind::Reduced);
  auto keep = [&](AffineExpr expr) {
    if (auto label = dyn_cast<AffineDimExpr>(expr))
      kinds[label.getPosition()] = LabelKind::Parallel;
  };
  for (AffineExpr expr : map.getResults())
    // Most are one label.
    isa<AffineDimExpr>(expr) ? keep(expr) : expr.walk(keep);
  return kinds;
}

llvm::SmallVector<Value> EinsumOp::getTensorOperands() {
  return llvm::to_vector(getInputs());
}

static Projection projectionOf(AffineMap map) {
  FailureOr<Projection> projection = index::getSubscripts(map);
  assert(succeeded(projection) && "the verifier refuses other subscripts");
  return *projection;
}

ZBox teg::pointsThatSee(EinsumOp op, unsigned operand) {
  ZBox space = boxOfShape(op.getExtents());
  // Of what is not verified yet the body may be anything.
  if (op.getBody().empty() || op.getBody().getNumArguments() <= operand)
    return space;
  Value element = op.getBody().getArgument(operand);
  if (element.use_empty() ||
      !llvm::all_of(element.getUsers(), llvm::IsaPred<arith::SelectOp>))
    return space;
  ZBox points = index::pointsThatChoose(element, space, [&](Operation *inner) {
    return op.getLabelReadBy(inner);
  });
  return isEmpty(points) ? space : points;
}

/// The points that see an operand, where those read less of it than all; no
/// ranges: all points.
static ZBox guardOf(EinsumOp op, unsigned operand, const Projection &read) {
  if (llvm::any_of(read.dims,
                   [](const ProjectionDim &dim) { return !dim.isLinear(); }))
    return {};
  ZBox space = boxOfShape(op.getExtents());
  ZBox tensor = boxOfShape(op.getInputType(operand).getShape());
  ZBox guard = pointsThatSee(op, operand);
  if (intersect(read.image(guard), tensor) ==
      intersect(read.image(space), tensor))
    return {};
  return guard;
}

std::vector<Access> EinsumOp::getAccesses(unsigned operand) {
  Projection whole = projectionOf(getOperandMap(operand));
  if (getPad(operand))
    return {{whole, guardOf(*this, operand, whole), AccessKind::Affine,
             AccessFallback::Pad}};
  llvm::ArrayRef<int64_t> shape = getInputType(operand).getShape();
  if (std::optional<Fold> fold = getFold(operand))
    foldInto(whole, getExtents(), shape, *fold);
  if (ZBox guard = guardOf(*this, operand, whole); !guard.empty())
    return {{std::move(whole), std::move(guard)}};
  std::vector<Access> accesses;
  for (Projection &piece : splitTurns(whole, getExtents(), shape)) {
    // Sparse values that wrap around may only seem to leave the tensor.
    bool isInside =
        contains(boxOfShape(shape), piece.image(boxOfShape(getExtents())));
    accesses.push_back(
        {std::move(piece),
         {},
         AccessKind::Affine,
         isInside ? AccessFallback::None : AccessFallback::Other});
  }
  return accesses;
}

std::vector<Projection> EinsumOp::getResultProjections() {
  return {projectionOf(getResultMap())};
}

Monoid EinsumOp::getResultMonoid(unsigned) { return getMonoid(); }

TypedAttr EinsumOp::getMonoidIdentity(unsigned) { return getIdentity(); }

Value EinsumOp::emitCombine(unsigned, OpBuilder &builder, Location loc, Value a,
                            Value b) {
  return combine(*this, builder, loc, a, b);
}

std::optional<unsigned> EinsumOp::getLabelReadBy(Operation *op) {
  auto label = dyn_cast<LabelOp>(op);
  return label ? getLabelIndex(label.getLabel()) : std::nullopt;
}

PointWork EinsumOp::getWork() {
  PointWork work;
  work.flops =
      countFlops(getBody()) +
      countCombineFlops(getMonoid(), getCombiner(), getAccumulatorType());
  return work;
}
