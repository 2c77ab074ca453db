//===- RegionReads.h - What regions read of a tensor ------------*- C++ -*-===//
//
// Private to this folder. Subscripts are constants, or multiples of one label
// and a constant.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_CONVERSION_TRATOCOMM_REGIONREADS_H
#define TAPESTRY_LIB_CONVERSION_TRATOCOMM_REGIONREADS_H

#include "mlir/IR/Builders.h"
#include "tapestry/Support/Projection.h"

namespace tapestry {

struct RegionPoints {
  /// Per label the first point, and how many there are.
  llvm::SmallVector<mlir::Value> starts;
  llvm::SmallVector<mlir::OpFoldResult> sizes;
};

/// What a point, one value per label, reads along a dimension.
mlir::Value readAt(mlir::OpBuilder &b, mlir::Location loc,
                   const ProjectionDim &dim, llvm::ArrayRef<mlir::Value> point);
/// The least index that a region reads along a dimension: counting down, that
/// of its last point.
mlir::Value readStart(mlir::OpBuilder &b, mlir::Location loc,
                      const ProjectionDim &dim, const RegionPoints &region);
/// How many there are from that to the last.
mlir::OpFoldResult readSize(mlir::OpBuilder &b, mlir::Location loc,
                            const ProjectionDim &dim,
                            const RegionPoints &region);
llvm::SmallVector<mlir::OpFoldResult> readSizes(mlir::OpBuilder &b,
                                                mlir::Location loc,
                                                const Projection &read,
                                                const RegionPoints &region);
/// The subscripts in what begins at the least; null where a region of unknown
/// size is read from its end on.
mlir::AffineMap mapInto(mlir::OpBuilder &b, const Projection &read,
                        const RegionPoints &region);

} // namespace tapestry

#endif // TAPESTRY_LIB_CONVERSION_TRATOCOMM_REGIONREADS_H
