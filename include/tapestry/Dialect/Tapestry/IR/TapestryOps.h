//===- TapestryOps.h - Operations of tapestry -------------------*- C++ -*-===//
//
// The ops of tensor expression graphs: GraphOp, CallOp, SourceOp, SinkOp,
// SequencePointOp, EinsumOp with LabelOp and YieldOp in its regions, GatherOp,
// RequireOp. Sources and all that computes implement
// tapestry::BlockOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPS_H
#define TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Dialect/Tapestry/IR/Constraints.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAttrs.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryDialect.h"
#include "tapestry/Interfaces/BlockOpInterface.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"
#include "tapestry/Interfaces/RangeInterface.h"

namespace tapestry::teg {

/// Fills an einsum's body: from one scalar per operand to the value to yield.
using BodyBuilder = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;
/// Fills a custom monoid's combine region: from two accumulators to one.
using CombineBuilder = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::Value, mlir::Value)>;

/// What is seen outside a graph: sources, sinks and sequence points write to
/// it, so that none is erased, merged or moved across another.
struct VisibleResource
    : public mlir::SideEffects::Resource::Base<VisibleResource> {
  llvm::StringRef getName() final { return "Visible"; }
};

/// On arguments and results of a graph: the name of the source or sink.
inline constexpr llvm::StringLiteral nameAttrName = "tapestry.name";

/// What `tapestry.require` is given where nothing is outside.
inline constexpr int64_t nothingOutside = std::numeric_limits<int64_t>::max();

// Both have a file of their own.
class ScanOp;
class ScatterOp;
class ShardOp;

// What the vertices have in common.
namespace detail {
/// Fills the region of a custom monoid, of values of `type`.
void buildCombiner(mlir::OpBuilder &builder, mlir::Location loc,
                   mlir::Region &combiner, mlir::Type type,
                   CombineBuilder combineBuilder);
/// Names an op's result as its vertex.
void nameResult(mlir::Value result, llvm::StringRef name,
                mlir::OpAsmSetValueNameFn setName);
mlir::FailureOr<std::optional<Partition>>
resolvePartition(mlir::Operation *op, index::PartitionAttr partition,
                 const DeviceGrid &grid);
std::optional<std::pair<DeviceGrid, Layout>>
resolveHome(index::LayoutAttr home);
/// Without an attribute: in one step.
Route resolveRoute(mlir::ArrayAttr route);
llvm::SmallVector<Route> resolveRoutes(mlir::ArrayAttr routes, size_t count);
/// Null where every route is one step.
mlir::ArrayAttr routeAttr(mlir::MLIRContext *context, const DeviceGrid &grid,
                          const Route &route);
mlir::ArrayAttr routesAttr(mlir::MLIRContext *context, const DeviceGrid &grid,
                           llvm::ArrayRef<Route> routes);
} // namespace detail

} // namespace tapestry::teg

#define GET_TYPEDEF_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryTypes.h.inc"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h.inc"

namespace tapestry::teg {

/// The grid of the graph that holds `op` (or is `op`); null where there is no
/// graph or it has no grid.
index::GridAttr lookupGrid(mlir::Operation *op);

/// Makes the monoid of an einsum, scan or scatter a custom one: sets its
/// identity and fills the combine region by `combineBuilder`.
template <typename Op>
void buildCustomMonoid(Op op, mlir::OpBuilder &builder,
                       mlir::TypedAttr identity,
                       CombineBuilder combineBuilder) {
  op.setMonoid(Monoid::Custom);
  op.setCustomIdentityAttr(identity);
  detail::buildCombiner(builder, op.getLoc(), op.getCombiner(),
                        mlir::getElementTypeOrSelf(identity), combineBuilder);
}

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_IR_TAPESTRYOPS_H
