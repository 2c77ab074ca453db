//===- VectorMap.h - Neighbouring points with one load ----------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_GPU_VECTORMAP_H
#define TAPESTRY_LIB_CODEGEN_GPU_VECTORMAP_H

#include "LaunchEmitter.h"

namespace tapestry {

/// Computes points of a nest that reduces nothing several at a time: what they
/// have side by side is loaded and stored with one instruction.
class VectorMap : public NestLauncher {
public:
  /// Finds out how many points along the last of `loops`, the fastest.
  VectorMap(IndexBuilder &b, Nest &nest, llvm::ArrayRef<unsigned> loops);

  /// 1 where it is not worth it.
  int64_t getLanes() const { return lanes; }
  /// Of `points` the number of whole vectors, 0 where it is not worth it or
  /// some buffer does not begin where a vector may.
  mlir::OpFoldResult countVectors(mlir::OpFoldResult points);
  /// Computes vector number `vector`.
  void compute(mlir::OpFoldResult vector);

private:
  bool fits(int64_t count) const;
  /// Whether an operand has an element for each point of a vector.
  bool isAlong(unsigned operand) const;
  int64_t bytesOf(unsigned operand) const;

  llvm::SmallVector<unsigned> loops;
  int64_t lanes = 1;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_GPU_VECTORMAP_H
