//===- Constraints.h - Pins and preferences of ops -----------------*- C++
//-*-===//
//
// Any operator of a graph may have the attributes `tapestry.constraints` and
// `tapestry.layout_group`; what it answers the planner is found here.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_REQUESTS_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_REQUESTS_H

#include "mlir/IR/Operation.h"
#include "tapestry/Support/ShardingConstraint.h"

namespace tapestry::teg {

/// Marks an einsum or selector whose readers read what it makes, even where it
/// makes a copy of what is behind it.
inline constexpr llvm::StringLiteral madeAttrName = "tapestry.made";

/// What is asked of a result of an operator by the sinks that hand it out and,
/// of the first, by the operator's own attributes.
ShardingConstraints constraintsOf(mlir::OpResult result);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_REQUESTS_H
