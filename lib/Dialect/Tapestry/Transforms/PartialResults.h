//===- PartialResults.h - What blocks of a reduction give -------*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PARTIALRESULTS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PARTIALRESULTS_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Support/TensorView.h"

namespace tapestry::teg {

/// Creates the einsum that combines partial values of a result, stacked along
/// the first dimension of `stack`, as the operator does.
EinsumOp createReduction(mlir::OpBuilder &builder, BlockOpInterface op,
                         unsigned result, llvm::StringRef name,
                         mlir::Value stack, mlir::Type elementType);

/// Whether two operators combine the values of a result each in the same way.
bool combineAlike(BlockOpInterface a, unsigned resultOfA, BlockOpInterface b,
                  unsigned resultOfB);

/// What is combined to a tensor, along the first dimension.
struct CombinedStack {
  TensorView view;
  /// Per row the operand that it is of.
  llvm::SmallVector<unsigned> operands;
};

/// What an operator combines by the monoid of a result of another, if it does
/// that alone: elements of several operands, as a sum of two tensors does, of
/// one dimension of one, or both. `viewOf` says what an operand is.
std::optional<CombinedStack>
stackOf(BlockOpInterface op, BlockOpInterface whole, unsigned result,
        llvm::function_ref<TensorView(mlir::Value)> viewOf);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_TRANSFORMS_PARTIALRESULTS_H
