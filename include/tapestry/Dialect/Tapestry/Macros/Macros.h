//===- Macros.h - softmax, norms, means, gathers and scans ------*- C++ -*-===//
//
// What front ends share: a scalar expression over labels becomes one einsum, or
// those of a macro. Softmax is as in the EinDecomp paper (section 3): maximum,
// exponential of the difference, sum, quotient. Sums of types narrower than f32
// are kept in f32, since a sum of squares soon leaves the range of f16.
//
// A sub-program that front ends name themselves is a `tapestry.graph` that
// `tapestry.call` calls.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROS_H
#define TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROS_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Dialect/Tapestry/Macros/MacroKind.h"
#include "tapestry/Dialect/Tapestry/Macros/ScalarBuilder.h"
#include <functional>

namespace tapestry::teg {

/// A tensor at subscripts that are linear in the labels.
struct ScalarRead {
  mlir::Value tensor;
  /// From all labels of the vertex or macro.
  mlir::AffineMap map;
  /// What is read outside the tensor's bounds; null where nothing is.
  mlir::TypedAttr pad = {};

  bool operator==(const ScalarRead &o) const {
    return tensor == o.tensor && map == o.map && pad == o.pad;
  }
};

/// A value at every point of an index space.
struct ScalarExpr {
  llvm::SmallVector<ScalarRead> reads;
  /// From one scalar per read to the value; null: the only read's. May run
  /// several times, in different einsums.
  std::function<mlir::Value(ScalarBuilder &, mlir::ValueRange)> body = {};

  static ScalarExpr constant(mlir::TypedAttr value) {
    return {{}, [value](ScalarBuilder &b, mlir::ValueRange) {
              return b.constant(value);
            }};
  }
};

/// A label of a vertex or macro.
struct ScalarLabel {
  llvm::StringRef name;
  int64_t extent;
  /// In a macro.
  LabelRole role = LabelRole::Outer;
};

/// The einsum of `expr`. Labels from `numParallel` on are reduced by `monoid`.
EinsumOp buildEinsum(mlir::OpBuilder &builder, mlir::Location loc,
                     llvm::StringRef name, llvm::ArrayRef<ScalarLabel> labels,
                     unsigned numParallel, tapestry::Monoid monoid,
                     mlir::Type elementType, const ScalarExpr &expr);

/// The scan of `expr` along a label, over an einsum `NAME.term` where that is
/// more than a tensor by its dimensions. A custom monoid is left to
/// `buildCustomMonoid`.
mlir::Operation *buildScan(mlir::OpBuilder &builder, mlir::Location loc,
                           llvm::StringRef name,
                           llvm::ArrayRef<ScalarLabel> labels, unsigned along,
                           tapestry::Monoid monoid, mlir::Type elementType,
                           const ScalarExpr &expr);

/// Makes the monoid of an einsum, scan or scatter a custom one.
void combineBy(mlir::OpBuilder &builder, mlir::Operation *op,
               mlir::TypedAttr identity, CombineBuilder combine);
/// The same for the maximum or the minimum of integers without a sign.
void compareUnsigned(mlir::OpBuilder &builder, mlir::Operation *op, bool isMax);

/// An application of a macro.
struct MacroUse {
  MacroKind kind;
  /// The name of the result; other vertices are called NAME.max, NAME.sum, ...
  llvm::StringRef name;
  /// The labels of the result, in its order; where the macro reduces its inner
  /// labels, those follow.
  llvm::SmallVector<ScalarLabel> labels;
  /// The type of the operand: a float, of a macro that gives places any number.
  mlir::Type elementType;
  ScalarExpr operand;
  /// Of a norm; of the type in which sums are kept: f64 for f64, else f32.
  ScalarExpr epsilon = {};
  /// The type of the result; null: the operand's, i64 for places.
  mlir::Type resultType = {};
};

/// The macro's last einsum, whose result is the macro's. What is wrong with
/// labels or types is wrong in the einsums too, and refused by their verifier.
EinsumOp buildMacro(mlir::OpBuilder &builder, mlir::Location loc,
                    const MacroUse &use);

/// What a check of an index reads, and what its message calls that. An index
/// that is a cast, or that a loop reads by its counter, is checked as what the
/// program names.
struct CheckedIndex {
  /// A dimension of what the message names: one of the tensor or, with a
  /// counter, the point that this scalar of i64 is.
  struct Dim {
    int64_t extent;
    unsigned dim;
    mlir::Value counter;
  };
  mlir::Value tensor;
  std::string name;
  llvm::SmallVector<Dim> dims;
  bool isUnsigned = false;
};

/// A tensor of integers that names points of one dimension of a table.
struct GatherIndex {
  mlir::Value tensor;
  /// From all labels of the gather to those of the result that it is read at.
  mlir::AffineMap map;
  /// The label of the dimension.
  llvm::StringRef label;
  /// Where it may name points outside.
  std::optional<CheckedIndex> checked = {};
};

/// A read of a table at places that data name.
struct GatherUse {
  llvm::StringRef name;
  /// The labels of the result, in its order.
  llvm::SmallVector<ScalarLabel> labels;
  mlir::Value table;
  /// What a message calls the table.
  llvm::StringRef tableName;
  /// From the labels, then one per index, to the dimensions of the table.
  mlir::AffineMap map;
  llvm::SmallVector<GatherIndex> indices;
  /// Read outside; null: an index there ends the run.
  mlir::TypedAttr pad = {};
};

/// The checks that a graph has already: by index tensor and extent.
using IndexChecks =
    llvm::DenseMap<std::pair<mlir::Value, int64_t>, mlir::Value>;

/// The gather and, without a pad, the vertices that check its indices first.
GatherOp buildGather(mlir::OpBuilder &builder, mlir::Location loc,
                     const GatherUse &use, IndexChecks &checks);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_MACROS_MACROS_H
