//===- BufferPointers.h - Buffers as the pointers to them -------*- C++ -*-===//
//
// A buffer without gaps is known by its address and the sizes that its type
// leaves open; spelled out it is two pointers, an offset, all sizes and all
// strides.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_BUFFERPOINTERS_H
#define TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_BUFFERPOINTERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tapestry {

/// What bufferAt() made `memref` of; null if it did not.
mlir::Value pointerMadeInto(mlir::Value memref);

/// Where the elements of `memref` begin.
mlir::Value pointerTo(mlir::OpBuilder &b, mlir::Location loc,
                      mlir::Value memref);

/// The buffer of `type`, which has no gaps, at `pointer`; `sizes` are those
/// that the type leaves open.
mlir::Value bufferAt(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value pointer, mlir::MemRefType type,
                     mlir::ValueRange sizes);

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_COMMTORUNTIME_BUFFERPOINTERS_H
