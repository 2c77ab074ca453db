//===- AccumulatePartials.cpp - Combine partial results one by one --------===//

#include "FreshNames.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Interfaces/ElementType.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYACCUMULATEPARTIALS
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// The tensors that a stack is made of, one a row; none where it is made
/// otherwise.
static SmallVector<Value> rowsOf(Value stack) {
  auto concat = stack.getDefiningOp<ConcatOp>();
  SmallVector<Value> rows;
  if (!concat || concat.getDim() != 0)
    return rows;
  for (Value input : concat.getInputs()) {
    auto row = input.getDefiningOp<UnsqueezeOp>();
    if (!row || row.getDim() != 0)
      return {};
    rows.push_back(row.getInput());
  }
  return rows;
}

/// Combines two tensors of the type of the reduction's result element for
/// element.
static Value emitCombined(OpBuilder &b, BlockOpInterface reduction,
                          StringRef name, Value first, Value second) {
  auto type = cast<RankedTensorType>(first.getType());
  unsigned rank = type.getRank();
  SmallVector<std::string> labels = reduction.getLabelNames();
  Projection written = reduction.getResultProjections().front();
  SmallVector<StringRef> names;
  for (const ProjectionDim &dim : written.dims)
    names.push_back(labels[dim.terms[0].dim]);
  AffineMap all = b.getMultiDimIdentityMap(rank);
  return EinsumOp::create(
      b, reduction.getLoc(), name, names, type.getShape(), {first, second},
      {all, all, all}, /*pads=*/{}, Monoid::None, type,
      [&](OpBuilder &inner, Location loc, ValueRange elements) {
        return reduction.emitCombine(/*result=*/0, inner, loc, elements[0],
                                     elements[1]);
      });
}

namespace {
struct TapestryAccumulatePartials
    : teg::impl::TapestryAccumulatePartialsBase<TapestryAccumulatePartials> {
  using TapestryAccumulatePartialsBase::TapestryAccumulatePartialsBase;

  void runOnOperation() override {
    GraphOp graph = getOperation();
    FreshNames names(graph);
    SmallVector<EinsumOp> reductions;
    for (auto op : graph.getOps<EinsumOp>())
      if (mayAccumulate(op))
        reductions.push_back(op);
    for (EinsumOp op : reductions)
      accumulate(op, names);
    numChains += reductions.size();
  }

private:
  bool mayAccumulate(EinsumOp op) {
    Value stack = op.getReducedStack();
    if (!stack || rowsOf(stack).size() < 2)
      return false;
    auto type = cast<RankedTensorType>(stack.getType());
    return type.getElementType() == op.getResultType().getElementType() &&
           type.getNumElements() * storedSize(type.getElementType()) >=
               stackBytes;
  }

  void accumulate(EinsumOp op, FreshNames &names) {
    auto reduction = cast<BlockOpInterface>(op.getOperation());
    SmallVector<Value> rows = rowsOf(op.getReducedStack());
    std::string name = reduction.getVertexName().str();
    OpBuilder b(op);
    Value sum = rows.front();
    for (auto [number, row] : llvm::drop_begin(llvm::enumerate(rows))) {
      bool isLast = number + 1 == rows.size();
      // As soon as both are there, so that neither waits for the rows behind.
      if (!isLast && row.getDefiningOp() &&
          row.getDefiningOp()->getBlock() == op->getBlock()) {
        Operation *later = row.getDefiningOp();
        if (sum.getDefiningOp() && later->isBeforeInBlock(sum.getDefiningOp()))
          later = sum.getDefiningOp();
        b.setInsertionPointAfter(later);
      } else {
        b.setInsertionPoint(op);
      }
      sum = emitCombined(b, reduction,
                         isLast ? name : names.next(name + ".sum"), sum, row);
    }
    op->getResult(0).replaceAllUsesWith(sum);
    Operation *stack = op.getReducedStack().getDefiningOp();
    op->erase();
    if (!isOpTriviallyDead(stack))
      return;
    SmallVector<Value> parts(stack->getOperands());
    stack->erase();
    for (Value part : parts)
      if (isOpTriviallyDead(part.getDefiningOp()))
        part.getDefiningOp()->erase();
  }
};
} // namespace
