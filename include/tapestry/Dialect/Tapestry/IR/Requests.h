//===- Requests.h - Pins and preferences of ops -----------------*- C++ -*-===//
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

/// What is asked of an operator, by its own attributes and by those of the
/// sinks that hand its first result out.
ShardingConstraints constraintsOf(mlir::Operation *op);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_REQUESTS_H
