//===- SelectorOps.cpp - Views of tensors ---------------------------------===//
//
// What each selector reads, and the shape that it makes; below, once for all,
// the rules of their results, what a device computes and what they mean.
//
//===----------------------------------------------------------------------===//

#include "IndexSpaceRules.h"
#include "Placement.h"
#include "PlacementRules.h"
#include "SelectorLowering.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include <cstring>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

//===----------------------------------------------------------------------===//
// What all share
//===----------------------------------------------------------------------===//

/// Checks what is said of the result: selector_c1 to selector_c4.
static LogicalResult verifySelector(Operation *op,
                                    FailureOr<llvm::SmallVector<int64_t>> shape,
                                    index::PartitionAttr partition,
                                    index::LayoutAttr home, ArrayAttr homeRoute,
                                    ArrayAttr operandRoutes) {
  if (failed(shape))
    return failure();
  // selector_c1
  RankedTensorType type = typeOf(op->getResult(0));
  auto made =
      RankedTensorType::get(*shape, typeOf(op->getOperand(0)).getElementType());
  if (type != made)
    return op->emitOpError()
           << "makes " << made << ", but its result is " << type;
  // selector_c2, selector_c3, selector_c4
  if (failed(verifyPartition(op, partition, type.getRank(), "dimensions")) ||
      failed(verifyHome(op, home, type.getShape())))
    return failure();
  return verifyRoutes(op, homeRoute, operandRoutes, home, op->getOperands());
}

namespace tapestry::teg::detail {
template <typename OpT>
static LogicalResult
verifySelector(OpT op, FailureOr<llvm::SmallVector<int64_t>> shape) {
  return ::verifySelector(op, std::move(shape), op.getPartitionAttr(),
                          op.getHomeAttr(), op.getHomeRouteAttr(),
                          op.getOperandRoutesAttr());
}
} // namespace tapestry::teg::detail

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.cpp.inc"

//===----------------------------------------------------------------------===//
// Slice
//===----------------------------------------------------------------------===//

void SliceOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                    Value input, llvm::ArrayRef<ZRange> box) {
  llvm::SmallVector<int64_t> starts, ends;
  for (const ZRange &range : box) {
    starts.push_back(range.lo);
    ends.push_back(range.hi);
  }
  build(builder, state,
        RankedTensorType::get(shapeOf(box), typeOf(input).getElementType()),
        builder.getStringAttr(name), input,
        builder.getDenseI64ArrayAttr(starts),
        builder.getDenseI64ArrayAttr(ends), /*strides=*/nullptr,
        /*partition=*/nullptr, /*home=*/nullptr, /*home_route=*/nullptr,
        /*operand_routes=*/nullptr);
}

FailureOr<llvm::SmallVector<int64_t>> SliceOp::inferShape() {
  llvm::ArrayRef<int64_t> extents = typeOf(getInput()).getShape();
  // slice_c1
  auto strides = getStrides();
  if (getStarts().size() != extents.size() ||
      getEnds().size() != extents.size() ||
      (strides && strides->size() != extents.size()))
    return emitOpError() << "has " << getStarts().size() << " starts, "
                         << getEnds().size() << " ends and "
                         << (strides ? strides->size() : extents.size())
                         << " strides for " << extents.size() << " dimensions";
  // slice_c2
  llvm::SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    int64_t start = getStarts()[dim], end = getEnds()[dim];
    int64_t stride = strides ? (*strides)[dim] : 1;
    if (start < 0 || start > end || end > extent || stride < 1)
      return emitOpError() << "takes [" << start << ", " << end << ") by "
                           << stride << " of dimension " << dim << " of extent "
                           << extent;
    shape.push_back(ceilDiv(end - start, stride));
  }
  return shape;
}

std::vector<Access> SliceOp::getAccesses(unsigned) {
  Access piece{Projection::identity(getStarts().size())};
  for (auto [dim, entry] : llvm::enumerate(piece.projection.dims)) {
    entry.constant = getStarts()[dim];
    if (auto strides = getStrides())
      entry.terms[0].coefficient = (*strides)[dim];
  }
  return {piece};
}

//===----------------------------------------------------------------------===//
// Concat
//===----------------------------------------------------------------------===//

void ConcatOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     ValueRange inputs, int64_t dim) {
  RankedTensorType type = typeOf(inputs.front());
  llvm::SmallVector<int64_t> shape(type.getShape());
  for (Value input : inputs.drop_front())
    shape[dim] += typeOf(input).getDimSize(dim);
  build(builder, state, type.clone(shape), builder.getStringAttr(name), inputs,
        builder.getI64IntegerAttr(dim), /*partition=*/nullptr,
        /*home=*/nullptr, /*home_route=*/nullptr, /*operand_routes=*/nullptr);
}

FailureOr<llvm::SmallVector<int64_t>> ConcatOp::inferShape() {
  // concat_c1
  if (getInputs().empty())
    return emitOpError() << "has no operand";
  RankedTensorType first = typeOf(getInputs().front());
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= first.getRank())
    return emitOpError() << "joins tensors of rank " << first.getRank()
                         << " along dimension " << dim;
  // concat_c2
  llvm::SmallVector<int64_t> shape(first.getShape());
  for (auto [number, input] : llvm::drop_begin(llvm::enumerate(getInputs()))) {
    RankedTensorType type = typeOf(input);
    llvm::SmallVector<int64_t> expected(first.getShape());
    if (type.getRank() == first.getRank())
      expected[dim] = type.getDimSize(dim);
    if (type != first.clone(expected))
      return emitOpError() << "joins " << first << " and, as operand " << number
                           << ", " << type << ", whose shapes differ not only "
                           << "along dimension " << dim;
    shape[dim] += type.getDimSize(dim);
  }
  return shape;
}

std::vector<Access> ConcatOp::getAccesses(unsigned operand) {
  int64_t first = 0;
  for (Value before : getInputs().take_front(operand))
    first += typeOf(before).getDimSize(getDim());
  llvm::ArrayRef<int64_t> shape = typeOf(getInputs()[operand]).getShape();
  Access piece{Projection::identity(shape.size()), boxOfShape(shape)};
  piece.projection.dims[getDim()].constant = -first;
  piece.guard[getDim()] = {first, first + shape[getDim()]};
  return {piece};
}

//===----------------------------------------------------------------------===//
// Unsqueeze
//===----------------------------------------------------------------------===//

void UnsqueezeOp::build(OpBuilder &builder, OperationState &state,
                        StringRef name, Value input, int64_t dim) {
  RankedTensorType type = typeOf(input);
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + dim, 1);
  build(builder, state, type.clone(shape), builder.getStringAttr(name), input,
        builder.getI64IntegerAttr(dim), /*partition=*/nullptr,
        /*home=*/nullptr, /*home_route=*/nullptr, /*operand_routes=*/nullptr);
}

FailureOr<llvm::SmallVector<int64_t>> UnsqueezeOp::inferShape() {
  llvm::SmallVector<int64_t> shape(typeOf(getInput()).getShape());
  // unsqueeze_c1
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim > static_cast<int64_t>(shape.size()))
    return emitOpError() << "adds dimension " << dim << " to a tensor of rank "
                         << shape.size();
  shape.insert(shape.begin() + dim, 1);
  return shape;
}

std::vector<Access> UnsqueezeOp::getAccesses(unsigned) {
  Access piece{Projection::identity(getResultType().getRank())};
  piece.projection.dims.erase(piece.projection.dims.begin() + getDim());
  return {piece};
}
