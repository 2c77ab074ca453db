//===- GraphNodeInterface.h - The border of a graph -------------*- C++ -*-===//
//
// Declares GraphNodeInterface: sources, sinks and points of a graph.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_INTERFACES_GRAPHNODEINTERFACE_H
#define TAPESTRY_INTERFACES_GRAPHNODEINTERFACE_H

#include "mlir/IR/Block.h"
#include "mlir/IR/OpDefinition.h"

namespace tapestry {

enum class GraphNodeKind { Source, Sink, Point };

} // namespace tapestry

#include "tapestry/Interfaces/GraphNodeInterface.h.inc"

namespace tapestry {

/// The nodes of one kind in a graph's block, in their order.
llvm::SmallVector<GraphNodeInterface> graphNodes(mlir::Block &graph,
                                                 GraphNodeKind kind);

/// Whether `op` brings a tensor into a graph.
bool isGraphSource(mlir::Operation *op);
/// Whether `op` hands one out: no plan asks what it computes.
bool isGraphSink(mlir::Operation *op);
/// Whether `op`, which may be null, orders others.
bool isGraphPoint(mlir::Operation *op);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_GRAPHNODEINTERFACE_H
