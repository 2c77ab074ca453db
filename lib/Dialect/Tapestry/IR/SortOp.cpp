//===- SortOp.cpp - Index space, rules and code of tapestry.sort ----------===//
//
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "HostNumbers.h"
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
  result.dims[sorted] = {{}, 0, /*size=*/getResultType().getDimSize(sorted)};
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

LogicalResult SortOp::reifyResultShapes(OpBuilder &,
                                        ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getAsIndexOpFoldResult(getContext(), getResultType().getShape()));
  return success();
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
                         << "', which is none of its " << shape.size()
                         << " labels";
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
  if (failed(
          verifyPartition(*this, getPartitionAttr(), shape.size(), "labels")))
    return failure();
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
  unsigned sorted = getSortedLabel();
  int64_t bytes = getOperandType().getElementTypeBitWidth() / 8;
  bool isFew = selects(getResultType().getDimSize(sorted),
                       getOperandType().getDimSize(sorted));
  return {/*flops=*/isFew ? 1 : bytes, /*bytes=*/isFew ? 0 : 2 * bytes * bytes};
}

namespace {

/// Rows are sorted along the last dimension: what lies otherwise is turned.
class SortLowering {
public:
  SortLowering(SortOp op, OpBuilder &builder, Location loc)
      : op(op), b(builder), loc(loc), sorted(op.getSortedLabel()) {}

  Value toRows(Value tensor) { return turned(tensor, /*toRows=*/true); }
  Value fromRows(Value rows) { return turned(rows, /*toRows=*/false); }
  Value sortBlock(Value rows);

private:
  Value turned(Value tensor, bool toRows);
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  SortOp op;
  OpBuilder &b;
  Location loc;
  unsigned sorted;
};

} // namespace

Value SortLowering::turned(Value tensor, bool toRows) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t rank = type.getRank();
  if (int64_t(sorted) + 1 == rank)
    return tensor;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  order.erase(order.begin() + sorted);
  order.push_back(sorted);
  if (!toRows)
    order = invertPermutationVector(order);
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  applyPermutationToVector(sizes, order);
  Value empty = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  return linalg::TransposeOp::create(b, loc, tensor, empty, order)
      .getResult()
      .front();
}

Value SortLowering::sortBlock(Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  int64_t length = op.getOperandType().getDimSize(sorted);
  int64_t count = op.getResultType().getDimSize(sorted);
  bool isFew = selects(count, length);
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = count;
  Value zero = constant(0), taken = constant(count);
  auto sort = index::SortOp::create(
      b, loc,
      TypeRange(
          RankedTensorType::get(shape, op.getResultType().getElementType())),
      rows, length == count ? taken : constant(length), /*first=*/zero, taken,
      /*offset=*/zero, /*places=*/Value(), /*values=*/!op.getIndices(),
      op.getIndices(), op.getDescending(), op.getUnsignedElements(),
      /*select=*/isFew, /*wide=*/length > UINT32_MAX, /*run=*/0,
      /*most=*/isFew ? count : length);
  return sort.getResult(0);
}

FailureOr<SmallVector<Value>> SortOp::lowerLocal(OpBuilder &b, Location loc,
                                                 const LocalBlock &block) {
  SortLowering lowering(*this, b, loc);
  Value rows = lowering.toRows(block.windows.front());
  return SmallVector<Value>{lowering.fromRows(lowering.sortBlock(rows))};
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
