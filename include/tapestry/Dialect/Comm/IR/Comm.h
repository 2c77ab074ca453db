//===- Comm.h - Collectives of one SPMD program -----------------*- C++ -*-===//
//
// The comm dialect: its operations, the interface that all collectives answer,
// and how a layout decides the type of a device's part.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_COMM_IR_COMM_H
#define TAPESTRY_DIALECT_COMM_IR_COMM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Interfaces/ElementType.h"
#include "tapestry/Support/Resharding.h"

namespace tapestry::comm::detail {
class LayoutFacts;
} // namespace tapestry::comm::detail

#include "tapestry/Dialect/Comm/IR/CommDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "tapestry/Dialect/Comm/IR/CommTypes.h.inc"

namespace tapestry::comm {

/// The network: what all ranks must use in the same order.
struct CommResource : public mlir::SideEffects::Resource::Base<CommResource> {
  llvm::StringRef getName() final { return "Comm"; }
};

/// The type of the part that a device holds under `layout`. A dimension is
/// dynamic where its extent differs between devices (`uniformExtent`).
mlir::RankedTensorType partType(index::LayoutAttr layout,
                                mlir::Type elementType);

class CollectiveOpInterface;

namespace detail {
/// `planResharding` for two layouts of one grid.
Collective planOf(index::LayoutAttr from, index::LayoutAttr to);
/// The names of axes of the layout's grid.
mlir::ArrayAttr axisNames(index::LayoutAttr layout,
                          llvm::ArrayRef<unsigned> axes);
/// The names of the axes whose devices talk to each other.
mlir::ArrayAttr groupAxes(index::LayoutAttr from, index::LayoutAttr to);
/// The type of a part of `to` with the element type of the tensor `source`.
mlir::RankedTensorType resultType(mlir::Value source, index::LayoutAttr to);
/// Erases a collective whose tensor nobody uses: every device runs the same
/// program, so it disappears everywhere. What waited for it waits for what it
/// waited for.
mlir::LogicalResult eraseUnused(CollectiveOpInterface op,
                                mlir::PatternRewriter &rewriter);
/// The constraints collective_c1 to collective_c8 of the interface.
mlir::LogicalResult verifyCollective(CollectiveOpInterface op);
} // namespace detail
} // namespace tapestry::comm

#include "tapestry/Dialect/Comm/IR/CommInterfaces.h.inc"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommOps.h.inc"

#endif // TAPESTRY_DIALECT_COMM_IR_COMM_H
