//===- BlockVerifier.cpp - Constraints of tra.block -----------------------===//
//
// Checks stand in the order of the "Constraints:" list in TRAOps.td and carry
// its labels.
//
//===----------------------------------------------------------------------===//

#include "VerifierRules.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

/// block_c2: as many projections as relations, of the right ranks.
static LogicalResult verifyProjections(BlockOp op, StringRef what,
                                       TypeRange relations,
                                       ArrayAttr projections) {
  if (projections.size() != relations.size())
    return op.emitOpError("has ") << projections.size() << " projections for "
                                  << relations.size() << ' ' << what << 's';
  for (auto [number, relation] : llvm::enumerate(relations)) {
    auto attr = cast<index::ProjectionAttr>(projections[number]);
    unsigned rank = cast<RelationType>(relation).getRank();
    if (attr.getIndexRank() != op.getLabels().size() ||
        attr.getProjection().rank() != rank)
      return op.emitOpError("projection of ")
             << what << ' ' << number << " goes from " << attr.getIndexRank()
             << " to " << attr.getProjection().rank()
             << " dimensions, expected from " << op.getLabels().size() << " to "
             << rank;
  }
  return success();
}

/// block_c3, block_c4: pads and bounds.
static LogicalResult verifyReads(BlockOp op) {
  // block_c3
  if (op.getPads().size() != op.getInputs().size())
    return op.emitOpError("has ") << op.getPads().size() << " pads for "
                                  << op.getInputs().size() << " operands";
  ZBox space = boxOfShape(op.getExtents());
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    auto type = cast<RelationType>(input.getType());
    TypedAttr pad = op.getPad(number);
    if (!pad && !isa<UnitAttr>(op.getPads()[number]))
      return op.emitOpError("pad ")
             << number << " is neither 'unit' nor a value";
    if (pad && pad.getType() != type.getElementType())
      return op.emitOpError("pad ")
             << number << " is of type " << pad.getType()
             << ", but its operand's elements are of type "
             << type.getElementType();
    // block_c4
    for (auto [dim, form] : llvm::enumerate(op.getRead(number).dims)) {
      ZRange bounds{0, type.getShape()[dim]}, read = imageOfDim(form, space);
      if (!pad && !bounds.contains(read))
        return op.emitOpError("reads dimension ")
               << dim << " of operand " << number << " in " << boxToString(read)
               << ", which leaves its bounds " << boxToString(bounds)
               << " without a pad";
    }
  }
  return success();
}

/// block_c5: dimensions of results are labels or written whole.
static LogicalResult verifyWrites(BlockOp op, unsigned number) {
  ArrayRef<int64_t> shape =
      cast<RelationType>(op.getResultTypes()[number]).getShape();
  llvm::SmallSet<unsigned, 4> written;
  for (auto [dim, form] : llvm::enumerate(op.getWrite(number).dims)) {
    bool isWhole = form.terms.empty() && form.constant == 0 &&
                   form.stride == 1 && form.size == shape[dim];
    bool isLabel = form.isPlainDim() &&
                   op.getExtents()[form.terms[0].dim] == shape[dim] &&
                   written.insert(form.terms[0].dim).second;
    if (!isWhole && !isLabel)
      return op.emitOpError("dimension ")
             << dim << " of result " << number << " has extent " << shape[dim]
             << " and is neither written whole nor one label of that extent";
  }
  return success();
}

/// block_c6 to block_c8: everything lies where the partition says.
static LogicalResult verifyPlacement(BlockOp op) {
  // block_c6
  auto first = cast<RelationType>(op.getResultTypes().front());
  FailureOr<Partition> partition = verifyPartition(
      op, op.getPartition(), op.getLabels().size(), first.getDeviceGrid());
  if (failed(partition))
    return failure();
  SmallVector<Type> relations(op.getInputs().getTypes());
  llvm::append_range(relations, op.getResultTypes());
  for (Type relation : relations)
    if (failed(verifySameGrid(op, cast<RelationType>(relation), first)))
      return failure();
  // block_c7
  for (auto [number, relation] : llvm::enumerate(op.getInputs().getTypes())) {
    auto type = cast<RelationType>(relation);
    Layout expected = Layout::ofProjection(op.getRead(number), op.getExtents(),
                                           *partition, type.getShape());
    if (failed(verifyLayout(op, "operand " + Twine(number), type,
                            op.getPartition(), expected)))
      return failure();
  }
  // block_c8
  for (auto [number, relation] : llvm::enumerate(op.getResultTypes())) {
    auto type = cast<RelationType>(relation);
    Layout expected = writtenLayout(op.getWrite(number), op.getExtents(),
                                    *partition, type.getShape());
    if (failed(verifyLayout(op, "result " + Twine(number), type,
                            op.getPartition(), expected)))
      return failure();
  }
  return success();
}

LogicalResult BlockOp::verify() {
  // block_c1
  if (failed(verifyLabels(*this, getLabels(), getExtents())))
    return failure();
  // block_c2
  if (failed(verifyProjections(*this, "operand", getInputs().getTypes(),
                               getReads())) ||
      failed(verifyProjections(*this, "result", getResultTypes(), getWrites())))
    return failure();
  if (failed(verifyReads(*this)))
    return failure();
  for (unsigned number = 0; number < getNumResults(); ++number)
    if (failed(verifyWrites(*this, number)))
      return failure();
  if (getNumResults() == 0)
    return emitOpError("has 0 results, expected at least 1");
  return verifyPlacement(*this);
}

/// `actual` are the types of what a body takes or yields, in its order.
static LogicalResult verifyTypes(BlockOp op, StringRef verb, TypeRange actual,
                                 ArrayRef<Type> expected) {
  if (actual == TypeRange(expected))
    return success();
  InFlightDiagnostic diagnostic = op.emitOpError("body ") << verb << " (";
  llvm::interleaveComma(actual, diagnostic);
  diagnostic << "), expected (";
  llvm::interleaveComma(expected, diagnostic);
  return diagnostic << ')';
}

LogicalResult BlockOp::verifyRegions() {
  Block &block = getBody().front();
  // block_c9
  if (failed(verifyTypes(*this, "takes", block.getArgumentTypes(),
                         bodyArguments(getInputs().getTypes(), getPads(),
                                       getLabels().size()))))
    return failure();
  // block_c10
  auto yield =
      dyn_cast_or_null<BlockYieldOp>(block.empty() ? nullptr : &block.back());
  if (!yield)
    return emitOpError("body does not end in a 'tra.block_yield'");
  if (failed(verifyTypes(*this, "yields", yield.getOperandTypes(),
                         bodyResults(getResultTypes()))))
    return failure();
  // block_c11
  for (Operation &nested : block)
    if (!isMemoryEffectFree(&nested))
      return nested.emitOpError("has side effects, which the body of a '")
             << getOperationName() << "' must not have";
  return success();
}
