//===- MapKernels.cpp - Operations on buffers to launches -----------------===//
//
// For each operation: read the nest, choose, emit.
//
//===----------------------------------------------------------------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Generics.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_MAPKERNELS
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

struct MapKernels : public impl::MapKernelsBase<MapKernels> {
  using MapKernelsBase::MapKernelsBase;

  void runOnOperation() override;
  LogicalResult lower(linalg::GenericOp op);
  LogicalResult lowerRows();
  LogicalResult serialize(Operation *loop);

  /// Fills that went into the reduction after them.
  SmallPtrSet<Operation *, 4> folded;
};

/// Loops of a kernel that touch single elements; loops over launches do not.
SmallVector<Operation *> findElementLoops(func::FuncOp function) {
  SmallVector<Operation *> found;
  if (!isKernel(function))
    return found;
  for (Operation &op : function.front().without_terminator()) {
    if (isa<linalg::LinalgOp, gpu::LaunchOp>(op) || op.getNumRegions() == 0)
      continue;
    bool touches = op.walk([](Operation *inner) {
                       if (isa<linalg::LinalgOp>(inner))
                         return WalkResult::skip();
                       return isa<memref::LoadOp, memref::StoreOp>(inner)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     }).wasInterrupted();
    if (touches)
      found.push_back(&op);
  }
  return found;
}

void MapKernels::runOnOperation() {
  func::FuncOp function = getOperation();
  if (function.isDeclaration() || !isDeviceCode(function) ||
      isHostCode(function))
    return;
  folded.clear();
  if (failed(lowerRows()))
    return signalPassFailure();
  for (Operation *loop : findElementLoops(function)) {
    IndexBuilder b(loop->getLoc(), function);
    b.setInsertionPoint(loop);
    if (emitScatter(b, loop))
      ++numScatters;
    else if (failed(serialize(loop)))
      return signalPassFailure();
  }
  // Backwards, so that a fill is still there when its reader is lowered.
  SmallVector<linalg::GenericOp> generics = collectGenerics(function);
  for (linalg::GenericOp op : llvm::reverse(generics))
    if (!folded.contains(op) && failed(lower(op)))
      return signalPassFailure();
}

LogicalResult MapKernels::lowerRows() {
  SmallVector<Operation *> loops;
  for (Operation &op : getOperation().front())
    if (isRowLoop(&op))
      loops.push_back(&op);
  for (Operation *loop : loops) {
    IndexBuilder b(loop->getLoc(), getOperation());
    b.setInsertionPoint(loop);
    ++numRows;
    if (failed(emitRows(b, loop)))
      return failure();
  }
  return success();
}

/// One thread does it all, in order.
LogicalResult MapKernels::serialize(Operation *loop) {
  IRRewriter rewriter(&getContext());
  for (linalg::GenericOp op : collectGenerics(loop)) {
    rewriter.setInsertionPoint(op);
    if (failed(linalg::linalgOpToLoops(rewriter, op)))
      return op.emitError("cannot be lowered to loops");
    rewriter.eraseOp(op);
  }
  ++numSerial;
  OpBuilder b(loop);
  Value one = arith::ConstantIndexOp::create(b, loop->getLoc(), 1);
  auto launch =
      gpu::LaunchOp::create(b, loop->getLoc(), one, one, one, one, one, one);
  Block &body = launch.getBody().front();
  b.setInsertionPointToEnd(&body);
  auto end = gpu::TerminatorOp::create(b, loop->getLoc());
  loop->moveBefore(end);
  return success();
}

LogicalResult MapKernels::lower(linalg::GenericOp op) {
  IndexBuilder b(op.getLoc(), getOperation());
  b.setInsertionPoint(op);
  FailureOr<Nest> nest = Nest::analyze(op);
  if (failed(nest)) {
    ++numPlain;
    if (failed(emitPlain(b, op)))
      return failure();
    op.erase();
    return success();
  }
  if (op.getNumReductionLoops() > 0)
    if (Operation *fill = foldFill(*nest))
      folded.insert(fill);
  b.setInsertionPoint(op);
  nest->materialize(b);
  if (wantsTile(*nest)) {
    ++numTiled;
    emitTile(b, *nest);
  } else if (wantsBlocks(*nest)) {
    ++numBlocks;
    emitBlockReduction(b, *nest);
  } else {
    ++numPoints;
    emitPoints(b, *nest);
  }
  op.erase();
  return success();
}

} // namespace
} // namespace tapestry
