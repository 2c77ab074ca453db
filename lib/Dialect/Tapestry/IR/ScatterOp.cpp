//===- ScatterOp.cpp - Index space and rules of tapestry.scatter ----------===//
//
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "IndexSpaceRules.h"
#include "Placement.h"
#include "PlacementRules.h"
#include "ScalarRegions.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.cpp.inc"

void ScatterOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                      llvm::ArrayRef<StringRef> labels,
                      llvm::ArrayRef<int64_t> extents, Monoid monoid,
                      Value values, ValueRange indices,
                      llvm::ArrayRef<int64_t> into,
                      llvm::ArrayRef<AffineMap> maps, ValueRange checks,
                      RankedTensorType resultType) {
  build(builder, state, resultType, builder.getStringAttr(name),
        builder.getStrArrayAttr(labels), builder.getDenseI64ArrayAttr(extents),
        index::MonoidAttr::get(builder.getContext(), monoid), values, indices,
        checks, builder.getDenseI64ArrayAttr(into),
        builder.getAffineMapArrayAttr(maps), /*custom_identity=*/nullptr,
        /*partition=*/nullptr,
        /*home=*/nullptr, /*home_route=*/nullptr, /*operand_routes=*/nullptr);
}

AffineMap ScatterOp::getMap(unsigned operand) {
  return cast<AffineMapAttr>(getIndexingMaps()[operand]).getValue();
}

llvm::SmallVector<unsigned> ScatterOp::getLabelsOf(unsigned operand) {
  return llvm::map_to_vector(getMap(operand).getResults(), [](AffineExpr expr) {
    return cast<AffineDimExpr>(expr).getPosition();
  });
}

llvm::SmallVector<std::optional<unsigned>> ScatterOp::getIndexOfLabels() {
  llvm::SmallVector<std::optional<unsigned>> indices(getLabels().size());
  for (auto [number, dim] : llvm::enumerate(getInto()))
    indices[dim] = number;
  return indices;
}

LogicalResult
ScatterOp::reifyResultShapes(OpBuilder &builder,
                             ReifiedRankedShapedTypeDims &shapes) {
  shapes.push_back(
      getAsIndexOpFoldResult(builder.getContext(), getResultType().getShape()));
  return success();
}

//===----------------------------------------------------------------------===//
// BlockOpInterface
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> ScatterOp::getLabelNames() {
  return labelNamesOf(getLabels());
}

llvm::SmallVector<int64_t> ScatterOp::getLabelExtents() {
  return llvm::to_vector(getExtents());
}

llvm::SmallVector<LabelKind> ScatterOp::getLabelKinds() {
  llvm::SmallVector<LabelKind> kinds(getResultType().getRank(),
                                     LabelKind::Parallel);
  kinds.resize(getLabels().size(), LabelKind::Reduced);
  for (int64_t dim : getInto())
    kinds[dim] = LabelKind::Selected;
  return kinds;
}

llvm::SmallVector<Value> ScatterOp::getTensorOperands() {
  return llvm::to_vector(getOperands());
}

std::vector<Access> ScatterOp::getAccesses(unsigned operand) {
  Access access;
  if (operand <= getIndices().size())
    access.projection = *index::getLinearForms(getMap(operand));
  return {access};
}

std::vector<Projection> ScatterOp::getResultProjections() {
  return {Projection::identity(getResultType().getRank())};
}

Monoid ScatterOp::getResultMonoid(unsigned) { return getMonoid(); }

Type ScatterOp::getAccumulatorType() {
  Type element = getResultType().getElementType();
  bool isSame =
      cast<RankedTensorType>(getValues().getType()).getElementType() == element;
  bool compares = getMonoid() == Monoid::Max || getMonoid() == Monoid::Min;
  if ((element.isF16() || element.isBF16()) && !(compares && isSame))
    return Float32Type::get(getContext());
  return element;
}

TypedAttr ScatterOp::getMonoidIdentity(unsigned) {
  return identityOf(*this, getAccumulatorType());
}

Value ScatterOp::emitCombine(unsigned, OpBuilder &builder, Location loc,
                             Value a, Value b) {
  return combine(*this, builder, loc, a, b);
}

PointWork ScatterOp::getWork() {
  return {countCombineFlops(getMonoid(), getCombiner(), getAccumulatorType()),
          /*bytes=*/0};
}

// Indices name places of the whole result.
bool ScatterOp::readsPlaceAlong(unsigned label) {
  return getIndexOfLabels()[label].has_value();
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// scatter_c3, scatter_c4
static LogicalResult verifyResult(ScatterOp op) {
  int64_t rank = op.getResultType().getRank();
  if (static_cast<int64_t>(op.getExtents().size()) <= rank)
    return op.emitOpError()
           << "has " << countOf(op.getExtents().size(), "label")
           << " for a result of rank " << rank << " and its points";
  auto expected = RankedTensorType::get(op.getExtents().take_front(rank),
                                        op.getResultType().getElementType());
  if (op.getResultType() != expected)
    return op.emitOpError() << "makes " << op.getResultType()
                            << ", but its labels are those of " << expected;
  if (op.getIndices().empty())
    return op.emitOpError() << "has no index tensor, expected at least 1";
  if (op.getInto().size() != op.getIndices().size())
    return op.emitOpError()
           << "has " << op.getIndices().size() << " index tensors into "
           << countOf(op.getInto().size(), "dimension");
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : op.getInto()) {
    if (dim < 0 || dim >= rank || seen.test(dim))
      return op.emitOpError() << "index tensors name places along dimension "
                              << dim << " of a result of rank " << rank
                              << ", expected distinct dimensions of it";
    seen.set(dim);
  }
  return success();
}

/// The map of one operand: scatter_c5, scatter_c6.
static LogicalResult verifyOperand(ScatterOp op, unsigned number) {
  AffineMap map = op.getMap(number);
  if (failed(verifyMapSpace(op, number, map, op.getLabels().size())))
    return failure();
  auto type = cast<RankedTensorType>(op.getOperand(number).getType());
  if (map.getNumResults() != type.getRank())
    return op.emitOpError()
           << "operand " << number << " has " << map.getNumResults()
           << " subscripts but rank " << type.getRank();
  llvm::SmallBitVector seen(op.getLabels().size());
  for (int64_t dim : op.getInto())
    seen.set(dim);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto label = dyn_cast<AffineDimExpr>(expr);
    if (!label || seen.test(label.getPosition()) ||
        op.getExtents()[label.getPosition()] != type.getDimSize(dim))
      return op.emitOpError()
             << "subscript " << dim << " of operand " << number << " of type "
             << type
             << " is not a label of its extent, once, that no data index";
    seen.set(label.getPosition());
  }
  return success();
}

/// scatter_c7 to scatter_c9
static LogicalResult verifyElements(ScatterOp op) {
  for (auto [number, index] : llvm::enumerate(op.getIndices())) {
    auto type = cast<RankedTensorType>(index.getType());
    if (!type.getElementType().isSignlessInteger() ||
        type.getElementType().isInteger(1))
      return op.emitOpError() << "index tensor " << number << " is " << type
                              << ", expected integers";
  }
  Type element = op.getResultType().getElementType();
  if (op.getMonoid() == Monoid::None || !isLegalMonoid(op.getMonoid(), element))
    return op.emitOpError() << "monoid " << stringifyMonoid(op.getMonoid())
                            << " does not combine values of type " << element;
  Type value =
      cast<RankedTensorType>(op.getValues().getType()).getElementType();
  auto isShortFloat = [](Type type) {
    return isa<FloatType>(type) && !type.isF64();
  };
  if (value != element && !(isShortFloat(value) && isShortFloat(element)))
    return op.emitOpError() << "combines values of type " << value
                            << ", but makes " << op.getResultType();
  return success();
}

LogicalResult ScatterOp::verify() {
  // scatter_c1, scatter_c2
  if (failed(verifyLabels(*this, getLabels(), getExtents())) ||
      failed(verifyResult(*this)))
    return failure();
  // scatter_c5
  size_t expected = getIndices().size() + 1;
  if (getIndexingMaps().size() != expected)
    return emitOpError() << "has " << getIndexingMaps().size()
                         << " indexing maps, expected " << expected
                         << ": the values' and one per index tensor";
  for (unsigned number = 0; number < expected; ++number)
    if (failed(verifyOperand(*this, number)))
      return failure();
  if (failed(verifyElements(*this)))
    return failure();
  // scatter_c10
  if (failed(verifyPartition(*this, getPartitionAttr(), getExtents().size(),
                             "label")))
    return failure();
  // scatter_c11
  if (failed(verifyHome(*this, getHomeAttr(), getResultType().getShape())))
    return failure();
  // scatter_c12
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), getOperands());
}

// scatter_c13
LogicalResult ScatterOp::verifyRegions() {
  return verifyCustomMonoid(*this, getAccumulatorType());
}
