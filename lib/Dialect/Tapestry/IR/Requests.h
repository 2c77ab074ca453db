//===- Requests.h - Pins and preferences of ops -----------------*- C++ -*-===//
//
// Private to the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_REQUESTS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_REQUESTS_H

#include "mlir/IR/Operation.h"
#include "tapestry/Support/ShardingConstraint.h"

namespace tapestry::teg {

/// What is asked of a source or an einsum, by its own attributes and by those
/// of the sinks that hand its result out.
ShardingConstraints constraintsOf(mlir::Operation *op);

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_REQUESTS_H
