//===- PartialResults.h - What blocks of a reduction give -------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PARTIALRESULTS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PARTIALRESULTS_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

/// Creates the einsum that combines partial values of a result, stacked along
/// the first dimension of `stack`, as the operator does.
EinsumOp createReduction(mlir::OpBuilder &builder, BlockOpInterface op,
                         unsigned result, llvm::StringRef name,
                         mlir::Value stack, mlir::Type elementType);

/// Whether two operators combine the values of a result each in the same way.
bool combineAlike(BlockOpInterface a, unsigned resultOfA, BlockOpInterface b,
                  unsigned resultOfB);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PARTIALRESULTS_H
