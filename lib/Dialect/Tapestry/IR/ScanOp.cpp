//===- ScanOp.cpp - Index space, rules and code of tapestry.scan ----------===//
//
// On a device a scan is one loop nest with two results: the elements, and what
// all of a line give together, which is carried from point to point. The checks
// carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "IndexSpaceRules.h"
#include "Placement.h"
#include "PlacementRules.h"
#include "ScalarRegions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Dialect/Index/Evaluate/HostFold.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScan.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryScan.cpp.inc"
#include "tapestry/Support/Counted.h"

//===----------------------------------------------------------------------===//
// BlockOpInterface and ScanInterface
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> ScanOp::getLabelNames() {
  return labelNamesOf(getLabels());
}

llvm::SmallVector<int64_t> ScanOp::getLabelExtents() {
  return llvm::to_vector(getResultType().getShape());
}

llvm::SmallVector<LabelKind> ScanOp::getLabelKinds() {
  return llvm::SmallVector<LabelKind>(getResultType().getRank(),
                                      LabelKind::Parallel);
}

llvm::SmallVector<Value> ScanOp::getTensorOperands() { return {getOperand()}; }

std::vector<Access> ScanOp::getAccesses(unsigned) {
  return {Access{Projection::identity(getResultType().getRank())}};
}

std::vector<Projection> ScanOp::getResultProjections() {
  return {Projection::identity(getResultType().getRank())};
}

// Nothing is reduced.
Monoid ScanOp::getResultMonoid(unsigned) { return Monoid::None; }
TypedAttr ScanOp::getMonoidIdentity(unsigned) { return {}; }
Value ScanOp::emitCombine(unsigned, OpBuilder &, Location, Value, Value) {
  return {};
}

PointWork ScanOp::getWork() {
  return {countCombineFlops(getMonoid(), getCombiner(), getTotalType()),
          /*bytes=*/0};
}

std::optional<unsigned> ScanOp::getScannedLabel() {
  auto names = getLabels().getAsValueRange<StringAttr>();
  return static_cast<unsigned>(
      std::distance(names.begin(), llvm::find(names, getAlong())));
}

// Lines do not know of each other.
bool ScanOp::readsPlaceAlong(unsigned label) {
  return label == getScannedLabel();
}

/// In which elements are combined.
static Type wideType(Type type) {
  return type.isF16() || type.isBF16() ? Float32Type::get(type.getContext())
                                       : type;
}

Type ScanOp::getTotalType() {
  return wideType(getResultType().getElementType());
}

LogicalResult ScanOp::reifyResultShapes(OpBuilder &,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getAsIndexOpFoldResult(getContext(), getResultType().getShape()));
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  // scan_c1
  llvm::ArrayRef<int64_t> shape = getResultType().getShape();
  if (failed(verifyLabels(*this, getLabels(), shape)))
    return failure();
  // scan_c2
  auto operand = cast<RankedTensorType>(getOperand().getType());
  if (operand.getShape() != shape)
    return emitOpError() << "reads " << operand << ", but makes "
                         << getResultType() << ", expected equal shapes";
  // scan_c3
  if (*getScannedLabel() == shape.size())
    return emitOpError() << "runs along '" << getAlong()
                         << "', which is none of its "
                         << countOf(shape.size(), "label");
  // scan_c4
  Type element = operand.getElementType(), total = getTotalType();
  if (wideType(element) != total)
    return emitOpError() << "combines elements of type " << total
                         << ", but reads " << operand;
  // scan_c5
  if (getMonoid() != Monoid::Custom && !monoidIdentity(getMonoid(), total))
    return emitOpError() << "combines elements of type " << total << " by '"
                         << stringifyMonoid(getMonoid())
                         << "', expected a monoid of them";
  // scan_c6
  if (failed(verifyPartition(*this, getPartitionAttr(), shape.size(), "label")))
    return failure();
  // scan_c7
  if (failed(verifyHome(*this, getHomeAttr(), shape)))
    return failure();
  // scan_c8
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), getOperation()->getOperands());
}

// scan_c9
LogicalResult ScanOp::verifyRegions() {
  return verifyCustomMonoid(*this, getTotalType());
}

//===----------------------------------------------------------------------===//
// What one device computes
//===----------------------------------------------------------------------===//

namespace {

/// Booleans lie in bytes.
class ScanLowering {
public:
  ScanLowering(ScanOp op, OpBuilder &builder, Location loc,
               const LocalBlock &block)
      : op(op), b(builder), loc(loc), window(block.windows.front()),
        type(cast<RankedTensorType>(block.results.front())),
        total(storageType(op.getTotalType())), scanned(*op.getScannedLabel()),
        sizes(tensor::getMixedSizes(b, loc, window)) {}

  /// What all points of each line give.
  Value emitTotals();
  /// What the blocks before number `part` give.
  Value emitStart(Value totals, Value part);
  /// The elements, from what lies before the block.
  Value emitElements(Value start);
  /// Nothing lies before the block.
  Value emitNothing() { return fill(withoutScanned(sizes)); }

private:
  Value identity() {
    TypedAttr value = identityOf(op, op.getTotalType());
    if (auto integer = dyn_cast<IntegerAttr>(value))
      value = IntegerAttr::get(
          total, integer.getValue().zext(total.getIntOrFloatBitWidth()));
    return emitConstant(b, loc, value);
  }
  Value fill(ArrayRef<OpFoldResult> shape) {
    Value empty = tensor::EmptyOp::create(b, loc, shape, total);
    return linalg::FillOp::create(b, loc, identity(), empty).getResult(0);
  }
  Value combine(OpBuilder &builder, Value before, Value element) {
    if (element.getType() != total)
      element = arith::ExtFOp::create(builder, loc, total, element);
    return teg::combine(op, builder, loc, before, element);
  }
  template <typename T> SmallVector<T> withoutScanned(ArrayRef<T> list) {
    SmallVector<T> rest(list);
    rest.erase(rest.begin() + scanned);
    return rest;
  }
  template <typename T>
  SmallVector<T> withoutScanned(const SmallVector<T> &list) {
    return withoutScanned(ArrayRef<T>(list));
  }
  /// One loop per label, the scanned one as a reduction, and `more` behind.
  SmallVector<utils::IteratorType> loops(unsigned more = 0) {
    SmallVector<utils::IteratorType> kinds(type.getRank() + more,
                                           utils::IteratorType::parallel);
    kinds[scanned] = utils::IteratorType::reduction;
    return kinds;
  }
  AffineMap mapOf(ArrayRef<AffineExpr> exprs, unsigned loops) {
    return AffineMap::get(loops, 0, exprs, b.getContext());
  }
  SmallVector<AffineExpr> labels() {
    return llvm::map_to_vector(llvm::seq<unsigned>(0, type.getRank()),
                               [&](unsigned label) -> AffineExpr {
                                 return b.getAffineDimExpr(label);
                               });
  }

  ScanOp op;
  OpBuilder &b;
  Location loc;
  Value window;
  RankedTensorType type;
  Type total;
  unsigned scanned;
  SmallVector<OpFoldResult> sizes;
};

} // namespace

Value ScanLowering::emitTotals() {
  // Blocks without points have no total.
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> shape = sizes;
  if (type.isDynamicDim(scanned)) {
    Value size = getValueOrCreateConstantIndexOp(b, loc, sizes[scanned]);
    shape[scanned] =
        arith::MinSIOp::create(b, loc, size,
                               arith::ConstantIndexOp::create(b, loc, 1))
            .getResult();
  } else {
    shape[scanned] = b.getIndexAttr(type.getDimSize(scanned));
  }
  SmallVector<AffineExpr> points = labels(), lines = labels();
  lines[scanned] = b.getAffineDimExpr(rank);
  auto generic = linalg::GenericOp::create(
      b, loc, type, window, fill(shape),
      ArrayRef{mapOf(points, rank + 1), mapOf(lines, rank + 1)}, loops(1),
      [&](OpBuilder &builder, Location, ValueRange values) {
        linalg::YieldOp::create(builder, loc,
                                combine(builder, values[1], values[0]));
      });
  return generic.getResult(0);
}

Value ScanLowering::emitStart(Value totals, Value part) {
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> points = labels();
  Value nothing = emitNothing();
  auto generic = linalg::GenericOp::create(
      b, loc, nothing.getType(), totals, nothing,
      ArrayRef{mapOf(points, rank), mapOf(withoutScanned(points), rank)},
      loops(), [&](OpBuilder &builder, Location, ValueRange values) {
        Value number = linalg::IndexOp::create(builder, loc, scanned);
        Value isBefore = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, number, part);
        Value value = arith::SelectOp::create(builder, loc, isBefore, values[0],
                                              identity());
        linalg::YieldOp::create(builder, loc,
                                combine(builder, values[1], value));
      });
  return generic.getResult(0);
}

Value ScanLowering::emitElements(Value start) {
  unsigned rank = type.getRank();
  SmallVector<AffineExpr> points = labels();
  AffineMap all = mapOf(points, rank);
  Value result = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange{result.getType(), start.getType()}, window,
      ValueRange{result, start},
      ArrayRef{all, all, mapOf(withoutScanned(points), rank)}, loops(),
      [&](OpBuilder &builder, Location, ValueRange values) {
        Value sum = combine(builder, values[2], values[0]);
        Value stored = sum;
        if (total != type.getElementType())
          stored =
              arith::TruncFOp::create(builder, loc, type.getElementType(), sum);
        linalg::YieldOp::create(builder, loc, ValueRange{stored, sum});
      });
  return generic.getResult(0);
}

FailureOr<Value> ScanOp::lowerTotals(OpBuilder &b, Location loc,
                                     const LocalBlock &block, int64_t) {
  return ScanLowering(*this, b, loc, block).emitTotals();
}

FailureOr<SmallVector<Value>> ScanOp::lowerLocal(OpBuilder &b, Location loc,
                                                 const LocalBlock &block) {
  ScanLowering lowering(*this, b, loc, block);
  return SmallVector<Value>{lowering.emitElements(lowering.emitNothing())};
}

FailureOr<SmallVector<Value>> ScanOp::lowerBehind(OpBuilder &b, Location loc,
                                                  const LocalBlock &block,
                                                  Value totals, Value part,
                                                  int64_t) {
  ScanLowering lowering(*this, b, loc, block);
  return SmallVector<Value>{
      lowering.emitElements(lowering.emitStart(totals, part))};
}

//===----------------------------------------------------------------------===//
// What it means
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<HostTensor>>
ScanOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  llvm::ArrayRef<int64_t> shape = getResultType().getShape();
  llvm::Expected<HostTensor> result =
      HostTensor::create(*dtypeOf(getResultType().getElementType()), shape);
  if (!result)
    return result.takeError();
  llvm::Expected<reference::HostFold> fold = reference::HostFold::compile(
      *this, {getMonoid(), identityOf(*this, getTotalType()),
              [this](OpBuilder &builder, Location loc, Value a, Value b) {
                return combine(*this, builder, loc, a, b);
              }});
  if (!fold)
    return fold.takeError();
  unsigned scanned = *getScannedLabel();
  int64_t step = 1;
  for (int64_t extent : shape.drop_front(scanned + 1))
    step *= extent;
  for (int64_t first = 0, e = result->numElements(); first < e; ++first) {
    if (first / step % shape[scanned] != 0)
      continue;
    fold->reset();
    for (int64_t k = 0; k < shape[scanned]; ++k) {
      int64_t at = first + k * step;
      fold->take(0, *operands.front(), at);
      fold->store(0, *result, at);
    }
  }
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}
