//===- PartitionGraph.h - Plan a graph and write the plan down --*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PARTITIONGRAPH_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PARTITIONGRAPH_H

#include "mlir/Pass/Pass.h"
#include "tapestry/Analysis/PlanGraphs.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Planner/Plan/PlanRequest.h"
#include <functional>

namespace tapestry::teg {

/// A planned graph: what the planner saw and what it decided.
struct PartitionedGraph {
  GraphVertices vertices;
  plan::Plan plan;
};

/// The most bytes that any device will hold when a planned graph runs; nothing
/// where that cannot be found out.
using PeakFinder = std::function<std::optional<int64_t>(GraphOp)>;

/// Plans `graph` as requested, verifies the plan, and sets the grid, every op's
/// partition and every op's home layout. A memory limit holds for what
/// `findPeak` says or, without one, for the planner's estimate. The error says
/// what is wrong with the request, the plan file or the graph, unless an
/// operator has said so itself; the graph is then as it was.
llvm::Expected<PartitionedGraph>
partitionGraph(GraphOp graph, const plan::PlanRequest &request,
               const PeakFinder &findPeak = {});

/// Does to a graph what the plan file of a request says has been done to it,
/// and writes it down; a graph to which some of it has been done already gets
/// the rest. Fails, with the graph half done, where that does not apply.
llvm::Error replayPlanFile(GraphOp graph, const plan::PlanRequest &request);

/// Says what is wrong, unless it has been said (see reportedError): where the
/// error says, or at `loc`.
void emitPlanError(mlir::Location loc, llvm::Error error);

/// Writes a plan of the graph that `vertices` are of onto it.
void applyPlan(GraphOp graph, const GraphVertices &vertices,
               const plan::Plan &plan);

/// The pass tapestry-partition with everything that a request can say. What
/// `findPeak` needs of dialects, `addDialects` adds.
std::unique_ptr<mlir::Pass>
createPartitionPass(const plan::PlanRequest &request, PeakFinder findPeak,
                    void (*addDialects)(mlir::DialectRegistry &));

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PARTITIONGRAPH_H
