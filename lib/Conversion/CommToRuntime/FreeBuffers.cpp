//===- FreeBuffers.cpp - Free buffers after their last use ----------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"

namespace tapestry {
#define GEN_PASS_DEF_FREEBUFFERS
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

/// Whether `use` only accesses the buffer, so that what its operation returns
/// says nothing of the address.
static bool isAccess(OpOperand &use) {
  Operation *user = use.getOwner();
  // Sizes may be asked for after the end.
  if (isa<ShapedDimOpInterface, memref::RankOp>(user))
    return true;
  // A tensor of it is read later.
  if (isa<bufferization::ToTensorOp>(user))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  return effects &&
         effects.getEffectOnValue<MemoryEffects::Free>(use.get()) ==
             std::nullopt &&
         (effects.getEffectOnValue<MemoryEffects::Read>(use.get()) ||
          effects.getEffectOnValue<MemoryEffects::Write>(use.get()));
}

/// The last operation of `block` that uses `buffer`, a view of it or what else
/// was made of its address. Fails where the buffer leaves the block in a way
/// that is not understood.
static FailureOr<Operation *> findLastUse(Value buffer, Block &block) {
  Operation *last = buffer.getDefiningOp();
  SmallVector<Value> views = {buffer};
  llvm::SmallDenseSet<Value> seen;
  while (!views.empty()) {
    for (OpOperand &use : views.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!inBlock || user->hasTrait<OpTrait::IsTerminator>())
        return failure();
      if (last->isBeforeInBlock(inBlock))
        last = inBlock;
      // What starts a region may end before the region does.
      if (inBlock != user)
        for (Value result : inBlock->getResults())
          if (!result.getType().isIntOrIndexOrFloat() &&
              seen.insert(result).second)
            views.push_back(result);
      if (isAccess(use))
        continue;
      // A call of ours takes no hold of what it is given; whoever else may,
      // keeps it.
      bool isOurCall = isa<CallOpInterface>(user) && isDeviceCode(user);
      if (!isOurCall && !isMemoryEffectFree(user))
        return failure();
      // Offsets, sizes and strides are no addresses.
      bool onlyFirst = isa<memref::ExtractStridedMetadataOp>(user);
      for (Value result :
           user->getResults().take_front(onlyFirst ? 1 : user->getNumResults()))
        if (seen.insert(result).second)
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
