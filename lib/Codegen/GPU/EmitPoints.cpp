//===- EmitPoints.cpp - A thread, or a block, per result ------------------===//
//
// What is reduced is a loop of the thread. Where few results reduce much, a
// block shares it: each thread has a sum of its own, and these are combined.
//
//===----------------------------------------------------------------------===//

#include "PointLauncher.h"

using namespace mlir;

namespace tapestry {
namespace {

class PointEmitter : public PointLauncher {
public:
  using PointLauncher::PointLauncher;

  void emit();
};

void PointEmitter::emit() {
  SmallVector<unsigned> parallel = loopsOf(/*reduction=*/false);
  VectorMap map(b, nest, parallel);
  OpFoldResult points = product(extentsOf(parallel));
  OpFoldResult vectors = map.countVectors(points);
  auto [own, step] = beginGrid(points, map.getLanes());
  computePoints(map, vectors, own, step);
  end();
}

class BlockEmitter : public PointLauncher {
public:
  using PointLauncher::PointLauncher;

  void emit();
};

void BlockEmitter::emit() {
  SmallVector<unsigned> parallel = loopsOf(/*reduction=*/false);
  OpFoldResult points = product(extentsOf(parallel));
  OpFoldResult blocks = b.min(points, b.index(mostBlocks));
  begin(blocks, blockThreads);
  loop(block, points, blocks, [&](OpFoldResult number) {
    sumUp(moveTo(nest.origin(b), parallel, number), blockThreads);
    // What is shared is written again.
    barrier();
  });
  end();
}

} // namespace

void emitPoints(IndexBuilder &b, Nest &nest) { PointEmitter(b, nest).emit(); }

void emitBlockReduction(IndexBuilder &b, Nest &nest) {
  BlockEmitter(b, nest).emit();
}

/// Where each thread would read a line of its own, or most threads had nothing
/// to do.
bool wantsBlocks(const Nest &nest) {
  const NestProblem &problem = nest.problem;
  if (!problem.lanesCombine || problem.keepsOrder || problem.isScan)
    return false;
  bool sums = false;
  for (const OutputBody &output : nest.outputs) {
    sums |= output.accumulates;
    if (output.accumulates && !output.combine)
      return false;
  }
  constexpr int64_t fewResults = 16384, manyTerms = 64, mostTerms = 2048;
  int64_t results = 1, terms = 1;
  bool isAlongLine = false;
  for (auto [loop, dim] : llvm::enumerate(problem.dims)) {
    int64_t &count = dim.reduction ? terms : results;
    count = std::min<int64_t>(count * std::max<int64_t>(dim.extent, 1),
                              int64_t(1) << 40);
    if (dim.reduction)
      for (const NestAccess &access : problem.accesses)
        isAlongLine |= !access.output && access.strides[loop] == 1;
  }
  return sums && terms >= manyTerms &&
         (isAlongLine || (results < fewResults && terms >= mostTerms));
}

} // namespace tapestry
