//===- CommVerifiers.cpp - Constraints of comm operations -----------------===//
//
// Checks stand in the order of the "Constraints:" lists in CommOps.td and
// CommInterfaces.td and carry their labels.
//
//===----------------------------------------------------------------------===//

#include "LayoutFacts.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

//===----------------------------------------------------------------------===//
// What operations share
//===----------------------------------------------------------------------===//

static std::string shapeToString(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleaveComma(shape, os);
  os << ']';
  return text;
}

static LogicalResult verifySameGrid(Operation *op, index::LayoutAttr from,
                                    index::LayoutAttr to) {
  if (from.getGrid() == to.getGrid())
    return success();
  return op->emitOpError("moves from the grid ")
         << from.getGrid() << " of "
         << countOf(from.getDeviceGrid().numDevices(), "device")
         << " to the grid " << to.getGrid() << " of "
         << to.getDeviceGrid().numDevices();
}

static LogicalResult verifySameShape(Operation *op, index::LayoutAttr from,
                                     index::LayoutAttr to) {
  SmallVector<int64_t> fromShape = from.getLayout().shape();
  SmallVector<int64_t> toShape = to.getLayout().shape();
  if (fromShape == toShape)
    return success();
  return op->emitOpError("turns a layout of a tensor of shape ")
         << shapeToString(fromShape) << " into one of shape "
         << shapeToString(toShape);
}

/// `what` is "source" or "result", `layoutName` the layout that decides its
/// type.
static LogicalResult verifyPartType(Operation *op, StringRef what, Type type,
                                    StringRef layoutName,
                                    index::LayoutAttr layout,
                                    Type elementType) {
  RankedTensorType expected = partType(layout, elementType);
  if (type == expected)
    return success();
  return op->emitOpError(what) << " has type " << type << ", but a part of '"
                               << layoutName << "' has type " << expected;
}

/// Parts of `from` are disjoint blocks that cover the tensor.
static LogicalResult verifyPlain(Operation *op, const Layout &from) {
  size_t cuts = 0;
  for (auto [number, dim] : llvm::enumerate(from.dims)) {
    if (!dim.isBlocked())
      return op->emitOpError("dimension ")
             << number
             << " of 'from' is not plain: its parts may overlap or leave gaps";
    for (const LayoutTerm &term : dim.terms)
      cuts += term.cut.size();
  }
  // A diagonal: devices hold only those parts whose keys agree.
  if (cuts != from.usedAxes().size())
    return op->emitOpError("'from' is cut ")
           << cuts << " times over " << countOf(from.usedAxes().size(), "axis")
           << ", so that its parts leave gaps";
  return success();
}

LogicalResult comm::detail::verifyCollective(CollectiveOpInterface op) {
  index::LayoutAttr from = op.getFrom(), to = op.getTo();
  // collective_c1
  if (failed(verifySameGrid(op, from, to)))
    return failure();
  // collective_c2
  if (failed(verifySameShape(op, from, to)))
    return failure();
  // collective_c3
  if (!to.getLayout().partial.empty())
    return op->emitOpError("has a target with ")
           << to.getLayout().partial.size()
           << " partial axes, but a collective leaves none";
  // collective_c4
  if (failed(verifyPlain(op, from.getLayout())))
    return failure();
  Type elementType = op.getSource().getType().getElementType();
  // collective_c5
  if (failed(verifyPartType(op, "source", op.getSource().getType(), "from",
                            from, elementType)))
    return failure();
  // collective_c6
  SmallVector<index::LayoutAttr> received = op.getReceived();
  if (op.getParts().size() != received.size())
    return op->emitOpError("has ")
           << countOf(op.getParts().size(), "result")
           << " beside its token for " << received.size() << " layouts";
  for (auto [part, layout] : llvm::zip_equal(op.getParts(), received))
    if (failed(verifyPartType(op, "result", part.getType(),
                              layout == to ? "to" : "rim", layout,
                              elementType)))
      return failure();
  // collective_c7
  Collective plan = op.getPlan();
  if (plan.kind != op.getKind())
    return op->emitOpError("does not fit its layouts: from ")
           << from << " to " << to << " is of kind "
           << stringifyCollective(plan.kind) << " ("
           << countOf(plan.elements, "element") << "), not "
           << stringifyCollective(op.getKind());
  // collective_c8
  ArrayAttr axes = axisNames(from, plan.axes);
  if (op.getAxes() != axes)
    return op->emitOpError("names the axes ")
           << op.getAxes() << ", but devices that differ on " << axes
           << " talk to each other (" << plan.groupSize << " per group)";
  return success();
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The combine region takes two values of `elementType` and yields one.
static LogicalResult verifyCombine(Operation *op, Region &combine,
                                   Type elementType) {
  Block &block = combine.front();
  if (block.getNumArguments() != 2)
    return op->emitOpError("combine region takes ")
           << countOf(block.getNumArguments(), "value") << ", not 2";
  for (Type type : block.getArgumentTypes())
    if (type != elementType)
      return op->emitOpError("combine region takes a value of type ")
             << type << ", but elements are of type " << elementType;
  auto yield =
      dyn_cast_or_null<YieldOp>(block.empty() ? nullptr : &block.back());
  if (!yield)
    return op->emitOpError("combine region does not end in a 'comm.yield'");
  if (yield.getValue().getType() != elementType)
    return yield->emitOpError("yields a value of type ")
           << yield.getValue().getType() << ", but elements are of type "
           << elementType;
  for (Operation &nested : block)
    if (!isMemoryEffectFree(&nested))
      return nested.emitOpError(
          "has side effects, which a combine region must not have");
  return success();
}

/// <op>_c1 to <op>_c3 of all_reduce and reduce_scatter.
static LogicalResult verifyReduction(CollectiveOpInterface op, Monoid monoid,
                                     Region &combine) {
  // all_reduce_c1, reduce_scatter_c1
  bool isCustom = monoid == Monoid::Custom;
  if (isCustom != !combine.empty())
    return op->emitOpError("combines by '")
           << stringifyMonoid(monoid) << "' with " << combine.getBlocks().size()
           << " combine regions, not " << (isCustom ? 1 : 0);
  // all_reduce_c2, reduce_scatter_c2
  Type elementType = op.getSource().getType().getElementType();
  if (isCustom && failed(verifyCombine(op, combine, elementType)))
    return failure();
  // all_reduce_c3, reduce_scatter_c3
  if (monoid == Monoid::None || !isLegalMonoid(monoid, elementType))
    return op->emitOpError("combines by '")
           << stringifyMonoid(monoid)
           << "', which does not combine elements of type " << elementType;
  return success();
}

LogicalResult AllReduceOp::verify() {
  return verifyReduction(*this, getMonoid(), getCombine());
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyReduction(*this, getMonoid(), getCombine())))
    return failure();
  // reduce_scatter_c4
  const DeviceGrid &grid = getFrom().getDeviceGrid();
  const Layout &from = getFrom().getLayout(), &to = getTo().getLayout();
  if (detail::LayoutFacts::of(getFrom()).canReduceScatter(getFrom(), getTo()))
    return success();
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    if (firstOfGroup(grid, from.partial, device) != device)
      continue;
    SmallVector<ZBox> targets;
    for (int64_t member : groupOf(grid, from.partial, device))
      targets.push_back(to.box(grid, member));
    ZBox held = from.box(grid, device);
    std::optional<CoverageFault> fault = findCoverageFault(held, targets);
    if (!fault)
      continue;
    bool isInside =
        llvm::all_of(llvm::zip_equal(held, fault->point), [](auto p) {
          auto [range, point] = p;
          return range.lo <= point && point < range.hi;
        });
    return emitOpError("the group of device ")
           << device << " holds " << boxToString(held)
           << ", but its members' targets hold the point "
           << shapeToString(fault->point) << " " << fault->times
           << " times, not " << (isInside ? 1 : 0);
  }
  return emitOpError("has a target that is not plain: parts must not overlap");
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  // slice_c1
  if (failed(verifySameGrid(*this, getFrom(), getTo())))
    return failure();
  // slice_c2
  if (failed(verifySameShape(*this, getFrom(), getTo())))
    return failure();
  // slice_c3
  const Layout &from = getFrom().getLayout(), &to = getTo().getLayout();
  if (from.partial != to.partial)
    return emitOpError("turns values that are partial over ")
           << detail::axisNames(getFrom(), from.partial)
           << " into values that are partial over "
           << detail::axisNames(getTo(), to.partial);
  // slice_c4
  if (auto device = detail::LayoutFacts::of(getFrom())
                        .compareBoxes(getFrom(), getTo())
                        .outside) {
    const DeviceGrid &grid = getFrom().getDeviceGrid();
    return emitOpError("device ")
           << *device << " holds " << boxToString(from.box(grid, *device))
           << " and cannot keep " << boxToString(to.box(grid, *device))
           << " of it";
  }
  // slice_c5
  Type elementType = getSource().getType().getElementType();
  if (failed(verifyPartType(*this, "source", getSource().getType(), "from",
                            getFrom(), elementType)))
    return failure();
  // slice_c6
  return verifyPartType(*this, "result", getResult().getType(), "to", getTo(),
                        elementType);
}
