//===- PartitionGraph.h - Plan a graph and write the plan down --*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PARTITIONGRAPH_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PARTITIONGRAPH_H

#include "tapestry/Analysis/PlanGraphs.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

struct PartitionRequest {
  /// 0: as many as `grid` has.
  int64_t devices = 0;
  /// Axes as the user writes them: "node=2,gpu=4", with links where they differ
  /// from the machine's: "node=2:bw=25GB/s:lat=5us,gpu=4"; empty: one axis "d".
  std::string grid;
  /// A built-in machine's name or a machine file; empty: "cpu".
  std::string machine;
  std::string solver = "exact";
  std::string costModel = defaultCostModel.str();
  /// The most bytes that a device may hold at once; 0: no limit.
  int64_t memoryLimit = 0;
  /// A plan.json to follow instead of solving; empty: solve.
  std::string planFile;
  /// What the plan calls the program.
  std::string program;
};

/// A planned graph: what the planner saw and what it decided.
struct PartitionedGraph {
  GraphVertices vertices;
  Plan plan;
};

/// Plans `graph` as requested, verifies the plan, and sets the grid, every op's
/// partition and every op's home layout. The error says what is wrong with the
/// request, the plan file or the graph; the graph is then as it was.
llvm::Expected<PartitionedGraph>
partitionGraph(GraphOp graph, const PartitionRequest &request);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PARTITIONGRAPH_H
