//===- LegalizeMath.h - Math operations that LLVM can take ------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_LEGALIZEMATH_H
#define TAPESTRY_LIB_CODEGEN_CPU_LEGALIZEMATH_H

namespace llvm {
struct LogicalResult;
} // namespace llvm
namespace mlir {
class Operation;
} // namespace mlir

namespace tapestry {

/// Brings the math operations in `root` to types for which MLIR has a lowering:
/// f32 in place of bf16 and narrower floats, vectors of one dimension, and
/// scalars where only libm has the function. Fails with a message where the
/// number of elements is unknown.
llvm::LogicalResult legalizeMath(mlir::Operation *root);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_LEGALIZEMATH_H
