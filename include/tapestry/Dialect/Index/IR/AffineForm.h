//===- AffineForm.h - Affine expressions as linear forms --------*- C++ -*-===//
//
// Converts between mlir::AffineExpr and the form `ProjectionDim` of
// tapestry/Support, and prints it with names for its dimensions:
// `2 * i + j - 1`, `(i + 1) mod 8`.
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

/// The same of an expression that may be divided and wrapped around by positive
/// constants: (linear form) floordiv d mod m, with either or neither. What can
/// be brought into that form is: a mod before a division, sums behind one.
mlir::FailureOr<ProjectionDim> getSubscript(mlir::AffineExpr expr);

/// The subscripts of all results of `map`; fails as `getSubscript` does.
mlir::FailureOr<Projection> getSubscripts(mlir::AffineMap map);

/// `map`, simplified, with each subscript that divides or wraps around in the
/// form that getAffineExpr gives it, which upstream's simplification takes
/// apart.
mlir::AffineMap canonicalSubscripts(mlir::AffineMap map);

/// The affine expression of a region's start; of folds it knows mod alone, what
/// others fold is left as it is.
mlir::AffineExpr getAffineExpr(const ProjectionDim &dim,
                               mlir::MLIRContext *context);

/// The map of the starts of `projection` from an index space of `indexRank`
/// dimensions.
mlir::AffineMap getStartMap(const Projection &projection, unsigned indexRank,
                            mlir::MLIRContext *context);

/// The fold that an entry among an operator's pads names, unless it is none.
std::optional<Fold> foldOf(mlir::Attribute pad);

/// Prints a subscript, e.g. "2 * i + j - 1", "0", "(i + 1) mod 8",
/// "(i floordiv 4) mod 8"; every caller is able to parse it as an affine
/// expression.
void printSubscript(llvm::raw_ostream &os, const ProjectionDim &dim,
                    llvm::function_ref<void(unsigned)> printDim);

/// Prints the linear form alone.
void printLinearForm(llvm::raw_ostream &os, const ProjectionDim &dim,
                     llvm::function_ref<void(unsigned)> printDim);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_IR_AFFINEFORM_H
