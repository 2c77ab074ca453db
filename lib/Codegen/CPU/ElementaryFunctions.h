//===- ElementaryFunctions.h - exp, log, tanh and others --------*- C++ -*-===//
//
// Functions of f32 and of f64, within one unit in the
// last place on every argument, with or without fused multiply-adds: signs of
// zeros, subnormal numbers, infinities and NaN included. docs/Accuracy.md has
// the largest errors.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CODEGEN_CPU_ELEMENTARYFUNCTIONS_H
#define TAPESTRY_LIB_CODEGEN_CPU_ELEMENTARYFUNCTIONS_H

#include "tapestry/Codegen/CPU/FloatEmitter.h"

namespace tapestry {

mlir::Value emitExp(FloatEmitter &f, mlir::Value x);
mlir::Value emitExpM1(FloatEmitter &f, mlir::Value x);
mlir::Value emitLog(FloatEmitter &f, mlir::Value x);
mlir::Value emitErf(FloatEmitter &f, mlir::Value x);
mlir::Value emitSin(FloatEmitter &f, mlir::Value x);
mlir::Value emitCos(FloatEmitter &f, mlir::Value x);
mlir::Value emitTanh(FloatEmitter &f, mlir::Value x);
/// 1 / (1 + exp(-x))
mlir::Value emitSigmoid(FloatEmitter &f, mlir::Value x);
mlir::Value emitReciprocalRoot(FloatEmitter &f, mlir::Value x);
/// x to a constant power but 0.
mlir::Value emitPower(FloatEmitter &f, mlir::Value x, int64_t exponent);

/// exp(x) - 1 for x that keeps exp(x) a normal number.
FloatPair emitExpM1Pair(FloatEmitter &f, mlir::Value x);

// Of f64 only.
/// exp(x) * 2^exponent for |x| <= log(2) / 2 and a whole exponent.
mlir::Value emitExpOf(FloatEmitter &f, FloatPair x, mlir::Value exponent);
/// exp(x) / 4 for 0 <= x <= 710.6.
FloatPair emitQuarterExp(FloatEmitter &f, mlir::Value x);
mlir::Value emitTan(FloatEmitter &f, mlir::Value x);
mlir::Value emitWideLog(FloatEmitter &f, mlir::Value x);
mlir::Value emitWideErf(FloatEmitter &f, mlir::Value x);
mlir::Value emitLog2(FloatEmitter &f, mlir::Value x);
mlir::Value emitLog10(FloatEmitter &f, mlir::Value x);
mlir::Value emitLog1p(FloatEmitter &f, mlir::Value x);
mlir::Value emitExp2(FloatEmitter &f, mlir::Value x);
mlir::Value emitSinh(FloatEmitter &f, mlir::Value x);
mlir::Value emitCosh(FloatEmitter &f, mlir::Value x);
mlir::Value emitCbrt(FloatEmitter &f, mlir::Value x);
mlir::Value emitAsin(FloatEmitter &f, mlir::Value x);
mlir::Value emitAcos(FloatEmitter &f, mlir::Value x);
mlir::Value emitAtan(FloatEmitter &f, mlir::Value x);
mlir::Value emitAtan2(FloatEmitter &f, mlir::Value y, mlir::Value x);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_CPU_ELEMENTARYFUNCTIONS_H
