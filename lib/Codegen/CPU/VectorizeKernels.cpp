//===- VectorizeKernels.cpp - Lower linalg on buffers to vector loops -----===//
//
// For each operation: read the nest, plan it, emit it. What has no vector form
// becomes scalar loops.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "SplitLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/Common/Buffers.h"
#include "tapestry/Codegen/Common/DeviceCode.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_VECTORIZEKERNELS
#include "tapestry/Codegen/CPU/Passes.h.inc"

namespace {

/// Whether all that `op` reads and writes are ranked buffers.
bool isOnBuffers(Operation *op) {
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return isa<MemRefType>(copy.getSource().getType()) &&
           isa<MemRefType>(copy.getTarget().getType());
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureBufferSemantics();
}

/// The fill of exactly `buffer` right before `op`, with nothing in between that
/// touches memory; none otherwise.
linalg::GenericOp fillBefore(linalg::GenericOp op, Value buffer) {
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

struct VectorizeKernels : public impl::VectorizeKernelsBase<VectorizeKernels> {
  using VectorizeKernelsBase::VectorizeKernelsBase;

  void runOnOperation() override;
  SmallVector<linalg::GenericOp> collect();
  LogicalResult lower(linalg::GenericOp op, const TargetInfo &target);
  void foldFill(Nest &nest, const NestPlan &plan);

  /// Nanoseconds that one thread takes, where several may share the kernel.
  double work = 0;
  /// Fills that went into the reduction after them.
  SmallPtrSet<Operation *, 4> folded;
};

/// All operations to lower, as generics, in program order.
SmallVector<linalg::GenericOp> VectorizeKernels::collect() {
  IRRewriter rewriter(&getContext());
  SmallVector<Operation *> found;
  getOperation().walk([&](Operation *op) {
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

void VectorizeKernels::runOnOperation() {
  if (getOperation().isDeclaration() || !isDeviceCode(getOperation()))
    return;
  folded.clear();
  std::optional<TargetInfo> target = TargetInfo::get(cpu, vectorBits);
  if (!target) {
    getOperation().emitError("unknown processor '")
        << cpu << "' or vector width " << vectorBits.getValue();
    return signalPassFailure();
  }
  if (!tiles)
    target->tilesBF16 = target->tilesI8 = false;
  work = isKernel(getOperation()) ? splitLoops(getOperation(), *target) : 0;
  // Backwards, so that a fill is still there when its reader is lowered.
  SmallVector<linalg::GenericOp> generics = collect();
  for (linalg::GenericOp op : llvm::reverse(generics))
    if (!folded.contains(op) && failed(lower(op, *target)))
      return signalPassFailure();
  if (work > 0)
    getOperation()->setAttr(workAttrName,
                            OpBuilder(&getContext()).getI64IntegerAttr(work));
}

/// Starts reductions from a preceding fill's value instead of its memory.
void VectorizeKernels::foldFill(Nest &nest, const NestPlan &plan) {
  if (plan.kind == NestKind::Map || nest.outputs.size() != 1 ||
      !nest.outputs[0].accumulates)
    return;
  Value buffer = nest.op.getDpsInits()[0];
  if (llvm::any_of(nest.op.getDpsInputs(),
                   [&](Value input) { return mayAlias(input, buffer); }) ||
      !nest.op.getIndexingMapsArray().back().isProjectedPermutation())
    return;
  linalg::GenericOp fill = fillBefore(nest.op, buffer);
  if (!fill)
    return;
  nest.initial[0] = filledValue(fill);
  folded.insert(fill);
  fill.erase();
}

LogicalResult VectorizeKernels::lower(linalg::GenericOp op,
                                      const TargetInfo &target) {
  IRRewriter rewriter(&getContext());
  FailureOr<Nest> nest = Nest::analyze(op);
  NestPlan plan;
  if (succeeded(nest))
    plan = planNest(nest->problem, target);
  if (plan.kind == NestKind::Scalar) {
    ++numScalar;
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op.emitError("cannot be lowered to loops");
    rewriter.eraseOp(op);
    return success();
  }

  foldFill(*nest, plan);
  if (!isKernel(getOperation()) || onlyWork(getOperation()) != op)
    plan.splitDim = -1;
  if (plan.splitDim >= 0)
    work = plan.nanoseconds;
  IndexBuilder b(op.getLoc(), getOperation());
  b.setInsertionPoint(op);
  nest->materialize(b);
  switch (plan.kind) {
  case NestKind::Map:
    ++numMaps;
    emitMap(b, *nest, plan, target);
    break;
  case NestKind::Scan:
    ++numScans;
    emitScan(b, *nest, plan, target);
    break;
  case NestKind::Tile:
    ++numTiled;
    emitTile(b, *nest, plan, target);
    break;
  default:
    ++numRowReductions;
    emitLaneReduction(b, *nest, plan, target);
    break;
  }
  rewriter.eraseOp(op);
  return success();
}

} // namespace
} // namespace tapestry
