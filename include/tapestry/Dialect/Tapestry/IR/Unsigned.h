//===- Unsigned.h - Tensors of unsigned integers ----------------*- C++ -*-===//
//
// Elements of tensors have no sign: what they mean is up to the operations.
// Files do have one, which this attribute of sources and sinks says.
//
// Constraints:
// - (unsigned_c1) it is a unit attribute of sources and sinks of integers of 8
//   bits and more.
// - (unsigned_c2) a sink of a source has it exactly if that has.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_UNSIGNED_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_UNSIGNED_H

#include "mlir/IR/Operation.h"

namespace tapestry::teg {

inline constexpr llvm::StringLiteral unsignedAttrName = "tapestry.unsigned";

/// Whether a source or a sink is of unsigned integers.
inline bool isUnsigned(mlir::Operation *op) {
  return op->hasAttr(unsignedAttrName);
}

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_UNSIGNED_H
