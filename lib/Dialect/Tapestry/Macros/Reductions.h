//===- Reductions.h - What reductions of all kinds share --------*- C++ -*-===//
//
// Private to this folder: what the einsums of a macro compute, and the vertices
// of the same one between scatters.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_MACROS_REDUCTIONS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_MACROS_REDUCTIONS_H

#include "tapestry/Dialect/Tapestry/Macros/Macros.h"

namespace tapestry::teg {

/// A float, or 0 where it is infinite or NaN.
mlir::Value finiteOrZero(ScalarBuilder &b, mlir::Value value);

/// Whether a value is the extreme one of all. A NaN is, and equals none.
mlir::Value isExtreme(ScalarBuilder &b, mlir::Value value, mlir::Value extreme);

/// In which the numbers of points are: 32 bits where these hold them, which is
/// twice as many at a time. The greatest value is no point.
mlir::IntegerType placeType(mlir::OpBuilder &builder,
                            llvm::ArrayRef<ScalarLabel> points);

/// The number of a point among those of `points`, in row-major order.
mlir::Value placeOfPoint(ScalarBuilder &b, mlir::IntegerType type,
                         llvm::ArrayRef<ScalarLabel> points);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_MACROS_REDUCTIONS_H
