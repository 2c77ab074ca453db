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
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static RankedTensorType typeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

//===----------------------------------------------------------------------===//
// What all share
//===----------------------------------------------------------------------===//

/// Checks that layouts of what is read leave room for arithmetic: selector_c5.
static LogicalResult verifyReads(Operation *op) {
  auto selector = cast<BlockOpInterface>(op);
  llvm::SmallVector<int64_t> shape = selector.getLabelExtents();
  for (auto &[operand, piece] : selector.getReads())
    for (const ProjectionDim &dim : piece.projection.dims)
      if (!isWithinReach(dim, shape)) {
        llvm::SmallVector<std::string> names = selector.getLabelNames();
        Builder b(op->getContext());
        return op->emitOpError()
               << "subscript '"
               << subscriptText(
                      b.getStrArrayAttr(llvm::to_vector_of<StringRef>(names)),
                      dim)
               << "' of operand " << operand << " reaches 2^62 or more";
      }
  return success();
}

/// Checks what all selectors keep to: selector_c1 to selector_c5.
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
  if (failed(verifyReads(op)))
    return failure();
  // selector_c2, selector_c3, selector_c4
  if (failed(verifyPartition(op, partition, type.getRank(), "dimension")) ||
      failed(verifyHome(op, home, type.getShape())))
    return failure();
  llvm::SmallVector<Value> read;
  auto selector = cast<BlockOpInterface>(op);
  if (operandRoutes)
    for (auto &[operand, piece] : selector.getReads())
      read.push_back(op->getOperand(operand));
  return verifyRoutes(op, homeRoute, operandRoutes, home, read);
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
#include "llvm/Support/MathExtras.h"

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
                         << countOf(getEnds().size(), "end") << " and "
                         << (strides ? strides->size() : extents.size())
                         << " strides for "
                         << countOf(extents.size(), "dimension");
  // slice_c2
  llvm::SmallVector<int64_t> shape;
  for (auto [dim, extent] : llvm::enumerate(extents)) {
    int64_t start = getStarts()[dim], end = getEnds()[dim];
    int64_t stride = strides ? (*strides)[dim] : 1;
    if (start < 0 || start > end || end > extent || stride < 1)
      return emitOpError() << "takes [" << start << ", " << end << ") by "
                           << stride << " of dimension " << dim << " of extent "
                           << extent;
    shape.push_back(start == end ? 0 : (end - start - 1) / stride + 1);
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

/// The shape of tensors that are joined along a dimension; fails where they
/// differ otherwise.
static FailureOr<llvm::SmallVector<int64_t>>
joinedShape(Operation *op, ValueRange inputs, int64_t dim) {
  // concat_c1, interleave_c1
  if (inputs.empty())
    return op->emitOpError() << "has no operand";
  RankedTensorType first = typeOf(inputs.front());
  if (dim < 0 || dim >= first.getRank())
    return op->emitOpError() << "joins tensors of rank " << first.getRank()
                             << " along dimension " << dim;
  // concat_c2, interleave_c2
  llvm::SmallVector<int64_t> shape(first.getShape());
  for (auto [number, input] : llvm::drop_begin(llvm::enumerate(inputs))) {
    RankedTensorType type = typeOf(input);
    llvm::SmallVector<int64_t> expected(first.getShape());
    if (type.getRank() == first.getRank())
      expected[dim] = type.getDimSize(dim);
    if (type != first.clone(expected))
      return op->emitOpError()
             << "joins " << first << " and, as operand " << number << ", "
             << type << ", whose shapes differ not only along dimension "
             << dim;
    if (llvm::AddOverflow(shape[dim], type.getDimSize(dim), shape[dim]))
      return op->emitOpError()
             << "joins more than 2^63 elements along dimension " << dim;
  }
  return shape;
}

FailureOr<llvm::SmallVector<int64_t>> ConcatOp::inferShape() {
  return joinedShape(*this, getInputs(), getDim());
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
// Interleave
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> InterleaveOp::inferShape() {
  auto shape = joinedShape(*this, getInputs(), getDim());
  if (failed(shape))
    return failure();
  // interleave_c2
  int64_t all = (*shape)[getDim()], turns = getInputs().size();
  for (auto [number, input] : llvm::enumerate(getInputs())) {
    int64_t extent = typeOf(input).getDimSize(getDim());
    int64_t expected =
        all / turns + (static_cast<int64_t>(number) < all % turns);
    if (extent != expected)
      return emitOpError() << "has " << countOf(extent, "element")
                           << " of operand " << number << " along dimension "
                           << getDim() << ", expected " << expected << " of "
                           << all << " in turns of " << turns;
  }
  return shape;
}

std::optional<Residue> InterleaveOp::getResidue(unsigned operand) {
  return Residue{static_cast<unsigned>(getDim()),
                 static_cast<int64_t>(getInputs().size()), operand};
}

std::vector<Access> InterleaveOp::getAccesses(unsigned operand) {
  llvm::ArrayRef<int64_t> shape = getResultType().getShape();
  Access piece{Projection::identity(shape.size()), boxOfShape(shape)};
  piece.projection.dims[getDim()].floordiv = getInputs().size();
  // Turns up to the operand's last.
  ZRange &served = piece.guard[getDim()];
  int64_t turns = typeOf(getInputs()[operand]).getDimSize(getDim());
  served.hi = std::min<int64_t>(served.hi, turns * getInputs().size());
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

//===----------------------------------------------------------------------===//
// Squeeze
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> SqueezeOp::inferShape() {
  llvm::SmallVector<int64_t> shape(typeOf(getInput()).getShape());
  // squeeze_c1
  auto dim = static_cast<int64_t>(getDim());
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()) || shape[dim] != 1)
    return emitOpError() << "takes dimension " << dim << " from "
                         << getInput().getType()
                         << ", expected one of extent 1";
  shape.erase(shape.begin() + dim);
  return shape;
}

std::vector<Access> SqueezeOp::getAccesses(unsigned) {
  Access piece{Projection::identity(getResultType().getRank())};
  piece.projection.dims.insert(piece.projection.dims.begin() + getDim(),
                               ProjectionDim());
  return {piece};
}

//===----------------------------------------------------------------------===//
// Permute
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> PermuteOp::inferShape() {
  llvm::ArrayRef<int64_t> extents = typeOf(getInput()).getShape();
  // permute_c1
  llvm::SmallVector<int64_t> sorted(getOrder()), shape;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(0, extents.size()))) {
    InFlightDiagnostic diagnostic = emitOpError() << "has the order [";
    llvm::interleaveComma(getOrder(), diagnostic);
    return diagnostic << "] for " << countOf(extents.size(), "dimension");
  }
  for (int64_t dim : getOrder())
    shape.push_back(extents[dim]);
  return shape;
}

std::vector<Access> PermuteOp::getAccesses(unsigned) {
  Access piece{Projection::identity(getOrder().size())};
  for (auto [dim, from] : llvm::enumerate(getOrder()))
    piece.projection.dims[from].terms[0].dim = dim;
  return {piece};
}

//===----------------------------------------------------------------------===//
// Reverse
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> ReverseOp::inferShape() {
  llvm::SmallVector<int64_t> shape(typeOf(getInput()).getShape());
  // reverse_c1
  for (auto [number, dim] : llvm::enumerate(getDims()))
    if (dim < 0 || dim >= static_cast<int64_t>(shape.size()) ||
        llvm::is_contained(getDims().take_front(number), dim))
      return emitOpError() << "reverses dimension " << dim
                           << ", expected distinct ones of " << shape.size();
  return shape;
}

std::vector<Access> ReverseOp::getAccesses(unsigned) {
  Access piece{Projection::identity(getResultType().getRank())};
  for (int64_t dim : getDims()) {
    piece.projection.dims[dim].terms[0].coefficient = -1;
    piece.projection.dims[dim].constant = getResultType().getDimSize(dim) - 1;
  }
  return {piece};
}

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> BroadcastOp::inferShape() {
  llvm::ArrayRef<int64_t> extents = typeOf(getInput()).getShape();
  // broadcast_c1
  bool fits = extents.size() == getShape().size();
  for (auto [extent, wanted] : llvm::zip(extents, getShape()))
    fits &= wanted >= 0 && (extent == 1 || extent == wanted);
  if (fits)
    return llvm::SmallVector<int64_t>(getShape());
  InFlightDiagnostic diagnostic = emitOpError()
                                  << "sees " << getInput().getType() << " as [";
  llvm::interleaveComma(getShape(), diagnostic);
  return diagnostic << "], expected its extents but where they are 1";
}

std::vector<Access> BroadcastOp::getAccesses(unsigned) {
  Access piece{Projection::identity(getShape().size())};
  for (auto [dim, extent] : llvm::enumerate(typeOf(getInput()).getShape()))
    if (extent == 1)
      piece.projection.dims[dim].terms.clear();
  return {piece};
}

//===----------------------------------------------------------------------===//
// Repeat
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> RepeatOp::inferShape() {
  llvm::SmallVector<int64_t> shape(typeOf(getInput()).getShape());
  // repeat_c1
  auto dim = static_cast<int64_t>(getDim());
  auto times = static_cast<int64_t>(getTimes());
  if (dim < 0 || dim >= static_cast<int64_t>(shape.size()))
    return emitOpError() << "repeats a tensor of rank " << shape.size()
                         << " along dimension " << dim;
  // repeat_c2
  if (times < 1 || times > 1024)
    return emitOpError() << "repeats its operand " << times
                         << " times, expected 1 to 1024";
  if (llvm::MulOverflow(shape[dim], times, shape[dim]))
    return emitOpError() << "has more than 2^63 elements along dimension "
                         << dim;
  return shape;
}

std::vector<Access> RepeatOp::getAccesses(unsigned) {
  llvm::ArrayRef<int64_t> shape = typeOf(getInput()).getShape();
  int64_t extent = shape[getDim()];
  std::vector<Access> pieces;
  for (int64_t first = 0, e = getResultType().getDimSize(getDim());
       first < e || pieces.empty(); first += extent) {
    Access piece{Projection::identity(shape.size()), boxOfShape(shape)};
    piece.projection.dims[getDim()].constant = -first;
    piece.guard[getDim()] = {first, first + extent};
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> PadOp::inferShape() {
  llvm::SmallVector<int64_t> shape(typeOf(getInput()).getShape());
  // pad_c1
  constexpr int64_t most = int64_t(1) << 31;
  if (getLow().size() != shape.size() || getHigh().size() != shape.size())
    return emitOpError() << "pads " << countOf(getLow().size(), "dimension")
                         << " low and " << getHigh().size() << " high, of "
                         << shape.size();
  // pad_c2
  Type element = typeOf(getInput()).getElementType();
  std::optional<Fold> fold = index::foldOf(getValue());
  if (!fold && (!isElementValue(getValue()) ||
                getElementTypeOrSelf(getValue()) != element))
    return emitOpError() << "pads by " << getValue()
                         << ", expected a constant of type " << element
                         << " or edge, reflect or symmetric";
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    int64_t low = getLow()[dim], high = getHigh()[dim];
    if (low < 0 || high < 0 || low > most || high > most)
      return emitOpError() << "pads dimension " << dim << " by " << low
                           << " low and " << high << " high, expected 0 to "
                           << most;
    if (fold && extent == 0 && low + high > 0)
      return emitOpError() << "pads dimension " << dim
                           << ", which has no element, by " << getValue();
    if (llvm::AddOverflow(extent, low + high, extent))
      return emitOpError() << "has more than 2^63 elements along dimension "
                           << dim;
  }
  return shape;
}

TypedAttr PadOp::getPad(unsigned) {
  return index::foldOf(getValue()) ? TypedAttr() : cast<TypedAttr>(getValue());
}

std::vector<Access> PadOp::getAccesses(unsigned) {
  llvm::ArrayRef<int64_t> shape = typeOf(getInput()).getShape();
  Access piece{Projection::identity(shape.size())};
  for (auto [dim, entry] : llvm::enumerate(piece.projection.dims))
    entry.constant = -getLow()[dim];
  if (std::optional<Fold> fold = index::foldOf(getValue())) {
    foldInto(piece.projection, getResultType().getShape(), shape, *fold);
    return {piece};
  }
  piece.fallback = AccessFallback::Pad;
  piece.guard = boxOfShape(shape);
  for (auto [dim, range] : llvm::enumerate(piece.guard))
    range = {range.lo + getLow()[dim], range.hi + getLow()[dim]};
  return {piece};
}

//===----------------------------------------------------------------------===//
// View
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> ViewOp::inferShape() {
  // view_c1
  llvm::ArrayRef<int64_t> shape = getResultType().getShape();
  llvm::ArrayRef<int64_t> extents = typeOf(getInput()).getShape();
  const Projection &projection = getProjection().getProjection();
  if (getProjection().getIndexRank() != shape.size() ||
      projection.rank() != extents.size())
    return emitOpError() << "has a projection from "
                         << countOf(getProjection().getIndexRank(), "dimension")
                         << " to " << projection.rank() << ", expected from "
                         << shape.size() << " to " << extents.size();
  for (auto [dim, read] : llvm::enumerate(projection.dims)) {
    // Images of what is not are not known; verifyReads() says so.
    if (!isWithinReach(read, shape))
      continue;
    ZRange image = imageOfDim(read, boxOfShape(shape));
    if (read.size != 1 || !ZRange{0, extents[dim]}.contains(image))
      return emitOpError() << "reads " << countOf(read.size, "element")
                           << " at once from " << image.lo << " to "
                           << image.hi - 1 << " of dimension " << dim
                           << " of extent " << extents[dim];
  }
  return llvm::to_vector(shape);
}

std::vector<Access> ViewOp::getAccesses(unsigned) {
  return {Access{getProjection().getProjection()}};
}

//===----------------------------------------------------------------------===//
// Copy
//===----------------------------------------------------------------------===//

FailureOr<llvm::SmallVector<int64_t>> CopyOp::inferShape() {
  return llvm::to_vector(typeOf(getInput()).getShape());
}

bool CopyOp::isTransparent() { return false; }

std::vector<Access> CopyOp::getAccesses(unsigned) {
  return {Access{Projection::identity(getResultType().getRank())}};
}
