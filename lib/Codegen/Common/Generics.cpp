//===- Generics.cpp - Operations on buffers as linalg.generic -------------===//

#include "tapestry/Codegen/Common/Generics.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "tapestry/Codegen/Common/Buffers.h"

using namespace mlir;

namespace tapestry {

/// Whether all that `op` reads and writes are ranked buffers.
static bool isOnBuffers(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return isa<MemRefType>(copy.getSource().getType()) &&
           isa<MemRefType>(copy.getTarget().getType());
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureBufferSemantics();
}

/// The fill of exactly `buffer` right before `op`, with nothing in between that
/// touches memory; none otherwise.
static linalg::GenericOp fillBefore(linalg::GenericOp op, Value buffer) {
  for (Operation *at = op->getPrevNode(); at; at = at->getPrevNode()) {
    if (isMemoryEffectFree(at) || isa<memref::AllocOp>(at))
      continue;
    auto fill = dyn_cast<linalg::GenericOp>(at);
    if (!fill || fill.getNumDpsInits() != 1)
      return nullptr;
    if (fill.getDpsInits()[0] != buffer)
      return nullptr;
    Value value = fill.getBody()->getTerminator()->getOperand(0);
    bool plain = fill.getNumParallelLoops() == fill.getNumLoops() &&
                 fill.getIndexingMapsArray().back().isIdentity();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      plain &= argument.getOwner() == fill.getBody() &&
               argument.getArgNumber() < fill.getNumDpsInputs() &&
               !isa<MemRefType>(
                   fill.getDpsInputs()[argument.getArgNumber()].getType());
    } else {
      plain &= value.getParentRegion()->isProperAncestor(&fill.getRegion());
    }
    return plain ? fill : nullptr;
  }
  return nullptr;
}

Value filledValue(linalg::GenericOp fill) {
  Value value = fill.getBody()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == fill.getBody())
      return fill.getDpsInputs()[argument.getArgNumber()];
  return value;
}

SmallVector<linalg::GenericOp> collectGenerics(Operation *root) {
  IRRewriter rewriter(root->getContext());
  SmallVector<Operation *> found;
  root->walk([&](Operation *op) {
    if (isOnBuffers(op))
      found.push_back(op);
  });
  SmallVector<linalg::GenericOp> generics;
  for (Operation *op : found) {
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      generics.push_back(copyToGeneric(rewriter, copy));
      continue;
    }
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic) {
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::GenericOp> made =
          linalg::generalizeNamedOp(rewriter, cast<linalg::LinalgOp>(op));
      if (failed(made))
        continue;
      generic = *made;
    }
    generics.push_back(generic);
  }
  return generics;
}

linalg::GenericOp findFill(const Nest &nest) {
  if (nest.outputs.size() != 1 || !nest.outputs[0].accumulates)
    return nullptr;
  linalg::GenericOp op = nest.op;
  Value buffer = op.getDpsInits()[0];
  if (llvm::any_of(op.getDpsInputs(),
                   [&](Value input) { return mayAlias(input, buffer); }) ||
      !op.getIndexingMapsArray().back().isProjectedPermutation())
    return nullptr;
  return fillBefore(op, buffer);
}

Operation *foldFill(Nest &nest) {
  linalg::GenericOp fill = findFill(nest);
  if (!fill)
    return nullptr;
  nest.initial[0] = filledValue(fill);
  Operation *key = fill;
  fill.erase();
  return key;
}

} // namespace tapestry
