//===- FreeBuffers.cpp - Free buffers after their last use ----------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"

namespace tapestry {
#define GEN_PASS_DEF_FREEBUFFERS
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

/// The last operation of `block` that uses `buffer` or a view of it. Fails
/// where the buffer leaves the block in a way that is not understood.
static FailureOr<Operation *> findLastUse(Value buffer, Block &block) {
  Operation *last = buffer.getDefiningOp();
  SmallVector<Value> views = {buffer};
  while (!views.empty()) {
    for (Operation *user : views.pop_back_val().getUsers()) {
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!inBlock || isa<memref::DeallocOp>(user) ||
          user->hasTrait<OpTrait::IsTerminator>())
        return failure();
      if (last->isBeforeInBlock(inBlock))
        last = inBlock;
      for (Value result : user->getResults())
        if (isa<BaseMemRefType>(result.getType()))
          views.push_back(result);
    }
  }
  return last;
}

namespace {
struct FreeBuffers : tapestry::impl::FreeBuffersBase<FreeBuffers> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isDeviceCode(function) && !isKernel(function) &&
          !function.isExternal())
        freeBuffersOf(function.front());
  }

private:
  void freeBuffersOf(Block &block) {
    SmallVector<std::pair<memref::AllocOp, Operation *>> buffers;
    for (auto alloc : block.getOps<memref::AllocOp>())
      if (FailureOr<Operation *> last = findLastUse(alloc.getMemref(), block);
          succeeded(last))
        buffers.push_back({alloc, *last});
    OpBuilder b(&getContext());
    for (auto [alloc, last] : buffers) {
      b.setInsertionPointAfter(last);
      memref::DeallocOp::create(b, alloc.getLoc(), alloc.getMemref());
      ++numFreed;
    }
  }
};
} // namespace
