//===- RelativeJoins.h - Sums of values relative to maxima ------*- C++ -*-===//
//
// Private to this folder. Finds joins that compute exp(x - m), where m is the
// maximum of x along labels that are cut, and what sums are made of that: the
// sums relative to another maximum differ by a factor.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TRA_TRANSFORMS_RELATIVEJOINS_H
#define TAPESTRY_LIB_DIALECT_TRA_TRANSFORMS_RELATIVEJOINS_H

#include "tapestry/Dialect/TRA/IR/TRA.h"

namespace tapestry::tra {

/// What relative values are multiplied with, or divided by, that all columns of
/// a row have in common.
struct RowFactor {
  mlir::Value relation;
  /// Per dimension the label of the maximum that it is read at.
  llvm::SmallVector<int> rows;
  bool divides = false;
};

/// A join of relative values.
struct RelativeJoin {
  JoinOp join;
  /// The input that is relative; of the first join of all, the maximum.
  unsigned input = 0;
  /// Per label that of the maximum's join which it is, or -1.
  llvm::SmallVector<int> labels;
  /// Inputs that are factors of rows, and the operations that they are used by,
  /// whose other operand is relative.
  llvm::SmallVector<unsigned, 1> factorInputs;
  llvm::SmallVector<mlir::Operation *, 1> factorOps;
  /// Whether it does nothing but that.
  bool isFactor = false;
  /// Whether it sums up the columns.
  bool isSum = false;
  /// Of a sum, all factors that its terms have in common.
  llvm::SmallVector<RowFactor, 1> factors;
};

/// A maximum that is aggregated, and all joins of what is relative to it.
struct RelativeJoins {
  JoinOp maximum;
  AggregateOp aggregate;
  /// The kernel of the first join may subtract 0 where the maximum is infinite:
  /// what it takes of that, what it subtracts, and how that is made.
  mlir::Value argument, bound;
  llvm::SmallVector<mlir::Operation *, 4> boundOps;
  /// In the order of the program, exp(x - m) first.
  std::vector<std::unique_ptr<RelativeJoin>> joins;

  RelativeJoin &shift() { return *joins.front(); }
  /// That join, or null.
  RelativeJoin *find(mlir::Operation *op);
};

/// What is relative to the maximum that a join reads as its operand `input`;
/// nothing where that is none, where it is needed as it is, where sums have
/// more elements than what they are made of, or where a device has fewer bytes
/// of that.
std::optional<RelativeJoins> findRelativeJoins(JoinOp shift, unsigned input,
                                               int64_t leastBytes);

} // namespace tapestry::tra

#endif // TAPESTRY_LIB_DIALECT_TRA_TRANSFORMS_RELATIVEJOINS_H
