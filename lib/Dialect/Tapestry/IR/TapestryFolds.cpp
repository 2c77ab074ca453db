//===- TapestryFolds.cpp - Canonical forms of tapestry's ops --------------===//

#include "mlir/IR/PatternMatch.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Whether `op` without the operands in `dropped` still mentions every label,
/// as its verifier demands.
static bool keepsEveryLabel(EinsumOp op, const llvm::BitVector &dropped) {
  for (unsigned label = 0; label < op.getExtents().size(); ++label) {
    bool occurs = op.getResultMap().isFunctionOfDim(label);
    for (unsigned operand = 0; operand < dropped.size(); ++operand)
      occurs |= !dropped.test(operand) &&
                op.getOperandMap(operand).isFunctionOfDim(label);
    occurs |= llvm::any_of(op.getBody().getOps<LabelOp>(), [&](LabelOp use) {
      return op.getLabelIndex(use.getLabel()) == label;
    });
    if (!occurs)
      return false;
  }
  return true;
}

/// Erases the operands in `dropped`, whose body arguments have no uses.
static void dropOperands(PatternRewriter &rewriter, EinsumOp op,
                         const llvm::BitVector &dropped) {
  llvm::SmallVector<Value> operands;
  llvm::SmallVector<Attribute> maps;
  llvm::SmallVector<Attribute> pads;
  llvm::SmallVector<Attribute> routes;
  if (ArrayAttr given = op.getOperandRoutesAttr())
    for (auto [read, route] : llvm::zip_equal(
             cast<BlockOpInterface>(op.getOperation()).getReads(), given))
      if (!dropped.test(read.first))
        routes.push_back(route);
  for (auto [number, operand] : llvm::enumerate(op.getInputs())) {
    if (dropped.test(number))
      continue;
    operands.push_back(operand);
    maps.push_back(op.getIndexingMaps()[number]);
    pads.push_back(op.getPads()[number]);
  }
  maps.push_back(op.getIndexingMaps()[dropped.size()]);
  rewriter.modifyOpInPlace(op, [&]() {
    op->setOperands(operands);
    op.setIndexingMapsAttr(rewriter.getArrayAttr(maps));
    op.setPadsAttr(rewriter.getArrayAttr(pads));
    if (op.getOperandRoutesAttr())
      op.setOperandRoutesAttr(rewriter.getArrayAttr(routes));
    op.getBody().front().eraseArguments(dropped);
  });
}

namespace {

/// Whether a vertex holds an einsum, which says what it computes.
bool isHeld(EinsumOp op) {
  return isa_and_nonnull<BlockOpInterface>(op->getParentOp());
}

/// Reads an operand once that is given twice with equal subscripts and pad.
struct MergeEqualOperands : public OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    if (isHeld(op))
      return rewriter.notifyMatchFailure(op, "who holds it takes its operands");
    unsigned count = op.getInputs().size();
    llvm::BitVector dropped(count);
    Block &body = op.getBody().front();
    for (unsigned second = 1; second < count; ++second) {
      for (unsigned first = 0; first < second; ++first) {
        if (dropped.test(first) ||
            op.getInputs()[first] != op.getInputs()[second] ||
            op.getOperandMap(first) != op.getOperandMap(second) ||
            op.getPads()[first] != op.getPads()[second])
          continue;
        rewriter.replaceAllUsesWith(body.getArgument(second),
                                    body.getArgument(first));
        dropped.set(second);
        break;
      }
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "all operands differ");
    dropOperands(rewriter, op, dropped);
    return success();
  }
};

/// Drops operands whose values the body does not use, as long as every label
/// stays mentioned.
struct DropUnusedOperands : public OpRewritePattern<EinsumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(EinsumOp op,
                                PatternRewriter &rewriter) const override {
    if (isHeld(op))
      return rewriter.notifyMatchFailure(op, "who holds it takes its operands");
    llvm::BitVector dropped(op.getInputs().size());
    for (BlockArgument argument : op.getBody().getArguments()) {
      if (!argument.use_empty())
        continue;
      dropped.set(argument.getArgNumber());
      if (!keepsEveryLabel(op, dropped))
        dropped.reset(argument.getArgNumber());
    }
    if (dropped.none())
      return rewriter.notifyMatchFailure(
          op, "every operand is used or alone has one of the labels");
    dropOperands(rewriter, op, dropped);
    return success();
  }
};

} // namespace

void EinsumOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                           MLIRContext *context) {
  patterns.add<MergeEqualOperands, DropUnusedOperands>(context);
}
