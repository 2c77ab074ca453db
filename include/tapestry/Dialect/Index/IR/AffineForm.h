//===- AffineForm.h - Affine expressions as linear forms --------*- C++ -*-===//
//
// Converts between mlir::AffineExpr and the linear form `ProjectionDim` of
// tapestry/Support, and prints and parses it with names for its dimensions:
// `2 * i + j - 1`.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_INDEX_IR_AFFINEFORM_H
#define TAPESTRY_DIALECT_INDEX_IR_AFFINEFORM_H

#include "mlir/IR/AffineMap.h"
#include "tapestry/Support/Projection.h"

namespace tapestry::index {

/// The linear form of `expr` (shape and stride 1). Fails on floordiv, ceildiv,
/// mod, a product of dimensions, a symbol, or a coefficient that leaves 64
/// bits.
mlir::FailureOr<ProjectionDim> getLinearForm(mlir::AffineExpr expr);

/// The linear forms of all results of `map`; fails as `getLinearForm` does.
mlir::FailureOr<Projection> getLinearForms(mlir::AffineMap map);

/// The affine expression of a region's start.
mlir::AffineExpr getAffineExpr(const ProjectionDim &dim,
                               mlir::MLIRContext *context);

/// The map of the starts of `projection` from an index space of `indexRank`
/// dimensions.
mlir::AffineMap getStartMap(const Projection &projection, unsigned indexRank,
                            mlir::MLIRContext *context);

/// Prints a linear form, e.g. "2 * i + j - 1", "0".
void printLinearForm(llvm::raw_ostream &os, const ProjectionDim &dim,
                     llvm::function_ref<void(unsigned)> printDim);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_AFFINEFORM_H
