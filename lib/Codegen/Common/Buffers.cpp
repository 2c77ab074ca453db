//===- Buffers.cpp - Which operation touches which buffer -----------------===//
//
// Conservative: what is not understood touches everything.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace tapestry {

Value rootOf(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(op))
      memref = view.getViewSource();
    else if (auto metadata = dyn_cast<memref::ExtractStridedMetadataOp>(op))
      memref = metadata.getSource();
    else
      break;
  }
  return memref;
}

/// Adds the buffers that a call's operand gives access to: itself, or the one
/// whose address it was computed from.
static void addReachable(Value operand, SmallVectorImpl<Touch> &result) {
  SmallVector<Value> work{operand};
  llvm::SmallDenseSet<Value> seen;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (isa<BaseMemRefType>(value.getType())) {
      result.push_back({rootOf(value), true});
      continue;
    }
    if (Operation *op = value.getDefiningOp())
      if (isMemoryEffectFree(op))
        llvm::append_range(work, op->getOperands());
  }
}

SmallVector<Value> buffersLoadedBy(linalg::LinalgOp op) {
  SmallVector<Value> roots;
  // Nothing else in a body has to do with memory. Most bodies are flat and
  // without a load, and asked about often.
  for (Operation &inner : *op.getBlock())
    if (isa<memref::LoadOp>(inner) || inner.getNumRegions() != 0)
      inner.walk([&](memref::LoadOp load) {
        roots.push_back(rootOf(load.getMemRef()));
      });
  return roots;
}

std::optional<SmallVector<Touch>> touchesOf(Operation *op) {
  SmallVector<Touch> result;
  if (isa<memref::AllocOp, memref::AllocaOp>(op))
    return result;
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (!linalgOp.hasPureBufferSemantics())
      return std::nullopt;
    for (OpOperand &operand : op->getOpOperands())
      if (isa<BaseMemRefType>(operand.get().getType()))
        result.push_back({rootOf(operand.get()), linalgOp.isDpsInit(&operand)});
    for (Value root : buffersLoadedBy(linalgOp))
      result.push_back({root, false});
    return result;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    result = {{rootOf(copy.getSource()), false},
              {rootOf(copy.getTarget()), true}};
    return result;
  }
  if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
    result = {{rootOf(dealloc.getMemref()), true}};
    return result;
  }
  if (auto call = dyn_cast<func::CallOp>(op)) {
    for (Value operand : call.getOperands()) {
      if (isa<BaseMemRefType>(operand.getType()) ||
          !operand.getType().isIntOrIndexOrFloat())
        addReachable(operand, result);
    }
    return result;
  }
  if (op->hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(op))
    return std::nullopt;
  return result;
}

bool conflict(Operation *a, Operation *b) {
  auto first = touchesOf(a), second = touchesOf(b);
  if (!first || !second)
    return true;
  for (const Touch &x : *first)
    for (const Touch &y : *second)
      if (x.root == y.root && (x.writes || y.writes))
        return true;
  return false;
}

bool touches(Operation *op, Value root) {
  auto all = touchesOf(op);
  return !all ||
         llvm::any_of(*all, [&](const Touch &t) { return t.root == root; });
}

bool canSink(Operation *op, Operation *target) {
  for (Operation *at = op->getNextNode(); at && at != target;
       at = at->getNextNode())
    if (!isa<memref::DeallocOp>(at) && conflict(op, at))
      return false;
  return true;
}

bool isElementwise(linalg::GenericOp op) {
  return op.getNumDpsInits() == 1 && op.hasPureBufferSemantics() &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op.getIndexingMapsArray().back().isPermutation() &&
         op.getBody()->getArguments().back().use_empty() &&
         buffersLoadedBy(op).empty();
}

} // namespace tapestry
