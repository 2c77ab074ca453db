//===- PartitionGraph.cpp - Plan a graph and write the plan down ----------===//

#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Planner/Plan/Verify.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// A plan file's pins become the graph's.
static llvm::Expected<Plan> decide(PlanGraph &graph,
                                   const PartitionRequest &request) {
  PlannerOptions options;
  options.devices = request.devices;
  options.solver = request.solver;
  options.costModel = request.costModel;
  options.program = request.program;
  llvm::Expected<Machine> machine =
      machineNamed(request.machine.empty() ? "cpu" : request.machine);
  if (!machine)
    return machine.takeError();
  options.machine = std::move(*machine);
  options.memoryLimit = request.memoryLimit;
  if (!request.grid.empty()) {
    llvm::Expected<DeviceGrid> grid = parseGrid(request.grid, &options.machine);
    if (!grid)
      return grid.takeError();
    options.grid = *grid;
  }
  if (request.planFile.empty())
    return plan(graph, options);

  llvm::Expected<Plan> read = followPlanFile(request.planFile, graph, options);
  if (read && request.devices != 0 && request.devices != read->devices)
    return errorAt(request.planFile, "the plan is for ", read->devices,
                   " devices, but ", request.devices, " are asked for");
  return read;
}

/// Applies the rewrites that a plan starts from. A graph that has been
/// rewritten before must have come a part of the same way.
static llvm::Error replayRewrites(GraphOp graph, ArrayRef<Rewrite> rewrites) {
  if (rewrites.empty())
    return llvm::Error::success();
  std::vector<Rewrite> done = recordedRewrites(graph);
  for (auto [number, earlier] : llvm::enumerate(done))
    if (number >= rewrites.size() || !(rewrites[number] == earlier))
      return planError(
          "the graph has been rewritten ('", earlier.kind, "' of '",
          earlier.vertex, "') in another way than the ",
          "plan's graph; plan the program as it is (--order none)");
  return applyRewrites(graph, rewrites.drop_front(done.size()));
}

static llvm::Expected<PartitionedGraph>
partitionAsIs(GraphOp graph, const PartitionRequest &request) {
  FailureOr<GraphVertices> vertices = buildPlanGraph(graph.getBody().front());
  if (failed(vertices))
    return planError("the graph '", graph.getSymName(), "' cannot be planned");
  llvm::Expected<Plan> decided = decide(vertices->graph, request);
  if (!decided)
    return decided.takeError();
  if (llvm::Error error = verifyPlan(vertices->graph, *decided))
    return std::move(error);
  decided->rewrites = recordedRewrites(graph);
  graph.setGridAttr(index::GridAttr::get(graph.getContext(), decided->grid));
  applyPlacement(*vertices, decided->grid, decided->placement);
  return PartitionedGraph{std::move(*vertices), std::move(*decided)};
}

llvm::Expected<PartitionedGraph>
tapestry::teg::partitionGraph(GraphOp graph, const PartitionRequest &request) {
  if (request.planFile.empty())
    return partitionAsIs(graph, request);
  llvm::Expected<std::vector<Rewrite>> rewrites =
      readPlanRewrites(request.planFile);
  if (!rewrites)
    return rewrites.takeError();
  if (rewrites->empty())
    return partitionAsIs(graph, request);
  OwningOpRef<GraphOp> before(cast<GraphOp>(graph->clone()));
  llvm::Error error = replayRewrites(graph, *rewrites);
  if (error)
    error = errorAt(request.planFile,
                    "rewrites: ", llvm::toString(std::move(error)));
  llvm::Expected<PartitionedGraph> partitioned =
      error ? llvm::Expected<PartitionedGraph>(std::move(error))
            : partitionAsIs(graph, request);
  if (!partitioned) {
    graph.getBody().takeBody(before->getBody());
    graph->setAttrs(before->getOperation()->getAttrDictionary());
  }
  return partitioned;
}
