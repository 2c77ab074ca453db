//===- PartitionGraph.cpp - Plan a graph and write the plan down ----------===//

#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Planner/PlanFile.h"
#include "tapestry/Planner/Verify.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

llvm::Expected<DeviceGrid> tapestry::teg::parseGrid(llvm::StringRef text) {
  return tapestry::parseGrid(text, /*machine=*/nullptr);
}

static llvm::Expected<Plan> decide(const PlanGraph &graph,
                                   const PartitionRequest &request) {
  PlannerOptions options;
  options.devices = request.devices;
  options.solver = request.solver;
  options.costModel = request.costModel;
  options.program = request.program;
  if (!request.grid.empty()) {
    llvm::Expected<DeviceGrid> grid = parseGrid(request.grid);
    if (!grid)
      return grid.takeError();
    options.grid = *grid;
  }
  if (request.planFile.empty())
    return plan(graph, options);

  llvm::Expected<Plan> read = readPlanFile(request.planFile, graph);
  if (read && request.devices != 0 && request.devices != read->devices)
    return planError(request.planFile, ": error: the plan is for ",
                     read->devices, " devices, but ", request.devices,
                     " are asked for");
  return read;
}

llvm::Expected<PartitionedGraph>
tapestry::teg::partitionGraph(GraphOp graph, const PartitionRequest &request) {
  FailureOr<GraphVertices> vertices = buildPlanGraph(graph.getBody().front());
  if (failed(vertices))
    return planError("the graph '", graph.getSymName(), "' cannot be planned");
  llvm::Expected<Plan> decided = decide(vertices->graph, request);
  if (!decided)
    return decided.takeError();
  if (llvm::Error error = verifyPlan(vertices->graph, *decided))
    return std::move(error);
  graph.setGridAttr(index::GridAttr::get(graph.getContext(), decided->grid));
  applyPlacement(*vertices, decided->grid, decided->placement);
  return PartitionedGraph{std::move(*vertices), std::move(*decided)};
}
