//===- PointLauncher.h - Points of a nest, by several threads ---*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_GPU_POINTLAUNCHER_H
#define TAPESTRY_LIB_CODEGEN_GPU_POINTLAUNCHER_H

#include "VectorMap.h"

namespace tapestry {

class PointLauncher : public NestLauncher {
public:
  using NestLauncher::NestLauncher;

protected:
  /// Computes as thread `own` of `all`: every so many-th of the first `vectors`
  /// of `map`, then every so many-th point behind those. What is reduced is a
  /// loop of the thread.
  void computePoints(VectorMap &map, mlir::OpFoldResult vectors,
                     mlir::OpFoldResult own, mlir::OpFoldResult all);
  /// Adds what is reduced at a point to the results there, by all threads of a
  /// block, of which each has a sum of its own; the first stores.
  void sumUp(const NestPoint &point, int64_t threads);
  /// Those without a result at each point of what is reduced.
  llvm::SmallVector<unsigned> summedOutputs() const;

private:
  IndexList reduce(const NestPoint &point, llvm::ArrayRef<unsigned> loops,
                   mlir::ValueRange sums);
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_GPU_POINTLAUNCHER_H
