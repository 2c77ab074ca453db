//===- IndexSpaceRules.h - Rules of labels and subscripts -------*- C++ -*-===//
//
// What the operators with labels share. Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_INDEXSPACERULES_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_INDEXSPACERULES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include "tapestry/Support/Projection.h"

namespace tapestry::teg {

/// Labels are unique identifiers with one extent each, at least 0, whose
/// product fits into 62 bits.
[[nodiscard]] mlir::LogicalResult verifyLabels(mlir::Operation *op,
                                               mlir::ArrayAttr labels,
                                               llvm::ArrayRef<int64_t> extents);

/// The labels as BlockOpInterface gives them.
llvm::SmallVector<std::string> labelNamesOf(mlir::ArrayAttr labels);

/// Whether an indexing map is one from all labels.
[[nodiscard]] mlir::LogicalResult verifyMapSpace(mlir::Operation *op,
                                                 unsigned number,
                                                 mlir::AffineMap map,
                                                 size_t numLabels);

/// A subscript in the names of the labels.
std::string subscriptText(mlir::ArrayAttr labels, const ProjectionDim &dim);

/// Whether the layouts of what is read leave room for the arithmetic on them,
/// as layout_c1 asks: no subscript reaches 2^62. Coefficients of labels without
/// values count, too.
bool isWithinReach(const ProjectionDim &dim, llvm::ArrayRef<int64_t> extents);

/// The values that a subscript within reach takes over a non-empty index space.
ZRange imageOf(const ProjectionDim &dim, llvm::ArrayRef<int64_t> extents);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_INDEXSPACERULES_H
