//===- ElementaryFunctions.h - exp, log, tanh and others --------*- C++ -*-===//
//
// Functions of f32 and, but for log and erf, of f64, within one unit in the
// last place on every argument, with or without fused multiply-adds: signs of
// zeros, subnormal numbers, infinities and NaN included. docs/Accuracy.md has
// the largest errors.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_ELEMENTARYFUNCTIONS_H
#define TAPESTRY_LIB_CODEGEN_CPU_ELEMENTARYFUNCTIONS_H

#include "FloatEmitter.h"

namespace tapestry {

mlir::Value emitExp(FloatEmitter &f, mlir::Value x);
mlir::Value emitExpM1(FloatEmitter &f, mlir::Value x);
mlir::Value emitTanh(FloatEmitter &f, mlir::Value x);
/// 1 / (1 + exp(-x))
mlir::Value emitSigmoid(FloatEmitter &f, mlir::Value x);
mlir::Value emitReciprocalRoot(FloatEmitter &f, mlir::Value x);
/// x to a constant power but 0.
mlir::Value emitPower(FloatEmitter &f, mlir::Value x, int64_t exponent);

/// Of f32 only.
mlir::Value emitLog(FloatEmitter &f, mlir::Value x);
mlir::Value emitErf(FloatEmitter &f, mlir::Value x);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_ELEMENTARYFUNCTIONS_H
