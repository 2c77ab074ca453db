//===- NarrowFloats.h - Rounding f64 to the 16-bit floats -------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_NARROWFLOATS_H
#define TAPESTRY_LIB_CODEGEN_CPU_NARROWFLOATS_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tapestry {

/// Adds the patterns that round f64 to f16 and bf16 by way of f32, once: no
/// processor here does it in one step, and the library functions that LLVM
/// would call are not everywhere.
void populateNarrowFloatPatterns(mlir::RewritePatternSet &patterns);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_NARROWFLOATS_H
