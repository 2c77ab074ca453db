//===- SplitLoops.cpp - Loops over rows on several threads ----------------===//

#include "SplitLoops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/CPU/NestPlan.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/ExpectedSizes.h"
#include "tapestry/Codegen/Common/IndexBuilder.h"
#include "tapestry/Codegen/Common/Nest.h"
#include "tapestry/Dialect/Index/IR/IndexShare.h"

using namespace mlir;

namespace tapestry {

/// Passes of a loop that is shared evenly enough among any threads.
constexpr int64_t manyPasses = 16;
/// What is assumed of loops whose bounds depend on data.
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

/// As often as most devices run it; none where that is not known.
static std::optional<int64_t> expectedPasses(scf::ForOp loop) {
  std::optional<int64_t> from = expectedValue(loop.getLowerBound());
  std::optional<int64_t> to = expectedValue(loop.getUpperBound());
  std::optional<int64_t> step = expectedValue(loop.getStep());
  if (!from || !to || !step || *step <= 0)
    return std::nullopt;
  return std::max<int64_t>(llvm::divideCeilSigned(*to - *from, *step), 0);
}

static double nanosecondsOf(scf::ForOp loop, const TargetInfo &target) {
  double sum = 0;
  for (Operation &op : *loop.getBody()) {
    if (auto inner = dyn_cast<scf::ForOp>(op))
      sum += nanosecondsOf(inner, target);
    if (auto generic = dyn_cast<linalg::GenericOp>(op))
      if (FailureOr<Nest> nest = Nest::analyze(generic); succeeded(nest))
        sum += planNest(nest->problem, target).nanoseconds;
  }
  return sum * expectedPasses(loop).value_or(assumedPasses);
}

/// The loop that has the most passes, or the outermost with many; null where
/// none has two.
static scf::ForOp chooseLoop(scf::ForOp outermost) {
  scf::ForOp best;
  int64_t most = 1;
  for (scf::ForOp loop = outermost; loop;) {
    int64_t passes = expectedPasses(loop).value_or(0);
    if (!loop->hasAttr(parallelAttrName) || passes == 0)
      break;
    if (passes > most) {
      best = loop;
      most = passes;
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
  OpFoldResult last = getAsOpFoldResult(loop.getUpperBound());
  OpFoldResult step = getAsOpFoldResult(loop.getStep());
  OpFoldResult passes = b.ceilDiv(b.max(b.sub(last, first), b.index(0)), step);
  auto share = index::ShareOp::create(b, b.value(passes));
  OpFoldResult begin = b.add(first, b.mul(share.getBegin(), step));
  OpFoldResult end = b.add(first, b.mul(share.getEnd(), step));
  loop.setLowerBound(b.value(begin));
  loop.setUpperBound(b.value(b.min(end, last)));
  return nanoseconds;
}

} // namespace tapestry
