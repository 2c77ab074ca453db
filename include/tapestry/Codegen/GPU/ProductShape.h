//===- ProductShape.h - Nests that are products of matrices -----*- C++ -*-===//
//
// Which loops of a nest are the rows, the columns and the terms of a product,
// and how its operands lie in memory as matrices. Told from strides alone, on
// plain structs.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_GPU_PRODUCTSHAPE_H
#define TAPESTRY_CODEGEN_GPU_PRODUCTSHAPE_H

#include "tapestry/Codegen/Common/NestProblem.h"

namespace tapestry {

/// Which loops and inputs of a nest are what.
struct ProductShape {
  /// The inputs that rows and columns come from.
  int left = -1, right = -1;
  /// Those that both inputs have, or neither, are of the batch.
  llvm::SmallVector<unsigned> rows, columns, batch, terms;
};

/// Of a nest with one output, its last access, and without loads of its own:
/// where what depends on a reduced loop is two inputs, which have parallel
/// loops that the other lacks. Columns are where results lie side by side.
std::optional<ProductShape> findProductShape(const NestProblem &problem);

/// Whether rows and columns are so many that each element that was fetched
/// serves several results, and terms, too.
bool isWorthFetching(const NestProblem &problem, const ProductShape &shape);

/// A product of matrices whose rows, or columns, lie side by side in memory,
/// one per batch.
struct MatrixProduct {
  /// The inputs, `left` times `right`.
  unsigned left = 0, right = 0;
  unsigned row = 0, column = 0, term = 0;
  /// The loop over the products of one call; -1 where there is one.
  int batch = -1;
  /// Loops over calls.
  llvm::SmallVector<unsigned, 2> calls;
  /// Whether columns rather than rows lie side by side.
  bool leftTransposed = false, rightTransposed = false;

  /// The loop from one row, or column, to the next.
  unsigned leftPitch() const { return leftTransposed ? term : row; }
  unsigned rightPitch() const { return rightTransposed ? column : term; }
};

/// The product with the largest matrices that serves all of `shape`; none where
/// elements do not lie so. Loops of rows and columns that do not become one
/// with others are loops over matrices, and where several of these are left,
/// over calls, of which there are at most `mostCalls`.
std::optional<MatrixProduct> findMatrixProduct(const NestProblem &problem,
                                               const ProductShape &shape,
                                               int64_t mostCalls);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_GPU_PRODUCTSHAPE_H
