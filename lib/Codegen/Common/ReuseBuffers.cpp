//===- ReuseBuffers.cpp - Elementwise results over dying inputs -----------===//
//
// One walk in program order: an elementwise operation that is the last to read
// a local buffer, and the first to touch its result's, needs no second one.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Passes.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

#define GEN_PASS_DEF_REUSEBUFFERS
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

/// The first and the last operation of a buffer's block that have to do with
/// it.
struct Lifetime {
  Operation *first = nullptr;
  Operation *last = nullptr;
};

struct ReuseBuffers : public impl::ReuseBuffersBase<ReuseBuffers> {
  using ReuseBuffersBase::ReuseBuffersBase;

  void runOnOperation() override {
    if (getOperation().isDeclaration() || !isDeviceCode(getOperation()) ||
        isKernel(getOperation()))
      return;
    findLifetimes();
    for (Block &block : getOperation().getBody())
      runOnBlock(block);
  }

private:
  void runOnBlock(Block &block);
  void findLifetimes();
  memref::AllocOp findReusable(GenericOp op, memref::AllocOp result);

  /// Of the buffers that only the block which allocates them uses.
  llvm::DenseMap<Value, Lifetime> lifetimes;
};

/// Whether `op` has done with its buffers when the next operation starts. Whom
/// others call may keep what it is given.
static bool isUse(Operation *op) {
  return isa<linalg::LinalgOp, memref::CopyOp, memref::LoadOp>(op) ||
         (isa<func::CallOp>(op) && isDeviceCode(op) &&
          op->getNumResults() == 0);
}

/// What is handed on in other ways than views, or to another block, has no end
/// that is known.
void ReuseBuffers::findLifetimes() {
  lifetimes.clear();
  for (auto alloc : getOperation().getOps<memref::AllocOp>())
    lifetimes[alloc.getMemref()] = {};
  getOperation().walk([&](Operation *inner) {
    for (Value operand : inner->getOperands()) {
      auto life = lifetimes.find(rootOf(operand));
      // A size is no use of what has it.
      if (life == lifetimes.end() || isa<memref::DimOp>(inner))
        continue;
      Operation *op =
          life->first.getParentBlock()->findAncestorOpInBlock(*inner);
      bool isView = llvm::any_of(inner->getResults(), [](Value result) {
        return viewSourceOf(result) != nullptr;
      });
      if (!op || (!isUse(inner) && !isView)) {
        lifetimes.erase(life);
        continue;
      }
      if (!life->second.first)
        life->second.first = op;
      life->second.last = op;
    }
  });
}

/// A buffer that `op` is the last to read, point by point as it writes
/// `result`. What the runtime has filled is left as it came.
memref::AllocOp ReuseBuffers::findReusable(GenericOp op,
                                           memref::AllocOp result) {
  AffineMap map = op.getIndexingMapsArray().back();
  for (Value input : op.getDpsInputs()) {
    auto buffer = input.getDefiningOp<memref::AllocOp>();
    auto life = lifetimes.find(input);
    if (!buffer || life == lifetimes.end() || life->second.last != op ||
        !isa<linalg::LinalgOp>(life->second.first) ||
        buffer.getType() != result.getType() ||
        !buffer->isBeforeInBlock(result))
      continue;
    bool isPointwise =
        llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *other) {
          return rootOf(other->get()) != input ||
                 (other->get() == input &&
                  op.getMatchingIndexingMap(other) == map);
        });
    if (isPointwise)
      return buffer;
  }
  return nullptr;
}

void ReuseBuffers::runOnBlock(Block &block) {
  for (GenericOp op : llvm::make_early_inc_range(block.getOps<GenericOp>())) {
    if (!isElementwise(op))
      continue;
    auto result = op.getDpsInits()[0].getDefiningOp<memref::AllocOp>();
    auto life = result ? lifetimes.find(result.getMemref()) : lifetimes.end();
    if (life == lifetimes.end() || life->second.first != op)
      continue;
    memref::AllocOp buffer = findReusable(op, result);
    if (!buffer)
      continue;
    lifetimes[buffer.getMemref()].last = life->second.last;
    lifetimes.erase(life);
    result.replaceAllUsesWith(buffer.getMemref());
    result.erase();
    ++numReused;
  }
}

} // namespace
} // namespace tapestry
