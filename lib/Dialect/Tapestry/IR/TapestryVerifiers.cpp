//===- TapestryVerifiers.cpp - Rules of graphs, sources and labels --------===//
//
// The checks carry the labels of the constraints in the ops' descriptions.
//
//===----------------------------------------------------------------------===//

#include "PlacementRules.h"
#include "Targets.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryBlock.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryLoop.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// GraphOp
//===----------------------------------------------------------------------===//

/// Refuses two ops of one kind with the same name.
template <typename OpTy>
static LogicalResult verifyUniqueNames(GraphOp graph, StringRef kind) {
  llvm::StringMap<OpTy> byName;
  for (auto op : graph.getBody().getOps<OpTy>()) {
    auto [entry, isNew] = byName.try_emplace(op.getName(), op);
    if (isNew)
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError()
                                    << "is a second " << kind << " named \""
                                    << op.getName() << "\"";
    diagnostic.attachNote(entry->second.getLoc()) << "the first is here";
    return diagnostic;
  }
  return success();
}

/// What `op` of a graph's block takes, also in regions that see the graph.
static void forEachOperand(Operation *op,
                           llvm::function_ref<void(Operation *)> take) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *def = operand.getDefiningOp())
        if (Operation *before = op->getBlock()->findAncestorOpInBlock(*def);
            before && before != op)
          take(before);
    return inner->hasTrait<OpTrait::IsIsolatedFromAbove>()
               ? WalkResult::skip()
               : WalkResult::advance();
  });
}

/// Those that wait for each other in a circle that `start` is in, each for the
/// next one; none where there is no circle.
static llvm::SmallVector<Operation *> findCircle(Operation *start) {
  // How `start` comes to wait for an operation: through which other one.
  llvm::MapVector<Operation *, Operation *> through;
  llvm::SmallVector<Operation *> work = {start};
  while (!work.empty()) {
    Operation *op = work.pop_back_val();
    bool isCircle = false;
    forEachOperand(op, [&](Operation *before) {
      isCircle |= before == start;
      if (before != start && through.insert({before, op}).second)
        work.push_back(before);
    });
    if (!isCircle)
      continue;
    llvm::SmallVector<Operation *> circle = {op};
    while (circle.back() != start)
      circle.push_back(through.lookup(circle.back()));
    return llvm::to_vector(llvm::reverse(circle));
  }
  return {};
}

/// graph_c3, by names: that definitions come before their uses is checked
/// later, of values without one.
static LogicalResult verifyOrder(GraphOp graph) {
  for (Operation &op : graph.getBody().front()) {
    bool isAhead = false;
    forEachOperand(
        &op, [&](Operation *before) { isAhead |= op.isBeforeInBlock(before); });
    if (!isAhead)
      continue;
    llvm::SmallVector<Operation *> circle = findCircle(&op);
    if (circle.empty())
      continue;
    auto nameOf = [](Operation *each) {
      auto name = each->getAttrOfType<StringAttr>("name");
      return name ? "'" + name.str() + "'" : "a sequence point";
    };
    InFlightDiagnostic diagnostic = op.emitOpError("waits for itself: ")
                                    << nameOf(&op);
    for (Operation *next : llvm::drop_begin(circle))
      diagnostic << " after " << nameOf(next);
    return diagnostic << " after " << nameOf(&op);
  }
  return success();
}

/// What a value that an operator reads is in others: its results, and what is
/// carried on. Calls `fn` with each.
static void forEachReader(OpOperand &use, function_ref<void(Value)> fn) {
  Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  auto next = dyn_cast<NextOp>(user);
  auto loop = next ? cast<LoopOp>(next->getParentOp()) : dyn_cast<LoopOp>(user);
  if (!loop) {
    llvm::for_each(user->getResults(), fn);
  } else if (number < loop.getInits().size()) {
    fn(loop.getBody().getArgument(number));
    fn(loop.getResult(number));
  }
}

/// block_c9
static LogicalResult verifyConditions(GraphOp graph) {
  llvm::SmallVector<std::pair<Value, BlockOp>> work;
  graph.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<GraphOp, LoopOp>(op))
      return WalkResult::advance();
    // It, or what it holds.
    op->walk([&](BlockOp block) {
      if (!block.isRepeatable())
        for (Value result : op->getResults())
          work.emplace_back(result, block);
    });
    return WalkResult::skip();
  });
  llvm::DenseSet<Value> seen;
  while (!work.empty()) {
    auto [value, block] = work.pop_back_val();
    if (!seen.insert(value).second || !isa<RankedTensorType>(value.getType()))
      continue;
    for (OpOperand &use : value.getUses()) {
      auto next = dyn_cast<NextOp>(use.getOwner());
      if (next && use.getOperandNumber() >= next.getNexts().size()) {
        auto loop = cast<LoopOp>(next->getParentOp());
        InFlightDiagnostic diagnostic =
            loop.emitOpError()
            << "'" << loop.getName() << "' ends by a condition that depends on "
            << "block '" << block.getName()
            << "', which is not idempotent: devices could disagree";
        diagnostic.attachNote(block.getLoc()) << "the block is here";
        return diagnostic;
      }
      forEachReader(use, [&, &block = block](Value reader) {
        work.emplace_back(reader, block);
      });
    }
  }
  return success();
}

LogicalResult GraphOp::verifyRegions() {
  // graph_c1
  if (failed(verifyUniqueNames<SourceOp>(*this, "source")))
    return failure();
  // graph_c2
  if (failed(verifyUniqueNames<SinkOp>(*this, "sink")))
    return failure();
  // graph_c4
  if (failed(teg::detail::verifyFiles(*this)))
    return failure();
  // graph_c3, and block_c9, which is about all of the graph
  return success(succeeded(verifyOrder(*this)) &&
                 succeeded(verifyConditions(*this)));
}

//===----------------------------------------------------------------------===//
// SourceOp, SequencePointOp and LabelOp
//===----------------------------------------------------------------------===//

LogicalResult SourceOp::verify() {
  // source_c1
  if (failed(verifyPartition(*this, getPartitionAttr(), getType().getRank(),
                             "dimension")))
    return failure();
  // source_c2
  if (failed(verifyHome(*this, getHomeAttr(), getType().getShape())))
    return failure();
  return teg::detail::verifySourceTarget(*this);
}

LogicalResult SequencePointOp::verify() {
  // point_c1
  for (Value each : getAwaited())
    if (isa<PointType>(each.getType()) &&
        each.getParentBlock() != (*this)->getBlock())
      return emitOpError("waits for a point that stands in another block");
  return success();
}

LogicalResult LabelOp::verify() {
  auto einsum = cast<EinsumOp>((*this)->getParentOp());
  // label_c1
  if (!einsum.getLabelIndex(getLabel())) {
    InFlightDiagnostic diagnostic = emitOpError()
                                    << "names label '" << getLabel()
                                    << "', which the einsum \""
                                    << einsum.getName() << "\" lacks";
    diagnostic.attachNote(einsum.getLoc())
        << "its labels are " << einsum.getLabels();
    return diagnostic;
  }
  // label_c2
  if ((*this)->getParentRegion() != &einsum.getBody())
    return emitOpError() << "lies in the combine region, which has no index "
                            "point";
  return success();
}
