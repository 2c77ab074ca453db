//===- TapestryOperator.h - Operators by name -------------------*- C++ -*-===//
//
// OperatorOp, apart from the other ops of tapestry, which more files know.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {
/// Kinds of operators that choose among the cells of their operands.
inline constexpr llvm::StringLiteral whereKind = "where";
inline constexpr llvm::StringLiteral maxKind = "max";
inline constexpr llvm::StringLiteral minKind = "min";
} // namespace tapestry::teg

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h.inc"

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPERATOR_H
