//===- EinsumVerifier.cpp - Rules of tapestry.einsum ----------------------===//
//
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "IndexSpaceRules.h"
#include "PlacementRules.h"
#include "ScalarRegions.h"
#include "mlir/IR/TypeUtilities.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Dialect/Tapestry/IR/EinsumLabels.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static StringRef labelName(EinsumOp op, unsigned label) {
  return cast<StringAttr>(op.getLabels()[label]).getValue();
}

/// Points at what defines an operand that an error speaks of.
static void noteOperand(InFlightDiagnostic &diagnostic, EinsumOp op,
                        unsigned operand) {
  Value value = op.getInputs()[operand];
  diagnostic.attachNote(value.getLoc())
      << "operand " << operand << " is defined here, of type "
      << value.getType();
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

/// Checks the number and the form of the indexing maps: einsum_c3, einsum_c4.
static LogicalResult verifyMaps(EinsumOp op) {
  // einsum_c3
  size_t expected = op.getInputs().size() + 1;
  if (op.getIndexingMaps().size() != expected)
    return op.emitOpError() << "has " << op.getIndexingMaps().size()
                            << " indexing maps, expected " << expected
                            << ": one per operand and one for the result";
  for (auto [number, map] :
       llvm::enumerate(op.getIndexingMaps().getAsValueRange<AffineMapAttr>())) {
    if (failed(verifyMapSpace(op, number, map, op.getLabels().size())))
      return failure();
    // einsum_c4
    bool isResult = number + 1 == expected;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      if (succeeded(isResult ? index::getLinearForm(expr)
                             : index::getSubscript(expr)))
        continue;
      InFlightDiagnostic diagnostic =
          op.emitOpError() << "subscript " << dim << " of "
                           << (isResult ? "the result"
                                        : "operand " + llvm::Twine(number))
                           << " is not linear in the labels with integer "
                              "coefficients";
      if (!isResult)
        diagnostic << ", nor such a form divided and wrapped around once";
      return diagnostic;
    }
  }
  return success();
}

/// Checks one operand's subscripts against its shape: einsum_c5, einsum_c10.
static LogicalResult verifyOperand(EinsumOp op, unsigned operand) {
  llvm::ArrayRef<int64_t> shape = op.getInputType(operand).getShape();
  AffineMap map = op.getOperandMap(operand);
  // einsum_c5
  if (map.getNumResults() != shape.size()) {
    InFlightDiagnostic diagnostic = op.emitOpError()
                                    << "operand " << operand << " has "
                                    << map.getNumResults()
                                    << " subscripts but rank " << shape.size();
    noteOperand(diagnostic, op, operand);
    return diagnostic;
  }
  // einsum_c10
  Projection projection = *index::getSubscripts(map);
  for (const ProjectionDim &dim : projection.dims)
    if (!isWithinReach(dim, op.getExtents()))
      return op.emitOpError()
             << "subscript '" << subscriptText(op.getLabels(), dim)
             << "' of operand " << operand << " reaches 2^62 or more";
  if (llvm::is_contained(op.getExtents(), 0))
    return success();
  if (std::optional<Fold> fold = op.getFold(operand)) {
    std::optional<unsigned> failed =
        foldInto(projection, op.getExtents(), shape, *fold);
    if (!failed)
      return success();
    InFlightDiagnostic diagnostic =
        op.emitOpError() << "subscript '"
                         << subscriptText(op.getLabels(),
                                          projection.dims[*failed])
                         << "' of operand " << operand << " leaves dimension "
                         << *failed << " of extent " << shape[*failed]
                         << " and cannot be folded by " << stringifyFold(*fold)
                         << (shape[*failed] == 0 ? ": there is no element"
                                                 : ": it wraps around");
    noteOperand(diagnostic, op, operand);
    return diagnostic;
  }
  for (auto [number, dim] : llvm::enumerate(projection.dims)) {
    ZRange image = startsOfDim(dim, op.getExtents());
    if (op.getPad(operand) || ZRange{0, shape[number]}.contains(image))
      continue;
    InFlightDiagnostic diagnostic =
        op.emitOpError() << "subscript '" << subscriptText(op.getLabels(), dim)
                         << "' of operand " << operand << " takes values in ["
                         << image.lo << ", " << image.hi
                         << "), outside dimension " << number << " of extent "
                         << shape[number] << ", and there is no pad";
    noteOperand(diagnostic, op, operand);
    return diagnostic;
  }
  return success();
}

static LogicalResult verifyResult(EinsumOp op) {
  // einsum_c6
  AffineMap map = op.getResultMap();
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    auto label = dyn_cast<AffineDimExpr>(expr);
    if (!label)
      return op.emitOpError()
             << "result subscript '"
             << subscriptText(op.getLabels(), *index::getLinearForm(expr))
             << "' is not a label";
    if (seen.test(label.getPosition()))
      return op.emitOpError() << "label '" << labelName(op, label.getPosition())
                              << "' occurs twice in the result";
    seen.set(label.getPosition());
  }
  // einsum_c7
  llvm::ArrayRef<int64_t> shape = op.getResultType().getShape();
  if (map.getNumResults() != shape.size())
    return op.emitOpError() << "result has " << map.getNumResults()
                            << " subscripts but rank " << shape.size();
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    unsigned label = cast<AffineDimExpr>(expr).getPosition();
    if (shape[dim] != op.getExtents()[label])
      return op.emitOpError()
             << "label '" << labelName(op, label) << "' has extent "
             << op.getExtents()[label] << ", but dimension " << dim
             << " of the result has extent " << shape[dim];
  }
  return success();
}

static LogicalResult verifyPads(EinsumOp op) {
  // einsum_c11
  if (op.getPads().size() != op.getInputs().size())
    return op.emitOpError()
           << "has " << op.getPads().size() << " pad entries for "
           << countOf(op.getInputs().size(), "operand");
  for (auto [operand, pad] : llvm::enumerate(op.getPads())) {
    if (isa<UnitAttr>(pad) || index::foldOf(pad))
      continue;
    Type expected = op.getInputType(operand).getElementType();
    if (!isElementValue(pad))
      return op.emitOpError() << "pad of operand " << operand << " is " << pad
                              << ", expected a constant of type " << expected;
    Type type = getElementTypeOrSelf(pad);
    if (type == expected)
      continue;
    InFlightDiagnostic diagnostic =
        op.emitOpError() << "pad of operand " << operand << " has type " << type
                         << ", but its elements have type " << expected;
    noteOperand(diagnostic, op, operand);
    return diagnostic;
  }
  return success();
}

LogicalResult EinsumOp::verify() {
  // einsum_c1, einsum_c2
  if (failed(teg::verifyLabels(*this, getLabels(), getExtents())) ||
      failed(verifyMaps(*this)) || failed(verifyPads(*this)))
    return failure();
  for (unsigned operand = 0; operand < getInputs().size(); ++operand)
    if (failed(verifyOperand(*this, operand)))
      return failure();
  if (failed(verifyResult(*this)))
    return failure();
  // einsum_c9
  llvm::SmallVector<LabelKind> kinds = getLabelKinds();
  auto *firstReduced = llvm::find(kinds, LabelKind::Reduced);
  if (getMonoid() == Monoid::None && firstReduced != kinds.end())
    return emitOpError() << "label '"
                         << labelName(*this, firstReduced - kinds.begin())
                         << "' is not in the result, but there is no monoid "
                            "to reduce it";
  if (getMonoid() != Monoid::None && firstReduced == kinds.end())
    return emitOpError() << "reduces by " << stringifyMonoid(getMonoid())
                         << ", but its result lacks none of "
                         << countOf(kinds.size(), "label");
  // einsum_c17
  if (failed(verifyPartition(*this, getPartitionAttr(), getExtents().size(),
                             "label")))
    return failure();
  // einsum_c18
  if (failed(verifyHome(*this, getHomeAttr(), getResultType().getShape())))
    return failure();
  // einsum_c19, einsum_c20
  llvm::SmallVector<Value> read;
  if (getOperandRoutesAttr())
    for (auto &[operand, piece] :
         cast<BlockOpInterface>(getOperation()).getReads())
      read.push_back(getInputs()[operand]);
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), read);
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

llvm::SmallBitVector teg::findUsedLabels(EinsumOp op) {
  llvm::SmallBitVector used = ~getUnusedDimsBitVector(
      llvm::to_vector(op.getIndexingMaps().getAsValueRange<AffineMapAttr>()));
  for (auto label : op.getBody().getOps<LabelOp>())
    used.set(*op.getLabelIndex(label.getLabel()));
  return used;
}

/// Checks that every label is used somewhere; einsum_c8.
static LogicalResult verifyLabelsOccur(EinsumOp op) {
  int missing = findUsedLabels(op).find_first_unset();
  if (missing < 0)
    return success();
  return op.emitOpError() << "label '" << labelName(op, missing)
                          << "' occurs in no subscript, nor in the body";
}

LogicalResult EinsumOp::verifyRegions() {
  // einsum_c8
  if (failed(verifyLabelsOccur(*this)))
    return failure();
  // einsum_c12
  StringRef what = "the body";
  llvm::SmallVector<Type> types;
  for (unsigned operand = 0; operand < getInputs().size(); ++operand)
    types.push_back(getInputType(operand).getElementType());
  if (failed(verifyArguments(*this, what, getBody(), types)))
    return failure();
  // einsum_c13
  Type accumulator = getYieldedType(*this, what, getBody());
  if (!accumulator)
    return failure();
  Type element = getResultType().getElementType();
  bool isNarrow = element.isF16() || element.isBF16();
  if (accumulator != element && !(isNarrow && accumulator.isF32()))
    return emitOpError() << what << " yields " << accumulator
                         << ", but the result's elements have type " << element;
  // einsum_c14
  if (failed(verifyScalarOps(*this, what, getBody())))
    return failure();
  // einsum_c15
  if (!isLegalMonoid(getMonoid(), accumulator))
    return emitOpError() << "monoid " << stringifyMonoid(getMonoid())
                         << " does not combine values of type " << accumulator;
  // einsum_c16
  return verifyCustomMonoid(*this, accumulator);
}
