//===- JoinVerifier.cpp - Constraints of joins ----------------------------===//
//
// Checks stand in the order of the "Constraints:" lists in TRAOps.td and carry
// their labels.
//
//===----------------------------------------------------------------------===//

#include "VerifierRules.h"
#include "tapestry/Dialect/Index/IR/AffineForm.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

/// join_c2, join_c3, join_c4: numbers and forms of the indexing maps.
static LogicalResult verifyMaps(JoinOp op) {
  // join_c2
  size_t relations = op.getInputs().size() + 1;
  if (op.getIndexingMaps().size() != relations)
    return op.emitOpError("has ")
           << op.getIndexingMaps().size() << " indexing maps for " << relations
           << " relations";
  for (unsigned number = 0; number < relations; ++number) {
    AffineMap map = op.getInputMap(number);
    if (map.getNumDims() != op.getLabels().size() || map.getNumSymbols() != 0)
      return op.emitOpError("indexing map ")
             << number << " has " << countOf(map.getNumDims(), "dimension")
             << " and " << countOf(map.getNumSymbols(), "symbol")
             << ", expected " << op.getLabels().size() << " and 0";
    auto type = cast<RelationType>(number + 1 < relations
                                       ? op.getInputs()[number].getType()
                                       : op.getType());
    if (map.getNumResults() != type.getRank())
      return op.emitOpError("indexing map ")
             << number << " has " << map.getNumResults()
             << " subscripts for a relation of "
             << countOf(type.getRank(), "dimension");
  }
  // join_c3
  AffineMap resultMap = op.getResultMap();
  if (!resultMap.isProjectedPermutation())
    return op.emitOpError("writes its result at the subscripts ")
           << AffineMapAttr::get(resultMap) << ", expected distinct labels";
  for (auto [dim, expr] : llvm::enumerate(resultMap.getResults())) {
    unsigned label = cast<AffineDimExpr>(expr).getPosition();
    int64_t extent = op.getType().getShape()[dim];
    if (extent != op.getExtents()[label])
      return op.emitOpError("dimension ")
             << dim << " of the result has extent " << extent
             << ", but its label " << op.getLabels()[label] << " has extent "
             << op.getExtents()[label];
  }
  // join_c4
  for (unsigned number = 0; number + 1 < relations; ++number) {
    FailureOr<Projection> read = index::getSubscripts(op.getInputMap(number));
    if (failed(read))
      return op.emitOpError("reads operand ")
             << number << " at the subscripts " << op.getIndexingMaps()[number]
             << ", which are not affine with integer coefficients, nor such a "
                "form divided and wrapped around once";
    if (failed(verifyReach(op, "operand " + Twine(number), *read,
                           op.getExtents())))
      return failure();
  }
  return success();
}

/// Whether two pieces lie in the tensor at no common point: some dimension of
/// theirs is further apart than its extent.
static bool areApart(const Projection &a, const Projection &b,
                     ArrayRef<int64_t> shape) {
  return llvm::any_of(llvm::zip_equal(a.dims, b.dims, shape),
                      [](const auto &dims) {
                        const auto &[one, other, extent] = dims;
                        return one.constant - other.constant >= extent ||
                               other.constant - one.constant >= extent;
                      });
}

/// The piece `number` of an operand beside those from `first` on before it.
static LogicalResult verifyPiece(JoinOp op, unsigned first, unsigned number) {
  auto error = [&]() {
    return op.emitOpError("reads operand ")
           << number << ", another piece of operand " << first << ", ";
  };
  auto type = cast<RelationType>(op.getInputs()[number].getType());
  Projection piece = *index::getSubscripts(op.getInputMap(number));
  for (unsigned before = first; before < number; ++before) {
    auto other = cast<RelationType>(op.getInputs()[before].getType());
    if (other.getShape() != type.getShape() ||
        other.getElementType() != type.getElementType())
      return error() << "of shape " << listToString(type.getShape())
                     << " and element type " << type.getElementType()
                     << ", which is not that of operand " << before;
    Projection earlier = *index::getSubscripts(op.getInputMap(before));
    for (auto [dim, forms] :
         llvm::enumerate(llvm::zip_equal(piece.dims, earlier.dims))) {
      const auto &[form, with] = forms;
      if (!form.isLinear() || !with.isLinear() || form.terms != with.terms)
        return error() << "at another form of the labels in dimension " << dim;
    }
    if (!areApart(piece, earlier, type.getShape()))
      return error() << "at points at which operand " << before
                     << " is read, too";
  }
  return success();
}

/// join_c5, join_c6: pads, pieces and bounds.
static LogicalResult verifySubscripts(JoinOp op) {
  if (failed(verifyReads(op, op.getPads(), op.getInputs(), op.getExtents(),
                         [&](unsigned number) {
                           return Access{
                               *index::getSubscripts(op.getInputMap(number))};
                         })))
    return failure();
  for (auto [first, end] : op.getOperandPieces()) {
    for (unsigned number = first + 1; number < end; ++number)
      if (failed(verifyPiece(op, first, number)))
        return failure();
    Attribute last = op.getPads()[end - 1];
    if (isElse(last) ||
        (end - first > 1 && !isa<UnitAttr>(last) && !index::foldOf(last)))
      return op.emitOpError("has the pad ")
             << last << " at operand " << end - 1
             << ", behind which no other piece of it comes, expected 'unit'";
  }
  return success();
}

/// join_c7 to join_c11: monoid and regions.
static LogicalResult verifyComputation(JoinOp op) {
  // join_c7
  size_t reduced = op.getReducedLabels().size();
  if ((op.getMonoid() == Monoid::None) != (reduced == 0))
    return op.emitOpError("reduces ") << countOf(reduced, "label") << " by '"
                                      << stringifyMonoid(op.getMonoid()) << "'";
  // join_c8
  Type elementType = op.getType().getElementType();
  if (failed(verifyCustom(op, op.getMonoid(), op.getIdentityAttr(),
                          op.getCombine(), elementType)))
    return failure();
  // join_c9
  if (failed(verifyMonoidType(op, op.getMonoid(), elementType)))
    return failure();
  // join_c10
  SmallVector<Type> arguments;
  for (auto [first, end] : op.getOperandPieces())
    arguments.push_back(
        cast<RelationType>(op.getInputs()[first].getType()).getElementType());
  if (failed(verifyScalarRegion(op, "kernel", op.getKernel(), arguments,
                                elementType)))
    return failure();
  // join_c11
  if (op.getCombine().empty())
    return success();
  return verifyScalarRegion(op, "combine region", op.getCombine(),
                            {elementType, elementType}, elementType);
}

/// The points that read an operand; all where none may be left out.
static ZBox guardIn(JoinOp op, unsigned number) {
  bool isPiece = isElse(op.getPads()[number]) ||
                 (number > 0 && isElse(op.getPads()[number - 1]));
  bool isLinear = llvm::all_of(op.getRead(number).dims,
                               [](const auto &dim) { return dim.isLinear(); });
  return isLinear && !isPiece ? op.getGuard(number) : ZBox();
}

/// join_c12 to join_c14: everything lies where the partition says.
static LogicalResult verifyPlacement(JoinOp op) {
  // join_c12
  FailureOr<Partition> partition = verifyPartition(
      op, op.getPartition(), op.getLabels().size(), op.getDeviceGrid());
  if (failed(partition))
    return failure();
  for (Value input : op.getInputs())
    if (failed(verifySameGrid(op, cast<RelationType>(input.getType()),
                              op.getType())))
      return failure();
  // join_c13
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RelationType>(input.getType());
    Layout expected =
        Layout::ofProjection(op.getRead(number), op.getExtents(), *partition,
                             type.getShape(), guardIn(op, number));
    // Each device reads its own value.
    expected.partial = type.getLayout().getLayout().partial;
    if (failed(verifyLayout(op, "operand " + Twine(number), type,
                            op.getPartition(), expected)))
      return failure();
  }
  // join_c14
  return verifyLayout(
      op, "result", op.getType(), op.getPartition(),
      withPartialOf(
          op.getInputs(), *partition,
          writtenLayout(op.getResultMap(), op.getExtents(), *partition)));
}

LogicalResult JoinOp::verify() {
  // join_c1
  return failure(failed(verifyLabels(*this, getLabels(), getExtents())) ||
                 failed(verifyMaps(*this)) || failed(verifySubscripts(*this)));
}

LogicalResult JoinOp::verifyRegions() {
  return failure(failed(verifyComputation(*this)) ||
                 failed(verifyPlacement(*this)));
}

LogicalResult LabelOp::verify() {
  // label_c1
  auto join = (*this)->getParentOfType<JoinOp>();
  if (!join || !join.getKernel().isAncestor((*this)->getParentRegion()))
    return emitOpError("\"")
           << getName() << "\" does not lie in the kernel of a 'tra.join'";
  // label_c2
  if (!join.labelNamed(getName()))
    return emitOpError("names the label \"")
           << getName() << "\", but the join has only " << join.getLabels();
  return success();
}
