//===- TapestryAttrs.h - Enumerations and attributes of tapestry *- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"

#include "tapestry/Dialect/Index/IR/IndexRandom.h"
#include "tapestry/Dialect/Tapestry/IR/Kernel.h"
#include "tapestry/Support/ShardingConstraint.h"

#define GET_ATTRDEF_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h.inc"

namespace tapestry::teg {

/// The list of `#tapestry.constraint` on a source, an einsum or a sink.
inline constexpr llvm::StringLiteral constraintsAttrName =
    "tapestry.constraints";
/// The name of the layout group of a source or an einsum.
inline constexpr llvm::StringLiteral layoutGroupAttrName =
    "tapestry.layout_group";
/// The names of the sources that were erased from a graph because no output
/// depends on them.
inline constexpr llvm::StringLiteral unreadInputsAttrName =
    "tapestry.unread_inputs";

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYATTRS_H
