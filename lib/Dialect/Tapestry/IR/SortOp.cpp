//===- SortOp.cpp - Index space, rules and code of tapestry.sort ----------===//
//
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "IndexSpaceRules.h"
#include "Placement.h"
#include "PlacementRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "tapestry/Dialect/Index/IR/IndexSort.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySort.h"
#include "tapestry/Interfaces/ElementType.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestrySort.cpp.inc"
#include "tapestry/Support/Counted.h"
#include "tapestry/Support/HostNumbers.h"

//===----------------------------------------------------------------------===//
// BlockOpInterface
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> SortOp::getLabelNames() {
  return labelNamesOf(getLabels());
}

llvm::SmallVector<int64_t> SortOp::getLabelExtents() {
  return llvm::to_vector(getOperandType().getShape());
}

llvm::SmallVector<LabelKind> SortOp::getLabelKinds() {
  return llvm::SmallVector<LabelKind>(getOperandType().getRank(),
                                      LabelKind::Parallel);
}

llvm::SmallVector<Value> SortOp::getTensorOperands() { return {getOperand()}; }

std::vector<Access> SortOp::getAccesses(unsigned) {
  return {Access{Projection::identity(getOperandType().getRank())}};
}

std::vector<Projection> SortOp::getResultProjections() {
  Projection result = Projection::identity(getOperandType().getRank());
  unsigned sorted = getSortedLabel();
  int64_t count = getTotalCount();
  // As many ranks as elements are cut as these are.
  if (!getScannedLabel() || count != getOperandType().getDimSize(sorted))
    result.dims[sorted] = {{}, 0, /*size=*/count};
  return {result};
}

// Nothing is reduced.
Monoid SortOp::getResultMonoid(unsigned) { return Monoid::None; }
TypedAttr SortOp::getMonoidIdentity(unsigned) { return {}; }
Value SortOp::emitCombine(unsigned, OpBuilder &, Location, Value, Value) {
  return {};
}

unsigned SortOp::getSortedLabel() {
  auto names = getLabels().getAsValueRange<StringAttr>();
  return std::distance(names.begin(), llvm::find(names, getAlong()));
}

bool SortOp::canPack() {
  return getOperandType().getElementTypeBitWidth() <= 32 &&
         getOperandType().getDimSize(getSortedLabel()) <= UINT32_MAX;
}

std::optional<unsigned> SortOp::getScannedLabel() {
  if (getIndices() && !canPack())
    return std::nullopt;
  return getSortedLabel();
}

Type SortOp::getTotalType() { return getResultType().getElementType(); }
int64_t SortOp::getTotalCount() {
  return getResultType().getDimSize(getSortedLabel());
}
bool SortOp::readsBehindTotals() { return false; }

LogicalResult SortOp::reifyResultShapes(OpBuilder &,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getAsIndexOpFoldResult(getContext(), getResultType().getShape()));
  return success();
}

// Lines do not know of each other.
bool SortOp::readsPlaceAlong(unsigned label) {
  return label == getSortedLabel();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult SortOp::verify() {
  RankedTensorType operand = getOperandType(), result = getResultType();
  llvm::ArrayRef<int64_t> shape = operand.getShape();
  // sort_c1
  if (failed(verifyLabels(*this, getLabels(), shape)))
    return failure();
  // sort_c2
  Type element = operand.getElementType();
  bool isInteger = isa<IntegerType>(element) && !element.isInteger(1);
  if (element.isInteger(1) || isa<ComplexType>(element) ||
      (getUnsignedElements() && !isInteger))
    return emitOpError() << "puts elements of type " << element << " in order, "
                         << "expected "
                         << (getUnsignedElements() ? "integers" : "numbers");
  // sort_c3
  unsigned sorted = getSortedLabel();
  if (sorted == shape.size())
    return emitOpError() << "puts elements in order along '" << getAlong()
                         << "', which is none of its "
                         << countOf(shape.size(), "label");
  // sort_c4
  SmallVector<int64_t> ranks(shape);
  if (result.getRank() == operand.getRank())
    ranks[sorted] = std::min(ranks[sorted], result.getDimSize(sorted));
  if (result.getShape() != ArrayRef(ranks))
    return emitOpError()
           << "makes " << result << " of " << operand
           << ", expected that shape, which may be shorter along '"
           << getAlong() << "'";
  // sort_c5
  Type expected = getIndices() ? IntegerType::get(getContext(), 64) : element;
  if (result.getElementType() != expected)
    return emitOpError() << "makes " << result << ", expected elements of type "
                         << expected;
  // sort_c6
  if (failed(verifyPartition(*this, getPartitionAttr(), shape.size(), "label")))
    return failure();
  if (!getScannedLabel() && getPartitionAttr() &&
      !getPartitionAttr().getAxes(sorted).empty())
    return emitOpError() << "cuts label '" << getAlong()
                         << "', along which it gives the indices of "
                         << countOf(shape[sorted], "element") << " of type "
                         << element << ", which lie whole";
  // sort_c7
  if (failed(verifyHome(*this, getHomeAttr(), result.getShape())))
    return failure();
  // sort_c8
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), getOperation()->getOperands());
}

//===----------------------------------------------------------------------===//
// What one device computes
//===----------------------------------------------------------------------===//

/// Few of many are kept in one pass.
static bool selects(int64_t count, int64_t length) {
  return count <= 1024 && count <= length / 16;
}

// Of a selection a comparison, else one step per digit of eight bits.
PointWork SortOp::getWork() {
  int64_t bytes = getOperandType().getElementTypeBitWidth() / 8;
  bool isFew =
      selects(getTotalCount(), getOperandType().getDimSize(getSortedLabel()));
  return {/*flops=*/isFew ? 1 : bytes, /*bytes=*/isFew ? 0 : 2 * bytes * bytes};
}

namespace {

/// Rows are sorted along the last dimension: what lies otherwise is turned.
class SortLowering {
public:
  SortLowering(SortOp op, OpBuilder &builder, Location loc)
      : op(op), b(builder), loc(loc), sorted(op.getSortedLabel()),
        rank(op.getOperandType().getRank()), count(op.getTotalCount()) {}

  Value emitLocal(Value window);
  Value emitTotals(Value window, Value start, RankedTensorType result,
                   int64_t blockSize);
  Value emitBehind(Value totals, Value start, Value end,
                   RankedTensorType result, int64_t blockSize);

private:
  /// What is asked of rows.
  struct Ranks {
    Value length, first, count, offset;
    /// Of the result's last dimension.
    int64_t size;
    int64_t run = 0, most = 0;
    /// Of totals, which are packed where the result is indices.
    bool ofTotals = false, select = false, packed = false;
  };
  Value sortRows(Value rows, const Ranks &ranks);
  Value permuted(Value tensor, ArrayRef<int64_t> order);
  /// The dimensions but the sorted one, then that and all behind the labels.
  SmallVector<int64_t> rowsOrder(int64_t numDims);
  Value toRows(Value tensor);
  Value fromRows(Value rows);
  /// Rows of lists with a dimension of one block where the sorted one was.
  Value withBlock(Value rows);
  Value withoutKeys(Value packed);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value lastSize(Value tensor) {
    int64_t dim = cast<RankedTensorType>(tensor.getType()).getRank() - 1;
    return b.createOrFold<tensor::DimOp>(loc, tensor, dim);
  }

  SortOp op;
  OpBuilder &b;
  Location loc;
  int64_t sorted, rank, count;
};

} // namespace

Value SortLowering::permuted(Value tensor, ArrayRef<int64_t> order) {
  if (isIdentityPermutation(order))
    return tensor;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  applyPermutationToVector(sizes, order);
  Value empty = tensor::EmptyOp::create(
      b, loc, sizes, cast<RankedTensorType>(tensor.getType()).getElementType());
  return linalg::TransposeOp::create(b, loc, tensor, empty, order)
      .getResult()
      .front();
}

SmallVector<int64_t> SortLowering::rowsOrder(int64_t numDims) {
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != sorted)
      order.push_back(dim);
  order.push_back(sorted);
  llvm::append_range(order, llvm::seq(rank, numDims));
  return order;
}

/// Lists of blocks lie one behind the other then.
Value SortLowering::toRows(Value tensor) {
  int64_t numDims = cast<RankedTensorType>(tensor.getType()).getRank();
  Value rows = permuted(tensor, rowsOrder(numDims));
  if (numDims == rank)
    return rows;
  SmallVector<ReassociationIndices> groups(rank);
  for (int64_t dim = 0; dim < numDims; ++dim)
    groups[std::min(dim, rank - 1)].push_back(dim);
  return tensor::CollapseShapeOp::create(b, loc, rows, groups);
}

Value SortLowering::fromRows(Value rows) {
  return permuted(rows, invertPermutationVector(rowsOrder(rank)));
}

Value SortLowering::withBlock(Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + sorted, 1);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, rows);
  sizes.insert(sizes.begin() + sorted, b.getIndexAttr(1));
  SmallVector<ReassociationIndices> groups(rank);
  for (int64_t dim = 0; dim <= rank; ++dim)
    groups[dim <= sorted ? dim : dim - 1].push_back(dim);
  return tensor::ExpandShapeOp::create(b, loc, type.clone(shape), rows, groups,
                                       sizes);
}

Value SortLowering::sortRows(Value rows, const Ranks &ranks) {
  auto type = cast<RankedTensorType>(rows.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = ranks.size;
  bool isPacked = op.getIndices() && ranks.ofTotals;
  return index::SortOp::create(
      b, loc, RankedTensorType::get(shape, op.getResultType().getElementType()),
      rows, ranks.length, ranks.first, ranks.count, ranks.offset,
      /*indices=*/op.getIndices() && !isPacked,
      /*descending=*/op.getDescending() && !isPacked,
      /*unsigned_elements=*/op.getUnsignedElements() || isPacked, ranks.select,
      /*wide=*/op.getOperandType().getDimSize(sorted) > UINT32_MAX,
      ranks.packed, ranks.run, ranks.most);
}

Value SortLowering::emitLocal(Value window) {
  Value rows = toRows(window), zero = constant(0), taken = constant(count);
  int64_t length = op.getOperandType().getDimSize(sorted);
  bool isFew = selects(count, length);
  Ranks ranks = {length == count ? taken : constant(length), zero, taken, zero,
                 count};
  ranks.select = isFew;
  ranks.most = isFew ? count : length;
  return fromRows(sortRows(rows, ranks));
}

Value SortLowering::emitTotals(Value window, Value start,
                               RankedTensorType result, int64_t blockSize) {
  Value rows = toRows(window), length = lastSize(rows);
  bool isPerBlock = blockSize > count;
  bool isFew = isPerBlock && selects(count, blockSize);
  Ranks ranks = {
      length, constant(0), isPerBlock ? constant(count) : length, start,
      isPerBlock ? count
                 : cast<RankedTensorType>(rows.getType()).getShape().back()};
  ranks.select = isFew;
  ranks.most = isFew ? count : blockSize;
  ranks.packed = op.getIndices();
  Value sortedRows = sortRows(rows, ranks);
  if (!isPerBlock)
    return fromRows(sortedRows);
  Value lists = count == 1 ? fromRows(sortedRows) : withBlock(sortedRows);
  if (!result.isDynamicDim(sorted) && result.getDimSize(sorted) == 1)
    return lists;
  // Blocks without points have none.
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, lists);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0)),
      strides(sizes.size(), b.getIndexAttr(1));
  if (result.isDynamicDim(sorted))
    sizes[sorted] =
        arith::MinSIOp::create(b, loc, length, constant(1)).getResult();
  else
    sizes[sorted] = b.getIndexAttr(result.getDimSize(sorted));
  return tensor::ExtractSliceOp::create(b, loc, result, lists, offsets, sizes,
                                        strides);
}

Value SortLowering::withoutKeys(Value packed) {
  auto type = cast<RankedTensorType>(packed.getType());
  Value empty = tensor::EmptyOp::create(
      b, loc, tensor::getMixedSizes(b, loc, packed), type.getElementType());
  AffineMap identity = b.getMultiDimIdentityMap(type.getRank());
  return linalg::GenericOp::create(
             b, loc, type, packed, empty, ArrayRef{identity, identity},
             SmallVector<utils::IteratorType>(type.getRank(),
                                              utils::IteratorType::parallel),
             [&](OpBuilder &body, Location, ValueRange args) {
               Value mask = arith::ConstantOp::create(
                   body, loc, body.getI64IntegerAttr(UINT32_MAX));
               linalg::YieldOp::create(
                   body, loc,
                   Value(arith::AndIOp::create(body, loc, args[0], mask)));
             })
      .getResult(0);
}

Value SortLowering::emitBehind(Value totals, Value start, Value end,
                               RankedTensorType result, int64_t blockSize) {
  int64_t length = op.getOperandType().getDimSize(sorted);
  bool isPerBlock = blockSize > count, hasParts = length == count;
  // Of lists, that of the last block may have fewer elements.
  int64_t blocks = llvm::divideCeil(length, blockSize);
  int64_t listed = isPerBlock
                       ? (blocks - 1) * count +
                             std::min(count, length - (blocks - 1) * blockSize)
                       : length;
  int64_t size = hasParts ? result.getDimSize(sorted) : count;
  Value zero = constant(0), taken = constant(std::max<int64_t>(size, 0));
  if (ShapedType::isDynamic(size))
    taken = arith::SubIOp::create(b, loc, end, start);
  Ranks ranks = {constant(listed), hasParts ? start : zero, taken, zero, size};
  ranks.ofTotals = true;
  ranks.most = hasParts ? blockSize : count;
  // Few are found faster than where they would end in each run.
  ranks.select = !hasParts && count <= 64;
  if (!ranks.select)
    ranks.run = isPerBlock ? count : blockSize;
  Value sortedRows = sortRows(toRows(totals), ranks);
  return fromRows(op.getIndices() ? withoutKeys(sortedRows) : sortedRows);
}

FailureOr<SmallVector<Value>> SortOp::lowerLocal(OpBuilder &b, Location loc,
                                                 const LocalBlock &block) {
  return SmallVector<Value>{
      SortLowering(*this, b, loc).emitLocal(block.windows.front())};
}

FailureOr<Value> SortOp::lowerTotals(OpBuilder &b, Location loc,
                                     const LocalBlock &block,
                                     int64_t blockSize) {
  return SortLowering(*this, b, loc)
      .emitTotals(block.windows.front(), block.starts[getSortedLabel()],
                  cast<RankedTensorType>(block.results.front()), blockSize);
}

FailureOr<SmallVector<Value>> SortOp::lowerBehind(OpBuilder &b, Location loc,
                                                  const LocalBlock &block,
                                                  Value totals, Value,
                                                  int64_t blockSize) {
  unsigned sorted = getSortedLabel();
  return SmallVector<Value>{
      SortLowering(*this, b, loc)
          .emitBehind(totals, block.starts[sorted], block.ends[sorted],
                      cast<RankedTensorType>(block.results.front()),
                      blockSize)};
}

//===----------------------------------------------------------------------===//
// What it means
//===----------------------------------------------------------------------===//

llvm::Expected<std::vector<HostTensor>>
SortOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  const HostTensor &operand = *operands.front();
  unsigned sorted = getSortedLabel();
  llvm::Expected<HostTensor> result = HostTensor::create(
      *dtypeOf(getResultType().getElementType()), getResultType().getShape());
  if (!result)
    return result.takeError();
  bool isFloat = isa<FloatType>(getOperandType().getElementType());
  auto isBelow = [&](int64_t a, int64_t b) {
    if (!isFloat) {
      int64_t x = integerAt(operand, a), y = integerAt(operand, b);
      return getUnsignedElements() ? uint64_t(x) < uint64_t(y) : x < y;
    }
    double x = operand.asDouble(a), y = operand.asDouble(b);
    return std::isnan(y) ? !std::isnan(x) : x < y;
  };
  int64_t step = 1, length = getOperandType().getDimSize(sorted),
          count = getResultType().getDimSize(sorted);
  for (int64_t extent : getOperandType().getShape().drop_front(sorted + 1))
    step *= extent;
  std::vector<int64_t> places(length);
  for (int64_t line = 0, e = result->numElements(); line < e; ++line) {
    // Lines begin where the rank is 0.
    if (line / step % count != 0)
      continue;
    int64_t start = line / step / count * length * step + line % step;
    for (int64_t k = 0; k < length; ++k)
      places[k] = start + k * step;
    llvm::sort(places, [&](int64_t a, int64_t b) {
      bool isFirst = getDescending() ? isBelow(b, a) : isBelow(a, b);
      bool isSecond = getDescending() ? isBelow(a, b) : isBelow(b, a);
      return isFirst || (!isSecond && a < b);
    });
    int64_t bytes = byteSize(result->dtype);
    for (int64_t k = 0; k < count; ++k) {
      int64_t index = (places[k] - start) / step;
      const void *from = getIndices()
                             ? static_cast<const void *>(&index)
                             : operand.bytes.data() + places[k] * bytes;
      std::memcpy(result->bytes.data() + (line + k * step) * bytes, from,
                  bytes);
    }
  }
  std::vector<HostTensor> results;
  results.push_back(std::move(*result));
  return results;
}
