//===- BlockVerifier.cpp - Constraints of tra.block -----------------------===//
//
// Checks stand in the order of the "Constraints:" list in TRAOps.td and carry
// its labels.
//
//===----------------------------------------------------------------------===//

#include "VerifierRules.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

/// block_c2: as many projections as relations, of the right ranks and within
/// reach.
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
             << " to " << countOf(attr.getProjection().rank(), "dimension")
             << ", expected from " << op.getLabels().size() << " to " << rank;
    if (failed(verifyReach(op, what + " " + Twine(number), attr.getProjection(),
                           op.getExtents())))
      return failure();
  }
  return success();
}

/// block_c2: as many guards as operands, where there are any.
static LogicalResult verifyGuards(BlockOp op) {
  if (!op.getGuardsAttr())
    return success();
  size_t operands = op.getInputs().size(), labels = op.getLabels().size();
  if (op.getGuardsAttr().size() != operands)
    return op.emitOpError("has ") << op.getGuardsAttr().size() << " guards for "
                                  << countOf(operands, "operand");
  for (auto [number, attr] : llvm::enumerate(op.getGuardsAttr())) {
    auto guard = dyn_cast<index::RangeAttr>(attr);
    if (!guard && !isa<UnitAttr>(attr))
      return op.emitOpError("guard ")
             << number << " is neither 'unit' nor a range: " << attr;
    if (!guard)
      continue;
    if (guard.getRank() != labels)
      return op.emitOpError("guard ")
             << number << " has " << countOf(guard.getRank(), "range")
             << " for " << countOf(labels, "label");
    for (auto [label, range] : llvm::enumerate(guard.getBox())) {
      ZRange whole{0, op.getExtents()[label]};
      if (range.lo > range.hi)
        return op.emitOpError("guard ")
               << number << " goes from " << range.lo << " down to " << range.hi
               << " of label " << op.getLabels()[label];
      if (range.lo < whole.lo || range.hi > whole.hi)
        return op.emitOpError("guard ")
               << number << " holds " << boxToString(range) << " of label "
               << op.getLabels()[label] << ", which is " << boxToString(whole);
    }
  }
  return success();
}

/// Whether a form is a label divided by a number, as for the numbers of blocks.
static bool isQuotientOfLabel(ProjectionDim form) {
  return std::exchange(form.floordiv, 1) != 1 && form.isPlainDim();
}

/// block_c5: dimensions of results are labels or the numbers of their blocks,
/// or written whole.
static LogicalResult verifyWrites(BlockOp op, unsigned number) {
  ArrayRef<int64_t> shape =
      cast<RelationType>(op.getResultTypes()[number]).getShape();
  llvm::SmallSet<unsigned, 4> written;
  for (auto [dim, form] : llvm::enumerate(op.getWrite(number).dims)) {
    bool isWhole = form.terms.empty() && form.constant == 0 &&
                   form.stride == 1 && form.size == shape[dim];
    bool isLabel = (form.isPlainDim() || isQuotientOfLabel(form)) &&
                   ceilDiv(op.getExtents()[form.terms[0].dim], form.floordiv) ==
                       shape[dim] &&
                   written.insert(form.terms[0].dim).second;
    if (!isWhole && !isLabel)
      return op.emitOpError("dimension ")
             << dim << " of result " << number << " has extent " << shape[dim]
             << " and is neither written whole nor one label of that extent";
  }
  return success();
}

/// block_c5: labels are divided by the size of their blocks.
static LogicalResult verifyBlockNumbers(BlockOp op, unsigned number,
                                        const Partition &partition,
                                        const DeviceGrid &grid) {
  for (auto [dim, form] : llvm::enumerate(op.getWrite(number).dims)) {
    if (form.floordiv == 1)
      continue;
    unsigned label = form.terms[0].dim;
    int64_t block = ceilDiv(op.getExtents()[label],
                            tapestry::partsOf(grid, partition.cuts[label]));
    if (form.floordiv != block)
      return op.emitOpError("dimension ")
             << dim << " of result " << number << " is label "
             << op.getLabels()[label] << " divided by " << form.floordiv
             << ", but its blocks have " << countOf(block, "point");
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
    Layout expected =
        Layout::ofProjection(op.getRead(number), op.getExtents(), *partition,
                             type.getShape(), op.getGuard(number));
    if (failed(verifyLayout(op, "operand " + Twine(number), type,
                            op.getPartition(), expected)))
      return failure();
  }
  // block_c8
  for (auto [number, relation] : llvm::enumerate(op.getResultTypes())) {
    auto type = cast<RelationType>(relation);
    if (failed(
            verifyBlockNumbers(op, number, *partition, type.getDeviceGrid())))
      return failure();
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
      failed(
          verifyProjections(*this, "result", getResultTypes(), getWrites())) ||
      failed(verifyGuards(*this)))
    return failure();
  // block_c3, block_c4
  const auto *named = llvm::find_if(getPads(), llvm::IsaPred<StringAttr>);
  if (named != getPads().end())
    return emitOpError("has ") << *named << " as a pad, which only a join has";
  if (failed(verifyReads(*this, getPads(), getInputs(), getExtents(),
                         [&](unsigned number) {
                           return Access{getRead(number), getGuard(number)};
                         })))
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
    if (!isMemoryEffectFree(&nested) && !isa<index::RequireOp>(nested))
      return nested.emitOpError("has side effects, which the body of a '")
             << getOperationName() << "' must not have";
  return success();
}
