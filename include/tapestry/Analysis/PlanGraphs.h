//===- PlanGraphs.h - Between graphs in IR and the planner ------*- C++ -*-===//
//
// The planner works on plain structs; here block operators become its vertices
// and a plan becomes attributes on them. Asks nothing but BlockOpInterface.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_ANALYSIS_PLANGRAPHS_H
#define TAPESTRY_ANALYSIS_PLANGRAPHS_H

#include "tapestry/Interfaces/BlockOpInterface.h"
#include "tapestry/Planner/Plan/Planner.h"

namespace tapestry {

/// The vertices of a graph with the operations that they stand for.
struct GraphVertices {
  model::PlanGraph graph;
  /// One per vertex, in the same order. An op with several results has a vertex
  /// for the first and companions for the others.
  llvm::SmallVector<BlockOpInterface> ops;
  /// Per vertex and piece that its op reads (`getReads`), the number of the
  /// vertex's operand that stands for it; none for companions.
  std::vector<llvm::SmallVector<unsigned, 2>> operandNumbers;
};

/// The block operators of `block` in order, as the planner sees them; those of
/// a loop stand for all of its passes (PlanVertex::trips). Pieces of a tensor
/// that an operator fetches together (`fetchesOf`) are one operand. Fails
/// with an error at the op that the planner cannot take.
mlir::FailureOr<GraphVertices> buildPlanGraph(mlir::Block &block);

/// Whether sources and sinks are on devices that there are, as checkConstraints
/// has it.
llvm::Error checkDevicePins(mlir::Block &block, int64_t devices);

/// Writes the partition, the home layout and the routes of every vertex onto
/// its op.
void applyPlacement(const GraphVertices &vertices, const DeviceGrid &grid,
                    const layout::Placement &placement);

} // namespace tapestry

#endif // TAPESTRY_ANALYSIS_PLANGRAPHS_H
