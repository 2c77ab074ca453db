//===- IndexBuilder.h - Folding index arithmetic ----------------*- C++ -*-===//
//
// Index arithmetic that folds constants while it builds, with one shared
// constant operation per value at the function's entry.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_INDEXBUILDER_H
#define TAPESTRY_CODEGEN_COMMON_INDEXBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <unordered_map>

namespace tapestry {

class IndexBuilder : public mlir::ImplicitLocOpBuilder {
public:
  IndexBuilder(mlir::Location loc, mlir::func::FuncOp function)
      : ImplicitLocOpBuilder(loc, function.getContext()),
        entry(&function.getBody().front()) {}

  mlir::OpFoldResult index(int64_t value) { return getIndexAttr(value); }
  /// The value of `ofr` as an SSA value of index type.
  mlir::Value value(mlir::OpFoldResult ofr);
  mlir::Value value(int64_t constant);
  static std::optional<int64_t> known(mlir::OpFoldResult ofr) {
    return mlir::getConstantIntValue(ofr);
  }

  mlir::OpFoldResult add(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult sub(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult mul(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult min(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult max(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// a and b are not negative, b is positive.
  mlir::OpFoldResult div(mlir::OpFoldResult a, mlir::OpFoldResult b);
  mlir::OpFoldResult ceilDiv(mlir::OpFoldResult a, mlir::OpFoldResult b);
  /// The largest multiple of `step` that is at most `a`.
  mlir::OpFoldResult alignDown(mlir::OpFoldResult a, int64_t step);
  mlir::OpFoldResult alignUp(mlir::OpFoldResult a, int64_t step);

private:
  mlir::Block *entry;
  /// Any number may be a key, which a DenseMap does not take.
  std::unordered_map<int64_t, mlir::Value> constants;
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_INDEXBUILDER_H
