//===- TapestryBlockOps.cpp - Index spaces of sources and einsums ---------===//
//
// BlockOpInterface for tapestry.source and tapestry.einsum.
//
//===----------------------------------------------------------------------===//

#include "Requests.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// What both share: partition and home are attributes of the same form
//===----------------------------------------------------------------------===//

static FailureOr<std::optional<Partition>>
resolvePartition(Operation *op, index::PartitionAttr partition,
                 const DeviceGrid &grid) {
  if (!partition)
    return std::optional<Partition>();
  FailureOr<Partition> resolved =
      partition.getPartition(grid, [&]() { return op->emitOpError(); });
  if (failed(resolved))
    return failure();
  return std::optional<Partition>(std::move(*resolved));
}

static std::optional<std::pair<DeviceGrid, Layout>>
resolveHome(index::LayoutAttr home) {
  if (!home)
    return std::nullopt;
  return std::pair(home.getDeviceGrid(), home.getLayout());
}

//===----------------------------------------------------------------------===//
// SourceOp
//===----------------------------------------------------------------------===//

StringRef SourceOp::getVertexName() { return getName(); }

llvm::SmallVector<std::string> SourceOp::getLabelNames() {
  llvm::SmallVector<std::string> names;
  for (int64_t dim = 0; dim < getType().getRank(); ++dim)
    names.push_back(std::to_string(dim));
  return names;
}

llvm::SmallVector<int64_t> SourceOp::getLabelExtents() {
  return llvm::to_vector(getType().getShape());
}

llvm::SmallVector<bool> SourceOp::getReducedLabels() {
  return llvm::SmallVector<bool>(getType().getRank(), false);
}

llvm::SmallVector<Value> SourceOp::getTensorOperands() { return {}; }

std::vector<Projection> SourceOp::getOperandProjections() { return {}; }

bool SourceOp::isOperandPadded(unsigned) { return false; }

std::vector<Projection> SourceOp::getResultProjections() {
  return {Projection::identity(getType().getRank())};
}

bool SourceOp::hasPartition() { return static_cast<bool>(getPartitionAttr()); }

FailureOr<std::optional<Partition>>
SourceOp::getPartitionOn(const DeviceGrid &grid) {
  return resolvePartition(*this, getPartitionAttr(), grid);
}

void SourceOp::setPartitionOn(const DeviceGrid &grid,
                              const Partition &partition) {
  setPartitionAttr(index::PartitionAttr::get(getContext(), grid, partition));
}

std::optional<std::pair<DeviceGrid, Layout>> SourceOp::getHomeLayout() {
  return resolveHome(getHomeAttr());
}

void SourceOp::setHomeLayout(const DeviceGrid &grid, const Layout &layout) {
  setHomeAttr(index::LayoutAttr::get(getContext(), grid, layout));
}

Monoid SourceOp::getResultMonoid(unsigned) { return Monoid::None; }

TypedAttr SourceOp::getMonoidIdentity(unsigned) { return {}; }

Value SourceOp::emitCombine(unsigned, OpBuilder &, Location, Value, Value) {
  return {};
}

int64_t SourceOp::getFlopsPerPoint() { return 0; }

VertexConstraints SourceOp::getConstraints() { return constraintsOf(*this); }

//===----------------------------------------------------------------------===//
// EinsumOp
//===----------------------------------------------------------------------===//

StringRef EinsumOp::getVertexName() { return getName(); }

llvm::SmallVector<std::string> EinsumOp::getLabelNames() {
  llvm::SmallVector<std::string> names;
  for (StringRef name : getLabels().getAsValueRange<StringAttr>())
    names.push_back(name.str());
  return names;
}

llvm::SmallVector<int64_t> EinsumOp::getLabelExtents() {
  return llvm::to_vector(getExtents());
}

llvm::SmallVector<bool> EinsumOp::getReducedLabels() {
  AffineMap map = getResultMap();
  llvm::SmallVector<bool> reduced;
  for (unsigned label = 0; label < map.getNumDims(); ++label)
    reduced.push_back(!map.isFunctionOfDim(label));
  return reduced;
}

llvm::SmallVector<Value> EinsumOp::getTensorOperands() {
  return llvm::to_vector(getInputs());
}

static Projection projectionOf(AffineMap map) {
  FailureOr<Projection> projection = index::getLinearForms(map);
  assert(succeeded(projection) && "the verifier refuses other subscripts");
  return *projection;
}

std::vector<Projection> EinsumOp::getOperandProjections() {
  std::vector<Projection> projections;
  for (unsigned operand = 0; operand < getInputs().size(); ++operand)
    projections.push_back(projectionOf(getOperandMap(operand)));
  return projections;
}

bool EinsumOp::isOperandPadded(unsigned operand) {
  return static_cast<bool>(getPad(operand));
}

std::vector<Projection> EinsumOp::getResultProjections() {
  return {projectionOf(getResultMap())};
}

bool EinsumOp::hasPartition() { return static_cast<bool>(getPartitionAttr()); }

FailureOr<std::optional<Partition>>
EinsumOp::getPartitionOn(const DeviceGrid &grid) {
  return resolvePartition(*this, getPartitionAttr(), grid);
}

void EinsumOp::setPartitionOn(const DeviceGrid &grid,
                              const Partition &partition) {
  setPartitionAttr(index::PartitionAttr::get(getContext(), grid, partition));
}

std::optional<std::pair<DeviceGrid, Layout>> EinsumOp::getHomeLayout() {
  return resolveHome(getHomeAttr());
}

void EinsumOp::setHomeLayout(const DeviceGrid &grid, const Layout &layout) {
  setHomeAttr(index::LayoutAttr::get(getContext(), grid, layout));
}

static Route resolveRoute(Attribute route) {
  Route layouts;
  for (auto layout : cast<ArrayAttr>(route).getAsRange<index::LayoutAttr>())
    layouts.push_back(layout.getLayout());
  return layouts;
}

Route EinsumOp::getHomeRouteLayouts() {
  return getHomeRouteAttr() ? resolveRoute(getHomeRouteAttr()) : Route();
}

llvm::SmallVector<Route> EinsumOp::getOperandRouteLayouts() {
  if (!getOperandRoutesAttr())
    return llvm::SmallVector<Route>(getInputs().size());
  return llvm::map_to_vector(getOperandRoutesAttr(), resolveRoute);
}

void EinsumOp::setRoutes(const DeviceGrid &grid, const Route &homeRoute,
                         llvm::ArrayRef<Route> operandRoutes) {
  Builder b(getContext());
  auto attrOf = [&](const Route &route) -> Attribute {
    return b.getArrayAttr(
        llvm::map_to_vector(route, [&](const Layout &layout) -> Attribute {
          return index::LayoutAttr::get(getContext(), grid, layout);
        }));
  };
  // What goes in one step everywhere is not spelled out.
  if (!homeRoute.empty())
    setHomeRouteAttr(cast<ArrayAttr>(attrOf(homeRoute)));
  else
    removeHomeRouteAttr();
  if (llvm::any_of(operandRoutes,
                   [](const Route &route) { return !route.empty(); }))
    setOperandRoutesAttr(
        b.getArrayAttr(llvm::map_to_vector(operandRoutes, attrOf)));
  else
    removeOperandRoutesAttr();
}

Monoid EinsumOp::getResultMonoid(unsigned) { return getMonoid(); }

TypedAttr EinsumOp::getMonoidIdentity(unsigned) { return getIdentity(); }

Value EinsumOp::emitCombine(unsigned, OpBuilder &builder, Location loc, Value a,
                            Value b) {
  if (getMonoid() != Monoid::Custom)
    return emitMonoid(builder, loc, getMonoid(), a, b);
  Block &block = getCombiner().front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), a);
  mapping.map(block.getArgument(1), b);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(
      cast<YieldOp>(block.getTerminator()).getValue());
}

Region *EinsumOp::getScalarRegion() { return &getBody(); }

std::optional<unsigned> EinsumOp::getLabelReadBy(Operation *op) {
  auto label = dyn_cast<LabelOp>(op);
  return label ? getLabelIndex(label.getLabel()) : std::nullopt;
}

/// Operations of a scalar region that cost time: not constants, labels,
/// conversions of type and terminators.
static int64_t countFlops(Region &region) {
  int64_t flops = 0;
  for (Operation &op : region.getOps())
    if (!isa<LabelOp, YieldOp, CastOpInterface>(op) &&
        !op.hasTrait<OpTrait::ConstantLike>())
      ++flops;
  return flops;
}

int64_t EinsumOp::getFlopsPerPoint() {
  int64_t flops = countFlops(getBody());
  if (getMonoid() == Monoid::Custom)
    return flops + countFlops(getCombiner());
  return flops + (getMonoid() == Monoid::None ? 0 : 1);
}

VertexConstraints EinsumOp::getConstraints() { return constraintsOf(*this); }
