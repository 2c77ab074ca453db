//===- EmitPoints.cpp - A thread, or a block, per result ------------------===//
//
// What is reduced is a loop of the thread. Where few results reduce much, a
// block shares it: each thread has a sum of its own, and these are combined.
//
//===----------------------------------------------------------------------===//

#include "VectorMap.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tapestry {
namespace {

class PointEmitter : public NestLauncher {
public:
  using NestLauncher::NestLauncher;

  void emit();

private:
  IndexList reduce(const NestPoint &point, ArrayRef<unsigned> loops,
                   ValueRange sums);
};

/// The loops that are reduced, in the operation's order: scans need it.
PointEmitter::IndexList PointEmitter::reduce(const NestPoint &point,
                                             ArrayRef<unsigned> loops,
                                             ValueRange sums) {
  if (loops.empty())
    return compute(point, sums);
  return loop(b.index(0), nest.extents[loops.front()], b.index(1), sums,
              [&](OpFoldResult iv, ValueRange carried) {
                return reduce(nest.advance(b, point, loops.front(), iv),
                              loops.drop_front(), carried);
              });
}

void PointEmitter::emit() {
  SmallVector<unsigned> parallel = loopsOf(/*reduction=*/false), reduced;
  for (auto [number, dim] : llvm::enumerate(nest.problem.dims))
    if (dim.reduction)
      reduced.push_back(number);
  OpFoldResult points = product(extentsOf(parallel));
  VectorMap map(b, nest, parallel);
  int64_t lanes = map.getLanes();
  OpFoldResult vectors = lanes > 1 ? map.countVectors(points) : b.index(0);
  OpFoldResult blocks = b.min(b.ceilDiv(points, b.index(blockThreads * lanes)),
                              b.index(mostBlocks));
  begin(blocks, blockThreads);
  OpFoldResult own = b.add(b.mul(block, b.index(blockThreads)), thread);
  OpFoldResult step = b.mul(blocks, b.index(blockThreads));
  OpFoldResult first = own;
  if (lanes > 1) {
    loop(own, vectors, step, [&](OpFoldResult vector) { map.compute(vector); });
    first = b.add(b.mul(vectors, b.index(lanes)), own);
  }
  loop(first, points, step, [&](OpFoldResult number) {
    NestPoint point = moveTo(nest.origin(b), parallel, number);
    SmallVector<Value> sums;
    SmallVector<unsigned> summed;
    for (unsigned output = 0; output < nest.outputs.size(); ++output)
      if (!isStored(output)) {
        summed.push_back(output);
        sums.push_back(nest.outputs[output].accumulates || !reduced.empty()
                           ? startOf(output, point)
                           : Value());
      }
    for (auto [output, value] :
         llvm::zip_equal(summed, reduce(point, reduced, sums)))
      storeAt(value, operandOf(output), point.offset[operandOf(output)]);
  });
  end();
}

class BlockEmitter : public NestLauncher {
public:
  using NestLauncher::NestLauncher;

  void emit();

private:
  SmallVector<unsigned> summed, reduced;
};

void BlockEmitter::emit() {
  SmallVector<unsigned> parallel = loopsOf(/*reduction=*/false);
  reduced = loopsOf(/*reduction=*/true);
  for (unsigned output = 0; output < nest.outputs.size(); ++output)
    if (!isStored(output))
      summed.push_back(output);
  OpFoldResult points = product(extentsOf(parallel));
  OpFoldResult terms = product(extentsOf(reduced));
  OpFoldResult blocks = b.min(points, b.index(mostBlocks));
  begin(blocks, blockThreads);
  loop(block, points, blocks, [&](OpFoldResult number) {
    NestPoint point = moveTo(nest.origin(b), parallel, number);
    SmallVector<Value> identities;
    for (unsigned output : summed)
      identities.push_back(identityOfOutput(output));
    IndexList sums =
        loop(thread, terms, b.index(blockThreads), identities,
             [&](OpFoldResult term, ValueRange carried) {
               return compute(moveTo(point, reduced, term), carried);
             });
    IndexList all = combineThreads(summed, sums, blockThreads);
    onlyIf(isLess(thread, b.index(1)), [&] {
      for (auto [output, value] : llvm::zip_equal(summed, all))
        storeAt(combine(output, startOf(output, point), value),
                operandOf(output), point.offset[operandOf(output)]);
    });
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
