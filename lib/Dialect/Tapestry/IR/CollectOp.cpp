//===- CollectOp.cpp - Index space, rules and code of tapestry.collect ----===//
//
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "IndexSpaceRules.h"
#include "Placement.h"
#include "PlacementRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryCollect.h"
#include "tapestry/Interfaces/ElementType.h"
#include <cstring>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryCollect.cpp.inc"

//===----------------------------------------------------------------------===//
// BlockOpInterface
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> CollectOp::getLabelNames() {
  return labelNamesOf(getLabels());
}

llvm::SmallVector<int64_t> CollectOp::getLabelExtents() {
  return llvm::to_vector(getRowType().getShape());
}

llvm::SmallVector<LabelKind> CollectOp::getLabelKinds() {
  return llvm::SmallVector<LabelKind>(getRowType().getRank(),
                                      LabelKind::Parallel);
}

llvm::SmallVector<Value> CollectOp::getTensorOperands() {
  return {getRow(), getInto(), getAt()};
}

std::vector<Access> CollectOp::getAccesses(unsigned operand) {
  if (operand == 0)
    return {Access{Projection::identity(getRowType().getRank())}};
  if (operand == 1)
    return {Access{getResultProjections().front()}};
  return {Access{Projection()}};
}

std::vector<Projection> CollectOp::getResultProjections() {
  Projection rows = Projection::identity(getRowType().getRank());
  rows.dims.insert(
      rows.dims.begin(),
      {{}, /*constant=*/0, /*size=*/getResultType().getDimSize(0)});
  return {rows};
}

// Nothing is reduced.
Monoid CollectOp::getResultMonoid(unsigned) { return Monoid::None; }
TypedAttr CollectOp::getMonoidIdentity(unsigned) { return {}; }
Value CollectOp::emitCombine(unsigned, OpBuilder &, Location, Value, Value) {
  return {};
}

/// Of the rows that come and go all but one stay where they are.
PointWork CollectOp::getWork() {
  int64_t rows = 2 * getResultType().getDimSize(0) - 1;
  return {/*flops=*/0,
          /*bytes=*/-rows * storedSize(getRowType().getElementType())};
}

LogicalResult
CollectOp::reifyResultShapes(OpBuilder &, ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getAsIndexOpFoldResult(getContext(), getResultType().getShape()));
  return success();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

LogicalResult CollectOp::verify() {
  // collect_c1
  if (failed(verifyLabels(*this, getLabels(), getRowType().getShape())))
    return failure();
  // collect_c2
  RankedTensorType type = getResultType();
  if (getInto().getType() != type)
    return emitOpError() << "puts a row into " << getInto().getType()
                         << ", but makes " << type << ", expected equal types";
  // collect_c3
  RankedTensorType row = getRowType();
  if (type.getRank() != row.getRank() + 1 || type.getDimSize(0) < 1 ||
      type.getShape().drop_front() != row.getShape() ||
      type.getElementType() != row.getElementType())
    return emitOpError() << "puts " << row << " into " << type
                         << ", expected one more dimension in front, of at "
                            "least one row";
  // collect_c4
  if (failed(
          verifyPartition(*this, getPartitionAttr(), row.getRank(), "label")))
    return failure();
  // collect_c5
  if (failed(verifyHome(*this, getHomeAttr(), type.getShape())))
    return failure();
  // collect_c6
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), getOperation()->getOperands());
}

//===----------------------------------------------------------------------===//
// What one device computes, and what it means
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> CollectOp::lowerLocal(OpBuilder &b, Location loc,
                                                    const LocalBlock &block) {
  Value row = block.windows[0], into = block.windows[1], at = block.windows[2];
  Value number = tensor::ExtractOp::create(b, loc, at, ValueRange());
  number = arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  number = arith::MaxSIOp::create(b, loc, number, constant(0));
  number = arith::MinSIOp::create(b, loc, number,
                                  constant(getResultType().getDimSize(0) - 1));
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, row);
  sizes.insert(sizes.begin(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  offsets.front() = number;
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  Value result =
      tensor::InsertSliceOp::create(b, loc, row, into, offsets, sizes, strides);
  return SmallVector<Value>{result};
}

llvm::Expected<std::vector<HostTensor>>
CollectOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  std::vector<HostTensor> results = {*operands[1]};
  int64_t row = operands[2]->data<int64_t>().front();
  row = std::clamp<int64_t>(row, 0, getResultType().getDimSize(0) - 1);
  const std::vector<uint8_t> &bytes = operands[0]->bytes;
  std::memcpy(results.front().bytes.data() + row * bytes.size(), bytes.data(),
              bytes.size());
  return results;
}
