//===- Trigonometry.h - sin, cos and tan of reduced angles ------*- C++ -*-===//

#ifndef TAPESTRY_CODEGEN_CPU_TRIGONOMETRY_H
#define TAPESTRY_CODEGEN_CPU_TRIGONOMETRY_H

#include "tapestry/Codegen/CPU/FloatEmitter.h"

namespace tapestry {

/// rest + quarters * pi / 2 with |rest| <= pi / 4; only the lowest two bits of
/// `quarters`, an integer as wide as the floats, count.
struct ReducedAngle {
  FloatPair rest;
  mlir::Value quarters;
};

/// The sine of an angle that is moved on by so many quarters of a turn.
mlir::Value emitSineOf(FloatEmitter &f, const ReducedAngle &angle,
                       int64_t moved);
mlir::Value emitTanOf(FloatEmitter &f, const ReducedAngle &angle);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_CPU_TRIGONOMETRY_H
