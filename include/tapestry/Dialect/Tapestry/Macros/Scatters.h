//===- Scatters.h - Values combined where data say --------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_MACROS_SCATTERS_H
#define TAPESTRY_DIALECT_TAPESTRY_MACROS_SCATTERS_H

#include "tapestry/Dialect/Tapestry/Macros/Macros.h"

namespace tapestry::teg {

/// A tensor of integers that names the places along one dimension of a result.
struct ScatterPlace {
  mlir::Value tensor;
  /// From all labels to those that it is read at.
  mlir::AffineMap map;
  int64_t dim;
  /// Where a place may lie outside.
  std::optional<CheckedIndex> checked = {};
};

/// Values that are combined where places name.
struct ScatterUse {
  llvm::StringRef name;
  /// Those of the result, in its order, then those of the points.
  llvm::SmallVector<ScalarLabel> labels;
  unsigned rank;
  mlir::Value values;
  /// From all labels to those that the values are read at.
  mlir::AffineMap map;
  /// A custom one is left to `buildCustomMonoid`.
  tapestry::Monoid monoid;
  /// Instead of a monoid: one that reduces labels, here the points. Of a mean
  /// each value is the sum of `valueCount`; places are numbers of points, -1
  /// where there is none.
  std::optional<MacroKind> macro = {};
  int64_t valueCount = 1;
  /// Of a macro that compares: whether integers have no sign.
  bool isUnsigned = false;
  llvm::SmallVector<ScatterPlace> places;
  mlir::Type elementType;
};

/// The vertices that check the places, and those of the result, which is the
/// last one's: that of NAME, or of NAME.sum, NAME.one, NAME.count and NAME of a
/// mean, NAME.max, NAME.shift, NAME.exp, NAME.sum and NAME of logsumexp, and
/// NAME.max (or min), NAME.best, NAME.point, NAME.place and NAME of places.
mlir::Operation *buildScatter(mlir::OpBuilder &builder, mlir::Location loc,
                              const ScatterUse &use, IndexChecks &checks);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_MACROS_SCATTERS_H
