//===- Linear.h - Linear layers, by name and as vertices --------*- C++ -*-===//
//
// linear(X, W, b) = X W + b, with X[batch..., in], W[in, out] and b[out], and
// matmul(X, W) = X W: as a tapestry.operator, whose expansion is chosen when
// the graph is planned, and the vertices that expansions are made of. Any
// numbers are multiplied; sums of types narrower than f32 are kept in f32.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_MACROS_LINEAR_H
#define TAPESTRY_DIALECT_TAPESTRY_MACROS_LINEAR_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h"

namespace tapestry::teg {

/// Kinds of operators.
inline constexpr llvm::StringLiteral linearKind = "linear";
inline constexpr llvm::StringLiteral matmulKind = "matmul";

/// In which sums of products of such elements are kept: f32 for f16 and bf16.
mlir::Type sumTypeOf(mlir::Type elementType);

/// What is wrong with operands and result of such an operator: ranks, extents,
/// element types. Null `bias`: of a matmul, whose result may be of the type of
/// sums as well.
llvm::Error checkLinear(mlir::Value x, mlir::Value w, mlir::Value bias,
                        mlir::Type result);

/// The operators by name, of operands that checkLinear() takes. The result of a
/// linear has their element type.
OperatorOp buildLinear(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::StringRef name, mlir::Value x, mlir::Value w,
                       mlir::Value bias, mlir::DictionaryAttr params = {});
OperatorOp buildMatmul(mlir::OpBuilder &builder, mlir::Location loc,
                       llvm::StringRef name, mlir::Value x, mlir::Value w,
                       mlir::Type elementType,
                       mlir::DictionaryAttr params = {});

// The labels of these vertices are `batch` (`batch0`, `batch1`, ... where X has
// several dimensions but the last, none where it has no other), `in` and `out`.

/// sum[in] X[batch, in] * W[in, out], one einsum.
EinsumOp buildProductSum(mlir::OpBuilder &builder, mlir::Location loc,
                         llvm::StringRef name, mlir::Value x, mlir::Value w,
                         mlir::Type elementType);
/// Prod: X[batch, in] * W[in, out] at every [batch, in, out].
EinsumOp buildProd(mlir::OpBuilder &builder, mlir::Location loc,
                   llvm::StringRef name, mlir::Value x, mlir::Value w);
/// SumDim: sum[in] V[batch, in, out].
EinsumOp buildSumDim(mlir::OpBuilder &builder, mlir::Location loc,
                     llvm::StringRef name, mlir::Value product,
                     mlir::Type elementType);
/// Sum: V[batch, out] + b[out].
EinsumOp buildSum(mlir::OpBuilder &builder, mlir::Location loc,
                  llvm::StringRef name, mlir::Value value, mlir::Value bias,
                  mlir::Type elementType);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_MACROS_LINEAR_H
