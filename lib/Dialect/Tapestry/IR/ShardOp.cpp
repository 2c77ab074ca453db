//===- ShardOp.cpp - Blocks of operators ----------------------------------===//
//
// A shard answers what the operator in its region does, for points that count
// from the start of its range and tensors that begin where its slices do. The
// checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "PlacementRules.h"
#include "StartsAndEnds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/IR/Unsigned.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/Sharding.h"
#include "tapestry/Support/ZTensor.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.cpp.inc"

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

void ShardOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    BlockOpInterface whole, llvm::ArrayRef<ZRange> range,
                    ValueRange operands) {
  ZBox box(range);
  // A block of a shard is one of what that is one of.
  if (auto outer = dyn_cast<ShardOp>(whole.getOperation())) {
    for (auto [own, around] : llvm::zip_equal(box, outer.getBox()))
      own = {around.lo + own.lo, around.lo + own.hi};
    whole = outer.getWholeOp();
  }
  state.addOperands(operands);
  state.getOrAddProperties<Properties>().name = builder.getStringAttr(name);
  state.getOrAddProperties<Properties>().range =
      index::RangeAttr::get(builder.getContext(), box);
  // What is inside is no vertex that a listener should hear of.
  OpBuilder inside(builder.getContext());
  Region *region = state.addRegion();
  Block *block = inside.createBlock(
      region, {}, whole->getOperandTypes(),
      llvm::map_to_vector(whole->getOperands(),
                          [](Value value) { return value.getLoc(); }));
  IRMapping mapping;
  mapping.map(whole->getOperands(), block->getArguments());
  Operation *inner = whole->cloneWithoutRegions(mapping);
  // One tensor may be read twice.
  inner->setOperands(block->getArguments());
  for (auto [from, to] :
       llvm::zip_equal(whole->getRegions(), inner->getRegions()))
    from.cloneInto(&to, mapping);
  inside.insert(inner);
  if (auto block = cast<BlockOpInterface>(inner); hasPlan(block))
    forgetPlan(block);
  NamedAttrList kept;
  if (isUnsigned(whole))
    kept.set(unsignedAttrName, builder.getUnitAttr());
  inner->setDiscardableAttrs(kept.getDictionary(builder.getContext()));
  PartOfOp::create(inside, whole.getLoc(), inner->getResults());
  for (unsigned result = 0; result < whole->getNumResults(); ++result)
    state.addTypes(getTypeOfPart(whole, result, box));
}

void ShardOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  for (auto [number, result] : llvm::enumerate(getOutputs()))
    detail::nameResult(result,
                       number == 0 ? getName().str()
                                   : (getName() + "." + Twine(number)).str(),
                       setName);
}

LogicalResult ShardOp::reifyResultShapes(OpBuilder &,
                                         ReifiedRankedShapedTypeDims &shapes) {
  for (Value result : getOutputs())
    shapes.push_back(
        getAsIndexOpFoldResult(getContext(), tensorType(result).getShape()));
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// shard_c2, shard_c3
static LogicalResult verifyRange(ShardOp op, BlockOpInterface whole) {
  ZBox box = op.getBox();
  llvm::SmallVector<int64_t> extents = whole.getLabelExtents();
  if (box.size() != extents.size())
    return op.emitOpError() << "has a range of rank " << box.size() << " for "
                            << countOf(extents.size(), "label");
  llvm::SmallBitVector cut = getShardedLabels(whole);
  llvm::SmallVector<std::string> names = whole.getLabelNames();
  for (auto [label, range] : llvm::enumerate(box)) {
    bool isPart = !range.empty() && ZRange{0, extents[label]}.contains(range);
    if (isPart && (cut.test(label) || range.size() == extents[label]))
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError();
    diagnostic << "the range of label '" << names[label] << "' is [" << range.lo
               << ", " << range.hi << "), expected ";
    if (isPart)
      diagnostic << "all of ";
    else
      diagnostic << "points of ";
    diagnostic << "[0, " << extents[label] << ")";
    if (isPart)
      diagnostic << ": along this label '" << whole->getName()
                 << "' has no blocks";
    return diagnostic;
  }
  return success();
}

/// shard_c4, shard_c5
static LogicalResult verifyParts(ShardOp op, BlockOpInterface whole) {
  ZBox box = op.getBox();
  if (op.getInputs().size() != whole->getNumOperands())
    return op.emitOpError()
           << "has " << countOf(op.getInputs().size(), "operand")
           << ", expected one per argument: " << whole->getNumOperands();
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    ZBox slice = getSliceOf(whole, number, box);
    RankedTensorType all = tensorType(whole->getOperand(number));
    Type expected = RankedTensorType::get(shapeOf(slice), all.getElementType());
    if (input.getType() != expected)
      return op.emitOpError()
             << "operand " << number << " is " << input.getType()
             << ", but the range reads " << boxToString(slice) << " of " << all
             << ": expected " << expected;
  }
  if (op.getNumResults() != whole->getNumResults())
    return op.emitOpError()
           << "has " << countOf(op.getNumResults(), "result") << ", but '"
           << whole->getName() << "' has " << whole->getNumResults();
  for (auto [number, output] : llvm::enumerate(op.getOutputs()))
    if (Type expected = getTypeOfPart(whole, number, box);
        output.getType() != expected)
      return op.emitOpError() << "result " << number << " is "
                              << output.getType() << ", expected " << expected;
  return success();
}

LogicalResult ShardOp::verifyRegions() {
  // shard_c1
  Block &block = getWhole().front();
  size_t count = block.getOperations().size() - 1;
  if (count != 1)
    return emitOpError() << "holds " << countOf(count, "operation")
                         << ", expected 1";
  Operation &held = block.front();
  if (!hasBlocks(&held) || isa<ShardOp>(held))
    return emitOpError() << "holds '" << held.getName()
                         << "', which has no blocks that a shard could be";
  if (held.getOperands() != ValueRange(block.getArguments()))
    return emitOpError() << "holds '" << held.getName()
                         << "', which does not take the "
                         << block.getNumArguments()
                         << " arguments in their order";
  if (block.back().getOperands() != ValueRange(held.getResults()))
    return emitOpError() << "holds '" << held.getName()
                         << "', of which 'tapestry.part_of' does not take the "
                            "results in their order";
  BlockOpInterface whole = getWholeOp();
  if (hasPlan(whole))
    return emitOpError() << "holds '" << held.getName()
                         << "' with a plan, which only the shard may have";
  if (failed(verifyRange(*this, whole)) || failed(verifyParts(*this, whole)))
    return failure();
  if (failed(verifyAsked(*this)))
    return failure();
  // shard_c6
  if (failed(verifyPartition(*this, getPartitionAttr(),
                             whole.getLabelExtents().size(), "label")))
    return failure();
  // shard_c7, shard_c8
  llvm::SmallVector<Value> read;
  for (auto &[operand, access] : getReads())
    read.push_back(getInputs()[operand]);
  return verifyPlacement(*this, getHomesAttr(), getHomeRoutesAttr(),
                         getOperandRoutesAttr(), read);
}

//===----------------------------------------------------------------------===//
// Index space: that of the range
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> ShardOp::getLabelNames() {
  return getWholeOp().getLabelNames();
}

llvm::SmallVector<int64_t> ShardOp::getLabelExtents() {
  return shapeOf(getBox());
}

llvm::SmallVector<LabelKind> ShardOp::getLabelKinds() {
  return getWholeOp().getLabelKinds();
}

llvm::SmallVector<Value> ShardOp::getTensorOperands() {
  return llvm::to_vector(getInputs());
}

/// A region of scalars takes an operand at all points of a block, also where it
/// does not choose it, which the slice need not have: pads there or, where none
/// chooses it, any cell.
static void takeEverywhere(Access &access, llvm::ArrayRef<ZRange> block,
                           llvm::ArrayRef<ZRange> slice) {
  if (isEmpty(access.guard)) {
    access.guard.clear();
    for (ProjectionDim &dim : access.projection.dims)
      dim = ProjectionDim();
  } else if (!contains(boxOfShape(shapeOf(slice)),
                       access.projection.image(boxOfShape(shapeOf(block))))) {
    access.fallback = AccessFallback::Pad;
  }
}

std::vector<Access> ShardOp::getAccesses(unsigned operand) {
  BlockOpInterface whole = getWholeOp();
  std::vector<Access> accesses = whole.getAccesses(operand);
  ZBox box = getBox();
  ZBox slice = sliceOfReads(accesses, box,
                            tensorType(whole->getOperand(operand)).getShape());
  accesses = readsOfSlice(std::move(accesses), box, slice);
  if (accesses.size() == 1 && !accesses[0].guard.empty() && getScalarRegion())
    takeEverywhere(accesses[0], box, slice);
  // As they come back from the maps of lower levels: without whole turns.
  for (Access &access : accesses)
    for (ProjectionDim &dim : access.projection.dims)
      if (!dim.isLinear() && dim.fold == Fold::Wrap)
        dim = *index::getSubscript(index::getAffineExpr(dim, getContext()));
  return accesses;
}

TypedAttr ShardOp::getPad(unsigned operand) {
  if (TypedAttr pad = getWholeOp().getPad(operand))
    return pad;
  auto isPadded = [](const Access &access) {
    return access.fallback == AccessFallback::Pad;
  };
  if (!llvm::any_of(getAccesses(operand), isPadded))
    return {};
  return zeroValue(tensorType(getInputs()[operand]).getElementType());
}

std::vector<Projection> ShardOp::getResultProjections() {
  return getWholeOp().getResultProjections();
}

std::vector<Write> ShardOp::getWrites(unsigned result) {
  std::vector<Write> writes;
  ZBox box = getBox();
  for (Write &write : getWholeOp().getWrites(result)) {
    if (!write.guard.empty()) {
      write.guard = intersect(write.guard, box);
      for (auto [points, own] : llvm::zip_equal(write.guard, box))
        points = {points.lo - own.lo, points.hi - own.lo};
      if (isEmpty(write.guard))
        continue;
    }
    writes.push_back(std::move(write));
  }
  return writes;
}

std::optional<llvm::SmallVector<int64_t>> ShardOp::getDeviceSet() {
  return getWholeOp().getDeviceSet();
}

Monoid ShardOp::getResultMonoid(unsigned result) {
  return getWholeOp().getResultMonoid(result);
}

TypedAttr ShardOp::getMonoidIdentity(unsigned result) {
  return getWholeOp().getMonoidIdentity(result);
}

Value ShardOp::emitCombine(unsigned result, OpBuilder &builder, Location loc,
                           Value a, Value b) {
  return getWholeOp().emitCombine(result, builder, loc, a, b);
}

Region *ShardOp::getScalarRegion() { return getWholeOp().getScalarRegion(); }

std::optional<unsigned> ShardOp::getLabelReadBy(Operation *op) {
  return getWholeOp().getLabelReadBy(op);
}

int64_t ShardOp::getLabelStart(unsigned label) {
  return getWholeOp().getLabelStart(label) + getBox()[label].lo;
}

bool ShardOp::readsPlaceAlong(unsigned label) {
  auto ranged = dyn_cast<RangeInterface>(getWholeOp().getOperation());
  return !ranged || ranged.readsPlaceAlong(label);
}

PointWork ShardOp::getWork() { return getWholeOp().getWork(); }

std::optional<std::pair<DeviceGrid, Layout>>
ShardOp::getHomeLayout(unsigned result) {
  if (!getHomesAttr())
    return std::nullopt;
  return detail::resolveHome(cast<index::LayoutAttr>(getHomesAttr()[result]));
}

void ShardOp::setHomeLayout(unsigned result, const DeviceGrid &grid,
                            const Layout &layout) {
  setHomesAttr(withHome(getHomesAttr(), getNumResults(), result,
                        index::LayoutAttr::get(getContext(), grid, layout)));
}

//===----------------------------------------------------------------------===//
// What one device computes
//===----------------------------------------------------------------------===//

namespace {
/// A part of a shard as part of the whole.
class PartOfWhole {
public:
  PartOfWhole(ShardOp op, OpBuilder &b, Location loc, const LocalBlock &block) {
    auto moved = [&](Value point, int64_t by) -> Value {
      if (by == 0)
        return point;
      return arith::AddIOp::create(b, loc, point,
                                   arith::ConstantIndexOp::create(b, loc, by));
    };
    for (auto [start, end, range] :
         llvm::zip_equal(block.starts, block.ends, op.getBox())) {
      starts.push_back(moved(start, range.lo));
      ends.push_back(moved(end, range.lo));
    }
    local = block;
    local.starts = starts;
    local.ends = ends;
  }
  LocalBlock local;

private:
  SmallVector<Value> starts, ends;
};
} // namespace

FailureOr<SmallVector<Value>> ShardOp::lowerLocal(OpBuilder &b, Location loc,
                                                  const LocalBlock &block) {
  return getWholeOp().lowerLocal(b, loc,
                                 PartOfWhole(*this, b, loc, block).local);
}

static ScanInterface scanOf(ShardOp op) {
  return dyn_cast<ScanInterface>(op.getWholeOp().getOperation());
}

std::optional<unsigned> ShardOp::getScannedLabel() {
  ScanInterface scan = scanOf(*this);
  return scan ? scan.getScannedLabel() : std::nullopt;
}

int64_t ShardOp::getTotalCount() { return scanOf(*this).getTotalCount(); }

bool ShardOp::readsBehindTotals() { return scanOf(*this).readsBehindTotals(); }

Type ShardOp::getTotalType() { return scanOf(*this).getTotalType(); }

FailureOr<Value> ShardOp::lowerTotals(OpBuilder &b, Location loc,
                                      const LocalBlock &block,
                                      int64_t blockSize) {
  return scanOf(*this).lowerTotals(
      b, loc, PartOfWhole(*this, b, loc, block).local, blockSize);
}

FailureOr<SmallVector<Value>> ShardOp::lowerBehind(OpBuilder &b, Location loc,
                                                   const LocalBlock &block,
                                                   Value totals, Value part,
                                                   int64_t blockSize) {
  return scanOf(*this).lowerBehind(
      b, loc, PartOfWhole(*this, b, loc, block).local, totals, part, blockSize);
}

//===----------------------------------------------------------------------===//
// What it means
//===----------------------------------------------------------------------===//

/// Copies between a tensor and its part `box`, which is a tensor of its own.
static void copyPart(llvm::ArrayRef<ZRange> box, HostTensor &whole,
                     HostTensor &part, bool toWhole) {
  int64_t bytes = byteSize(whole.dtype);
  StridedView all = StridedView::rowMajor(whole.shape);
  uint8_t *next = part.bytes.data();
  forEachPoint(box, [&](llvm::ArrayRef<int64_t> place) {
    uint8_t *element = whole.bytes.data() + all.placeOf(place) * bytes;
    std::memcpy(toWhole ? element : next, toWhole ? next : element, bytes);
    next += bytes;
  });
}

llvm::Expected<std::vector<HostTensor>>
ShardOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  BlockOpInterface whole = getWholeOp();
  ZBox box = getBox();
  std::vector<HostTensor> tensors;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    auto tensor = HostTensor::create(
        operand->dtype, tensorType(whole->getOperand(number)).getShape());
    if (!tensor)
      return tensor.takeError();
    HostTensor given = *operand;
    copyPart(getSliceOf(whole, number, box), *tensor, given, /*toWhole=*/true);
    tensors.push_back(std::move(*tensor));
  }
  auto pointers = llvm::map_to_vector(
      tensors, [](const HostTensor &tensor) { return &tensor; });
  bool isWhole = true;
  for (unsigned result = 0; result < getNumResults(); ++result)
    isWhole &= isComplete(whole, result, box);
  auto ranged = dyn_cast<RangeInterface>(whole.getOperation());
  if (!ranged && !isWhole)
    return llvm::createStringError(
        "the reference evaluator does not know what some points of '" +
        whole->getName().getStringRef() + "' contribute");
  auto results =
      ranged ? ranged.evaluateRange(pointers, box) : whole.evaluate(pointers);
  if (!results)
    return results.takeError();
  std::vector<HostTensor> parts;
  for (auto [number, result] : llvm::enumerate(*results)) {
    ZBox cells = partOfResult(whole.getResultProjections()[number], box);
    auto part = HostTensor::create(result.dtype, shapeOf(cells));
    if (!part)
      return part.takeError();
    copyPart(cells, result, *part, /*toWhole=*/false);
    parts.push_back(std::move(*part));
  }
  return parts;
}
