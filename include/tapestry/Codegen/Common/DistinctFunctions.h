//===- DistinctFunctions.h - One function for all that do the same -*- C++ -*-//

#ifndef TAPESTRY_CODEGEN_COMMON_DISTINCTFUNCTIONS_H
#define TAPESTRY_CODEGEN_COMMON_DISTINCTFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace tapestry {

/// Functions of which no two are equal but for names and places in the source.
class DistinctFunctions {
public:
  /// The known function that is equal to `function`; none where there is no
  /// such yet and it is known from now on.
  mlir::func::FuncOp findOrAdd(mlir::func::FuncOp function);

private:
  llvm::DenseMap<uint64_t, llvm::SmallVector<mlir::func::FuncOp, 1>> byHash;
};

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_DISTINCTFUNCTIONS_H
