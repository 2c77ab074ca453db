//===- LoopOp.cpp - Loops of a graph --------------------------------------===//
//
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryLoop.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h"
#include "llvm/ADT/BitVector.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryLoop.cpp.inc"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

StringRef LoopOp::getLoopName() { return getName(); }

static NextOp nextOf(LoopOp loop) {
  return cast<NextOp>(loop.getBody().front().getTerminator());
}

int64_t LoopOp::getMostPasses() { return getTripsAttr().getInt(); }
Block &LoopOp::getLoopBody() { return getBody().front(); }
OperandRange LoopOp::getNexts() { return nextOf(*this).getNexts(); }
Value LoopOp::getStop() { return nextOf(*this).getStop(); }

LogicalResult LoopOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  for (Type type : getResultTypes()) {
    auto &shape = shapes.emplace_back();
    for (int64_t extent : cast<RankedTensorType>(type).getShape())
      shape.push_back(builder.getIndexAttr(extent));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// Whether `value` is what an operator in `block` computes.
static bool isComputedIn(Value value, Block &block) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == &block &&
         isa<BlockOpInterface, OperatorOp>(op) && !isGraphSource(op);
}

LogicalResult LoopOp::verify() {
  // loop_c1
  if (getInits().empty())
    return emitOpError() << "carries no tensor from one pass to the next";
  // loop_c3
  for (auto [number, init] : llvm::enumerate(getInits())) {
    if (!isComputedIn(init, *(*this)->getBlock()))
      return emitOpError() << "operand " << number
                           << " is not the result of an operator in the "
                              "block of the loop";
    if (!init.hasOneUse())
      return emitOpError() << "operand " << number
                           << " is read by others, too, but its memory "
                              "becomes the loop's";
  }
  return success();
}

/// The types that the body is given or hands on are those of the operands.
static LogicalResult verifyTypes(LoopOp loop, TypeRange types, StringRef what) {
  if (types.size() != loop.getInits().size())
    return loop.emitOpError()
           << "carries " << loop.getInits().size()
           << " tensors, but its body has " << types.size() << " " << what;
  for (auto [number, type] : llvm::enumerate(types))
    if (Type wanted = loop.getInits()[number].getType(); type != wanted)
      return loop.emitOpError() << "carries " << wanted << " as number "
                                << number << ", but the body's is " << type;
  return success();
}

LogicalResult LoopOp::verifyRegions() {
  Block &body = getBody().front();
  // loop_c1
  if (failed(verifyTypes(*this, body.getArgumentTypes(), "arguments")))
    return failure();
  // loop_c2
  auto next = body.empty() ? NextOp() : dyn_cast<NextOp>(body.back());
  if (!next)
    return emitOpError() << "does not end in 'tapestry.next'";
  for (Operation &op : body.without_terminator()) {
    auto node = dyn_cast<GraphNodeInterface>(op);
    if (node ? node.getNodeKind() != GraphNodeKind::Point
             : !isa<BlockOpInterface, GraphLoopInterface, OperatorOp>(op))
      return emitOpError() << "holds '" << op.getName()
                           << "', but a body has only operators, loops and "
                              "sequence points";
  }
  if (failed(verifyTypes(*this, next.getNexts().getTypes(),
                         "operands of 'tapestry.next'")))
    return failure();
  // loop_c4
  llvm::SmallDenseSet<Value> seen;
  for (auto [number, value] : llvm::enumerate(next.getNexts())) {
    if (!isComputedIn(value, body))
      return next.emitOpError() << "operand " << number
                                << " is not the result of an operator of "
                                   "the body";
    if (!seen.insert(value).second)
      return next.emitOpError()
             << "operand " << number << " is carried as another tensor already";
  }
  if (next.getStop() && !isComputedIn(next.getStop(), body))
    return next.emitOpError() << "stops by what is not the result of an "
                                 "operator of the body";
  return success();
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

/// Whether what is carried is read by nobody but for itself.
static bool isCarriedInVain(LoopOp loop, unsigned number) {
  Value next = nextOf(loop).getNexts()[number];
  Operation *maker = next.getDefiningOp();
  BlockArgument argument = loop.getBody().getArgument(number);
  return loop.getResult(number).use_empty() && next.hasOneUse() &&
         maker->getNumResults() == 1 &&
         llvm::all_of(argument.getUsers(),
                      [&](Operation *user) { return user == maker; });
}

/// Carries nothing that nobody reads, as a counter of which only the loop
/// knows; one tensor is left, since passes may be there to end a run.
LogicalResult LoopOp::canonicalize(LoopOp loop, PatternRewriter &rewriter) {
  llvm::BitVector dropped(loop.getInits().size());
  for (unsigned number = 0; number < dropped.size(); ++number)
    if (dropped.count() + 1 < dropped.size() && isCarriedInVain(loop, number))
      dropped.set(number);
  if (dropped.none())
    return rewriter.notifyMatchFailure(loop, "all that is carried is read");
  SmallVector<Value> inits, nexts, results;
  for (unsigned number = 0; number < dropped.size(); ++number)
    if (!dropped.test(number)) {
      inits.push_back(loop.getInits()[number]);
      nexts.push_back(loop.getNexts()[number]);
      results.push_back(loop.getResult(number));
    }
  NextOp next = nextOf(loop);
  rewriter.setInsertionPoint(next);
  SmallVector<Operation *> makers;
  for (unsigned number : dropped.set_bits())
    makers.push_back(next.getNexts()[number].getDefiningOp());
  rewriter.replaceOpWithNewOp<NextOp>(next, nexts, next.getStop());
  for (Operation *maker : makers)
    rewriter.eraseOp(maker);
  rewriter.setInsertionPoint(loop);
  auto kept =
      LoopOp::create(rewriter, loop.getLoc(), ValueRange(results).getTypes(),
                     loop.getNameAttr(), loop.getTripsAttr(), inits);
  kept->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop.getBody().front().eraseArguments(dropped);
  rewriter.inlineRegionBefore(loop.getBody(), kept.getBody(),
                              kept.getBody().end());
  rewriter.replaceAllUsesWith(results, kept.getResults());
  rewriter.eraseOp(loop);
  return success();
}
