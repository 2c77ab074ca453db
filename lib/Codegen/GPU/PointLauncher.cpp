//===- PointLauncher.cpp - Points of a nest, by several threads -----------===//

#include "PointLauncher.h"

using namespace mlir;

namespace tapestry {

SmallVector<unsigned> PointLauncher::summedOutputs() const {
  SmallVector<unsigned> summed;
  for (unsigned output = 0; output < nest.outputs.size(); ++output)
    if (!isStored(output))
      summed.push_back(output);
  return summed;
}

/// The loops that are reduced, in the operation's order: scans need it.
PointLauncher::IndexList PointLauncher::reduce(const NestPoint &point,
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

void PointLauncher::computePoints(VectorMap &map, OpFoldResult vectors,
                                  OpFoldResult own, OpFoldResult all) {
  SmallVector<unsigned> parallel = loopsOf(/*reduction=*/false), reduced;
  for (auto [number, dim] : llvm::enumerate(nest.problem.dims))
    if (dim.reduction)
      reduced.push_back(number);
  OpFoldResult points = product(extentsOf(parallel)), first = own;
  if (int64_t lanes = map.getLanes(); lanes > 1) {
    loop(own, vectors, all, [&](OpFoldResult vector) { map.compute(vector); });
    first = b.add(b.mul(vectors, b.index(lanes)), own);
  }
  SmallVector<unsigned> summed = summedOutputs();
  loop(first, points, all, [&](OpFoldResult number) {
    NestPoint point = moveTo(nest.origin(b), parallel, number);
    SmallVector<Value> sums;
    for (unsigned output : summed)
      sums.push_back(nest.outputs[output].accumulates || !reduced.empty()
                         ? startOf(output, point)
                         : Value());
    for (auto [output, value] :
         llvm::zip_equal(summed, reduce(point, reduced, sums)))
      storeAt(value, operandOf(output), point.offset[operandOf(output)]);
  });
}

void PointLauncher::sumUp(const NestPoint &point, int64_t threads) {
  SmallVector<unsigned> summed = summedOutputs();
  SmallVector<unsigned> reduced = loopsOf(/*reduction=*/true);
  SmallVector<Value> identities;
  for (unsigned output : summed)
    identities.push_back(identityOfOutput(output));
  IndexList sums = loop(thread, product(extentsOf(reduced)), b.index(threads),
                        identities, [&](OpFoldResult term, ValueRange carried) {
                          return compute(moveTo(point, reduced, term), carried);
                        });
  if (summed.empty())
    return;
  IndexList all = combineThreads(summed, sums, threads);
  onlyIf(isLess(thread, b.index(1)), [&] {
    for (auto [output, value] : llvm::zip_equal(summed, all))
      storeAt(combine(output, startOf(output, point), value), operandOf(output),
              point.offset[operandOf(output)]);
  });
}

} // namespace tapestry
