//===- FormEpilogues.cpp - Products with what is made of them -------------===//

#include "ProductNest.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;
using linalg::GenericOp;

namespace tapestry {

#define GEN_PASS_DEF_FORMEPILOGUES
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

struct FormEpilogues : public impl::FormEpiloguesBase<FormEpilogues> {
  using FormEpiloguesBase::FormEpiloguesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() || !isDeviceCode(function) ||
        isKernel(function) || isHostCode(function))
      return;
    for (Block &block : function.getBody())
      for (GenericOp op : llvm::to_vector(block.getOps<GenericOp>()))
        if (op.getNumReductionLoops() > 0)
          join(op);
  }

  void join(GenericOp op);
};

/// The first operation behind `op` that touches its results.
GenericOp readerOf(GenericOp op) {
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode())
    if (!isMemoryEffectFree(next) && touches(next, op.getDpsInits()[0]))
      return dyn_cast<GenericOp>(next);
  return nullptr;
}

/// Whether `reader` can stand right behind `op`. Adds the allocations and
/// constants that come along.
bool canFollow(GenericOp op, GenericOp reader,
               SmallVectorImpl<Operation *> &along) {
  for (Operation *at = op->getNextNode(); at != reader; at = at->getNextNode())
    if (!isMemoryEffectFree(at) && conflict(at, reader))
      return false;
  auto isBefore = [&](Value value) {
    Operation *source = value.getDefiningOp();
    return !source || source->getBlock() != op->getBlock() ||
           source->isBeforeInBlock(op);
  };
  llvm::SetVector<Value> used;
  used.insert(reader->operand_begin(), reader->operand_end());
  getUsedValuesDefinedAbove(reader->getRegions(), used);
  for (Value value : used) {
    if (isBefore(value))
      continue;
    Operation *source = value.getDefiningOp();
    if (!source->hasTrait<OpTrait::ConstantLike>() &&
        !(isa<memref::AllocOp>(source) &&
          llvm::all_of(source->getOperands(), isBefore)))
      return false;
    along.push_back(source);
  }
  return true;
}

void FormEpilogues::join(GenericOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 || isRim(op))
    return;
  FailureOr<Nest> nest = Nest::analyze(op);
  if (failed(nest))
    return;
  std::optional<Product> product = findProduct(*nest);
  if (!product)
    return;
  GenericOp reader = readerOf(op);
  if (!reader || isRim(reader))
    return;
  std::optional<Epilogue> epilogue = findEpilogue(*nest, *product, reader);
  SmallVector<Operation *> along;
  if (!epilogue ||
      (!relu && (epilogue->functions & TAPESTRY_EPILOGUE_RELU) != 0) ||
      !canFollow(op, reader, along))
    return;
  for (Operation *source : along)
    source->moveBefore(op);
  reader->moveAfter(op);
  op->setAttr(joinedAttrName, UnitAttr::get(&getContext()));
  ++numJoined;
}

} // namespace
} // namespace tapestry
