//===- SplitLoops.cpp - Loops over rows on several threads ----------------===//

#include "SplitLoops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/CPU/NestPlan.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/IndexBuilder.h"
#include "tapestry/Codegen/Common/Nest.h"
#include "tapestry/Dialect/Index/IR/IndexShare.h"

using namespace mlir;

namespace tapestry {

/// Passes of a loop that is shared evenly enough among any threads.
constexpr int64_t manyPasses = 16;
/// What is assumed of loops whose bounds depend on data or on other loops.
constexpr int64_t assumedPasses = 8;

Operation *onlyWork(func::FuncOp kernel) {
  Operation *found = nullptr;
  for (Operation &op : kernel.front().without_terminator()) {
    if (isa<memref::AllocOp, memref::DeallocOp>(op) || isMemoryEffectFree(&op))
      continue;
    if (found)
      return nullptr;
    found = &op;
  }
  return found;
}

static int64_t passesOf(scf::ForOp loop) {
  std::optional<llvm::APInt> count = loop.getStaticTripCount();
  return count ? count->getSExtValue() : assumedPasses;
}

/// Extents that are not known are those of a block of rows.
static double nanosecondsOf(linalg::GenericOp op, int64_t rows,
                            const TargetInfo &target) {
  FailureOr<Nest> nest = Nest::analyze(op);
  if (failed(nest))
    return 0;
  for (NestDim &dim : nest->problem.dims)
    if (!dim.known)
      dim = {rows, /*known=*/true, dim.reduction};
  return planNest(nest->problem, target).nanoseconds;
}

static double nanosecondsOf(scf::ForOp loop, const TargetInfo &target) {
  double sum = 0;
  int64_t rows = getConstantIntValue(loop.getStep()).value_or(1);
  for (Operation &op : *loop.getBody()) {
    if (auto inner = dyn_cast<scf::ForOp>(op))
      sum += nanosecondsOf(inner, target);
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      sum += nanosecondsOf(generic, rows, target);
  }
  return sum * passesOf(loop);
}

/// The loop that has the most passes, or the outermost with many; null where
/// none has two.
static scf::ForOp chooseLoop(scf::ForOp outermost) {
  scf::ForOp best;
  int64_t most = 1;
  for (scf::ForOp loop = outermost; loop;) {
    if (!loop->hasAttr(parallelAttrName) || !loop.getStaticTripCount())
      break;
    if (passesOf(loop) > most) {
      best = loop;
      most = passesOf(loop);
    }
    if (most >= manyPasses)
      break;
    auto inner = loop.getBody()->getOps<scf::ForOp>();
    loop = llvm::hasSingleElement(inner) ? *inner.begin() : nullptr;
  }
  return best;
}

double splitLoops(func::FuncOp kernel, const TargetInfo &target) {
  auto outermost = dyn_cast_or_null<scf::ForOp>(onlyWork(kernel));
  scf::ForOp loop = outermost ? chooseLoop(outermost) : nullptr;
  if (!loop)
    return 0;
  double nanoseconds = nanosecondsOf(outermost, target);
  if (nanoseconds < 2 * TAPESTRY_PART_NANOSECONDS)
    return 0;
  IndexBuilder b(loop.getLoc(), kernel);
  b.setInsertionPoint(outermost);
  OpFoldResult first = getAsOpFoldResult(loop.getLowerBound());
  OpFoldResult step = getAsOpFoldResult(loop.getStep());
  auto share = index::ShareOp::create(b, b.value(passesOf(loop)));
  loop.setLowerBound(b.value(b.add(first, b.mul(share.getBegin(), step))));
  loop.setUpperBound(b.value(b.min(b.add(first, b.mul(share.getEnd(), step)),
                                   getAsOpFoldResult(loop.getUpperBound()))));
  return nanoseconds;
}

} // namespace tapestry
