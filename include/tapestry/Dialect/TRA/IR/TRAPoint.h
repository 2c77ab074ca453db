//===- TRAPoint.h - The order of a program over relations -------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TRA_IR_TRAPOINT_H
#define TAPESTRY_DIALECT_TRA_IR_TRAPOINT_H

#include "tapestry/Dialect/TRA/IR/TRA.h"

namespace tapestry::tra {
/// What happens after what.
struct OrderResource : public mlir::SideEffects::Resource::Base<OrderResource> {
  llvm::StringRef getName() final { return "Order"; }
};
} // namespace tapestry::tra

#define GET_OP_CLASSES
#include "tapestry/Dialect/TRA/IR/TRAPoint.h.inc"

#endif // TAPESTRY_DIALECT_TRA_IR_TRAPOINT_H
