//===- GatherOp.cpp - Index space and rules of tapestry.gather ------------===//
//
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "IndexSpaceRules.h"
#include "PlacementRules.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// BlockOpInterface
//===----------------------------------------------------------------------===//

llvm::SmallVector<std::string> GatherOp::getLabelNames() {
  return labelNamesOf(getLabels());
}

llvm::SmallVector<int64_t> GatherOp::getLabelExtents() {
  return llvm::to_vector(getExtents());
}

llvm::SmallVector<LabelKind> GatherOp::getLabelKinds() {
  llvm::SmallVector<LabelKind> kinds(getResultType().getRank(),
                                     LabelKind::Parallel);
  kinds.append(getIndices().size(), LabelKind::Selected);
  return kinds;
}

llvm::SmallVector<Value> GatherOp::getTensorOperands() {
  return llvm::to_vector(getOperands());
}

std::vector<Access> GatherOp::getAccesses(unsigned operand) {
  Access access;
  if (operand > getIndices().size())
    return {access}; // a scalar
  access.projection = *index::getLinearForms(getMap(operand));
  if (operand > 0)
    return {access};
  access.kind = AccessKind::Indexed;
  for (auto [dim, extent] :
       llvm::zip_equal(access.projection.dims, getTableType().getShape()))
    if (getPadAttr() && !ZRange{0, extent}.contains(imageOf(dim, getExtents())))
      access.fallback = AccessFallback::Pad;
  return {access};
}

TypedAttr GatherOp::getPad(unsigned operand) {
  return operand == 0 ? getPadAttr() : TypedAttr();
}

std::vector<Projection> GatherOp::getResultProjections() {
  return {Projection::identity(getResultType().getRank())};
}

Monoid GatherOp::getResultMonoid(unsigned) {
  return getResultType().getElementType().isInteger(1) ? Monoid::Or
                                                       : Monoid::Add;
}

/// What changes no value that it is added to: of floats -0.0.
TypedAttr GatherOp::getMonoidIdentity(unsigned) {
  Type type = getResultType().getElementType();
  if (auto real = dyn_cast<FloatType>(type))
    return FloatAttr::get(real, APFloat::getZero(real.getFloatSemantics(),
                                                 /*Negative=*/true));
  if (auto complex = dyn_cast<ComplexType>(type))
    return complexValue(complex, -0.0, -0.0);
  return IntegerAttr::get(type, 0);
}

Value GatherOp::emitCombine(unsigned result, OpBuilder &builder, Location loc,
                            Value a, Value b) {
  return emitMonoid(builder, loc, getResultMonoid(result), a, b);
}

PointWork GatherOp::getWork() { return {}; }

// Indices name places of the whole table.
bool GatherOp::readsPlaceAlong(unsigned label) {
  return getLabelKinds()[label] == LabelKind::Selected;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

/// gather_c3
static LogicalResult verifyResult(GatherOp op) {
  size_t indices = op.getIndices().size();
  if (indices == 0)
    return op.emitOpError() << "has no index tensor, expected at least 1";
  if (op.getLabels().size() < indices)
    return op.emitOpError() << "has " << countOf(op.getLabels().size(), "label")
                            << " for " << indices << " index tensors";
  llvm::ArrayRef<int64_t> extents = op.getExtents();
  auto expected = RankedTensorType::get(extents.drop_back(indices),
                                        op.getResultType().getElementType());
  if (op.getResultType() != expected)
    return op.emitOpError() << "makes " << op.getResultType()
                            << ", but its labels are those of " << expected;
  for (int64_t extent : extents.take_back(indices))
    if (extent < 1)
      return op.emitOpError() << "an index tensor names points of a label of "
                                 "extent "
                              << extent << ", expected at least 1";
  return success();
}

/// gather_c4
static LogicalResult verifyMaps(GatherOp op) {
  size_t expected = op.getIndices().size() + 1;
  if (op.getIndexingMaps().size() != expected)
    return op.emitOpError() << "has " << op.getIndexingMaps().size()
                            << " indexing maps, expected " << expected
                            << ": the table's and one per index tensor";
  for (unsigned number = 0; number < expected; ++number) {
    AffineMap map = op.getMap(number);
    if (failed(verifyMapSpace(op, number, map, op.getLabels().size())))
      return failure();
    auto type = cast<RankedTensorType>(op.getOperand(number).getType());
    if (map.getNumResults() != type.getRank())
      return op.emitOpError()
             << "operand " << number << " has " << map.getNumResults()
             << " subscripts but rank " << type.getRank();
  }
  return success();
}

/// One subscript of the table: gather_c5 in part, gather_c6.
static LogicalResult verifySubscript(GatherOp op, unsigned number,
                                     llvm::SmallBitVector &selected) {
  FailureOr<ProjectionDim> dim =
      index::getLinearForm(op.getMap(0).getResult(number));
  if (failed(dim))
    return op.emitOpError() << "subscript " << number
                            << " of the table is not linear in the labels "
                               "with integer coefficients";
  int64_t extent = op.getTableType().getDimSize(number);
  std::string text = subscriptText(op.getLabels(), *dim);
  unsigned first = op.getLabels().size() - op.getIndices().size();
  for (const AffineTerm &term : dim->terms) {
    if (term.dim < first)
      continue;
    if (!dim->isPlainDim() || op.getExtents()[term.dim] != extent ||
        selected.test(term.dim))
      return op.emitOpError()
             << "subscript '" << text << "' of dimension " << number
             << " of extent " << extent << " of the table names label "
             << op.getLabels()[term.dim] << " of extent "
             << op.getExtents()[term.dim]
             << ", of which an index tensor names points: expected the label "
                "alone, once, with the dimension's extent";
    selected.set(term.dim);
    return success();
  }
  if (!isWithinReach(*dim, op.getExtents()))
    return op.emitOpError()
           << "subscript '" << text << "' of the table reaches 2^62 or more";
  if (op.getPadAttr() || llvm::is_contained(op.getExtents(), 0))
    return success();
  ZRange image = imageOf(*dim, op.getExtents());
  if (ZRange{0, extent}.contains(image))
    return success();
  return op.emitOpError() << "subscript '" << text
                          << "' of the table takes values in [" << image.lo
                          << ", " << image.hi << "), outside dimension "
                          << number << " of extent " << extent
                          << ", and there is no pad";
}

static LogicalResult verifyTable(GatherOp op) {
  llvm::SmallBitVector selected(op.getLabels().size());
  for (unsigned dim = 0; dim < op.getTableType().getRank(); ++dim)
    if (failed(verifySubscript(op, dim, selected)))
      return failure();
  // gather_c5
  for (unsigned label = op.getResultType().getRank();
       label < op.getLabels().size(); ++label)
    if (!selected.test(label))
      return op.emitOpError() << "label " << op.getLabels()[label]
                              << ", of which an index tensor names points, is "
                                 "no subscript of the table";
  return success();
}

/// gather_c7
static LogicalResult verifyIndex(GatherOp op, unsigned number) {
  auto type = cast<RankedTensorType>(op.getOperand(number).getType());
  if (!type.getElementType().isSignlessInteger() ||
      type.getElementType().isInteger(1))
    return op.emitOpError() << "index tensor " << number - 1 << " is " << type
                            << ", expected integers";
  llvm::SmallBitVector seen(op.getLabels().size());
  for (auto [dim, expr] : llvm::enumerate(op.getMap(number).getResults())) {
    auto label = dyn_cast<AffineDimExpr>(expr);
    if (!label || label.getPosition() >= op.getResultType().getRank() ||
        seen.test(label.getPosition()) ||
        op.getExtents()[label.getPosition()] != type.getDimSize(dim))
      return op.emitOpError()
             << "subscript " << dim << " of index tensor " << number - 1
             << " of type " << type
             << " is not a label of the result of its extent, once";
    seen.set(label.getPosition());
  }
  return success();
}

LogicalResult GatherOp::verify() {
  // gather_c1, gather_c2
  if (failed(verifyLabels(*this, getLabels(), getExtents())) ||
      failed(verifyResult(*this)) || failed(verifyMaps(*this)) ||
      failed(verifyTable(*this)))
    return failure();
  for (unsigned number = 1; number <= getIndices().size(); ++number)
    if (failed(verifyIndex(*this, number)))
      return failure();
  // gather_c8
  Type element = getTableType().getElementType();
  if (getResultType().getElementType() != element)
    return emitOpError() << "reads elements of type " << element
                         << ", but makes " << getResultType();
  TypedAttr pad = getPadAttr();
  if (pad && (!isElementValue(pad) || getElementTypeOrSelf(pad) != element))
    return emitOpError() << "pad is " << pad << ", expected a constant of type "
                         << element;
  // gather_c9
  if (failed(verifyPartition(*this, getPartitionAttr(), getExtents().size(),
                             "label")))
    return failure();
  // gather_c10
  if (failed(verifyHome(*this, getHomeAttr(), getResultType().getShape())))
    return failure();
  // gather_c11
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), getOperands());
}
