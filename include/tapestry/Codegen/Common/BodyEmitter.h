//===- BodyEmitter.h - Evaluate a linalg body on vectors --------*- C++ -*-===//
//
// Builds the body of a linalg.generic operation by operation, on scalars where
// all inputs are scalars and on vectors elsewhere. In a tile of rows x columns
// of vectors, what does not change with the row or the column is built once.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_BODYEMITTER_H
#define TAPESTRY_CODEGEN_COMMON_BODYEMITTER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "tapestry/Codegen/Common/IndexBuilder.h"
#include <functional>

namespace tapestry {

/// `value` in every lane; vectors pass through.
mlir::Value broadcastTo(IndexBuilder &b, mlir::Value value, unsigned lanes);

/// A copy of `op` on these operands, on vectors of `lanes` when any is one.
/// Float arithmetic may be contracted to FMAs; maximum and minimum need not
/// tell the zeros apart.
mlir::Value cloneOnVectors(IndexBuilder &b, mlir::Operation *op,
                           mlir::ValueRange operands, unsigned lanes);

/// Where a body is evaluated, as the tile's row and vector column.
struct Site {
  unsigned row = 0, column = 0;
};

class BodyEmitter {
public:
  /// Gives the value of a block argument or of a linalg.index at a site.
  using ArgumentFn = llvm::function_ref<mlir::Value(unsigned argument, Site)>;
  using IndexFn = llvm::function_ref<mlir::Value(unsigned dim, Site)>;
  /// Reads what a load of the body reads, at these indices; a vector where one
  /// of them is.
  using LoadFn =
      std::function<mlir::Value(mlir::Operation *load, mlir::ValueRange)>;
  /// How arguments and loop indices vary over the tile.
  struct Variance {
    bool row = false, column = false;
  };

  BodyEmitter(IndexBuilder &b, mlir::Block &body, unsigned lanes)
      : b(b), body(body), lanes(lanes) {}

  void setArgumentVariance(unsigned argument, Variance variance) {
    variances[body.getArgument(argument)] = variance;
  }
  void setLoad(LoadFn fn) { load = std::move(fn); }
  void setIndexVariance(unsigned dim, Variance variance) {
    indexVariances[dim] = variance;
  }

  /// Gives a value of the body, the same at all sites.
  void define(mlir::Value value, mlir::Value is) {
    built[Key(value.getAsOpaquePointer(), -1, -1, 0)] = is;
  }

  /// Forgets what was built; call when the insertion point leaves the scope of
  /// earlier values.
  void reset() { built.clear(); }

  /// The value of `value`, defined in the body or captured, at `site`; a
  /// scalar where all that it depends on is scalar.
  mlir::Value evaluate(mlir::Value value, Site site, ArgumentFn argument,
                       IndexFn index);
  /// The same in every lane of a vector.
  mlir::Value evaluateVector(mlir::Value value, Site site, ArgumentFn argument,
                             IndexFn index);

private:
  Variance varianceOf(mlir::Value value);

  IndexBuilder &b;
  mlir::Block &body;
  unsigned lanes;
  LoadFn load;
  llvm::DenseMap<mlir::Value, Variance> variances;
  llvm::DenseMap<unsigned, Variance> indexVariances;
  /// Value, row or -1, column or -1, as vector.
  using Key = std::tuple<void *, int, int, int>;
  llvm::DenseMap<Key, mlir::Value> built;
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_BODYEMITTER_H
