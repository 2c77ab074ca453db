//===- NarrowFloats.h - Rounding to the 16-bit floats once ------*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_NARROWFLOATS_H
#define TAPESTRY_LIB_CODEGEN_CPU_NARROWFLOATS_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tapestry {

/// Adds the patterns that round f64 to f16 and bf16 by way of f32, once: no
/// processor here does it in one step, and the library functions that LLVM
/// would call are not everywhere. The same of bf16 to f64.
void populateNarrowFloatPatterns(mlir::RewritePatternSet &patterns);

/// Adds the patterns that round i32 and i64 to bf16 once, in place of
/// emulations that round them to f32 first.
void populateNarrowIntegerPatterns(mlir::RewritePatternSet &patterns);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_NARROWFLOATS_H
