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
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Generics.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_VECTORIZEKERNELS
#include "tapestry/Codegen/CPU/Passes.h.inc"

namespace {

struct VectorizeKernels : public impl::VectorizeKernelsBase<VectorizeKernels> {
  using VectorizeKernelsBase::VectorizeKernelsBase;

  void runOnOperation() override;
  LogicalResult lower(linalg::GenericOp op, const TargetInfo &target);

  /// Nanoseconds that one thread takes, where several may share the kernel.
  double work = 0;
  /// Fills that went into the reduction after them.
  SmallPtrSet<Operation *, 4> folded;
};

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
  SmallVector<linalg::GenericOp> generics = collectGenerics(getOperation());
  for (linalg::GenericOp op : llvm::reverse(generics))
    if (!folded.contains(op) && failed(lower(op, *target)))
      return signalPassFailure();
  if (work > 0)
    getOperation()->setAttr(workAttrName,
                            OpBuilder(&getContext()).getI64IntegerAttr(work));
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

  if (plan.kind != NestKind::Map)
    if (Operation *fill = foldFill(*nest))
      folded.insert(fill);
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
