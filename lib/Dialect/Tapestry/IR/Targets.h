//===- Targets.h - What sources come from and sinks lead to -----*- C++ -*-===//

#ifndef TAPESTRY_LIB_DIALECT_TAPESTRY_IR_TARGETS_H
#define TAPESTRY_LIB_DIALECT_TAPESTRY_IR_TARGETS_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

/// `file<...>` or `generator<...>`
mlir::ParseResult parseTarget(mlir::OpAsmParser &parser,
                              mlir::Attribute &target);
void printTarget(mlir::OpAsmPrinter &printer, mlir::Operation *,
                 mlir::Attribute target);

namespace detail {
/// source_c3
mlir::LogicalResult verifySourceTarget(SourceOp source);
/// graph_c4
mlir::LogicalResult verifyFiles(GraphOp graph);
} // namespace detail

} // namespace tapestry::teg

#endif // TAPESTRY_LIB_DIALECT_TAPESTRY_IR_TARGETS_H
