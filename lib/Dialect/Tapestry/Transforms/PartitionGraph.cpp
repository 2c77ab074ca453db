//===- PartitionGraph.cpp - Plan a graph and write the plan down ----------===//

#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "RewriteKinds.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "tapestry/Dialect/Tapestry/Transforms/PlanCost.h"
#include "tapestry/Dialect/Tapestry/Transforms/ShardCoverage.h"
#include "tapestry/Interfaces/Place.h"
#include "tapestry/Planner/Plan/PeakMeter.h"
#include "tapestry/Planner/Plan/PlanFile.h"
#include "tapestry/Support/Counted.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::teg;

/// Plans `graph` by `options`; a plan file's pins become the graph's.
static llvm::Expected<Plan> decide(PlanGraph &graph, const PlanRequest &request,
                                   const PlannerOptions &options) {
  if (request.planFile.empty())
    return makePlan(graph, options);
  llvm::Expected<Plan> read = followPlanFile(request.planFile, graph, options);
  if (read && request.devices != 0 && request.devices != read->devices)
    return faultError(Fault::Usage, request.planFile, "the plan is for ",
                      countOf(read->devices, "device"), ", but ",
                      request.devices, request.devices == 1 ? " is" : " are",
                      " asked for");
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

/// Whether `op` has more to say of what it writes than how results are cut.
static bool hasOwnWrites(BlockOpInterface op) {
  for (auto [number, whole] : llvm::enumerate(op.getResultProjections())) {
    std::vector<Write> writes = op.getWrites(number);
    if (writes.size() != 1 || !writes.front().guard.empty() ||
        !(writes.front().projection == whole))
      return true;
  }
  return false;
}

void tapestry::teg::applyPlan(GraphOp graph, const GraphVertices &vertices,
                              const Plan &plan) {
  graph.setGridAttr(index::GridAttr::get(graph.getContext(), plan.grid));
  applyPlacement(vertices, plan.grid, plan.placement);
}

/// The location that "file:line:col" means, if a place is one.
static std::optional<Location> locationOf(StringRef place,
                                          MLIRContext *context) {
  auto [lines, columnText] = place.rsplit(':');
  auto [file, lineText] = lines.rsplit(':');
  unsigned line, column;
  if (lineText.getAsInteger(10, line) || columnText.getAsInteger(10, column))
    return std::nullopt;
  return FileLineColLoc::get(context, file, line, column);
}

void tapestry::teg::emitPlanError(Location loc, llvm::Error error) {
  ErrorFacts facts = factsOf(std::move(error));
  if (facts.text.empty())
    return;
  if (auto known = locationOf(facts.place, loc.getContext()))
    emitError(*known) << facts.text;
  else if (facts.place.empty())
    emitError(loc) << facts.text;
  else
    emitError(loc) << facts.place << ": " << facts.text;
}

static llvm::Expected<PartitionedGraph>
partitionAsIs(GraphOp graph, const PlanRequest &request, PlannerOptions options,
              const PeakFinder &findPeak) {
  for (auto op : operationsOf<OperatorOp>(graph))
    return errorAt(placeOf(op.getLoc()), "operator '", op.getName(),
                   "' of kind '", op.getKind(), "' has to be expanded ",
                   request.planFile.empty() ? "before it is planned"
                                            : "by the plan's rewrites");
  FailureOr<GraphVertices> vertices = buildPlanGraph(graph.getBody().front());
  if (failed(vertices))
    return reportedError();
  auto apply = [&](const Plan &plan) { applyPlan(graph, *vertices, plan); };
  options.memoryLimit = request.memoryLimit;
  if (findPeak)
    options.findPeak = [&](const Plan &plan) {
      apply(plan);
      return findPeak(graph);
    };
  llvm::Expected<Plan> decided = decide(vertices->graph, request, options);
  if (!decided)
    return decided.takeError();
  if (!request.planFile.empty())
    if (llvm::Error error = checkFollowed(request, *decided))
      return std::move(error);
  for (auto [op, place] :
       llvm::zip_equal(vertices->ops, decided->placement.vertices)) {
    if (failed(verifyDevices(op, decided->grid)))
      return reportedError();
    // The planner takes an operator's word for it, and proves all else itself.
    if (place.partition && hasOwnWrites(op) &&
        failed(verifyPartition(op, decided->grid, *place.partition)))
      return reportedError();
  }
  decided->rewrites = recordedRewrites(graph);
  apply(*decided);
  return PartitionedGraph{std::move(*vertices), std::move(*decided)};
}

llvm::Error tapestry::teg::replayPlanFile(GraphOp graph,
                                          const PlanRequest &request) {
  llvm::Expected<std::vector<Rewrite>> rewrites =
      readPlanRewrites(request.planFile);
  if (!rewrites)
    return rewrites.takeError();
  // Whoever asks for an order as well has to ask for the plan's.
  bool isAsked = !request.order.empty() && request.order != "none";
  if (llvm::Error error = replayRewrites(graph, *rewrites))
    return faultError(isAsked ? Fault::Usage : Fault::Program, request.planFile,
                      "rewrites: ", llvm::toString(std::move(error)));
  return llvm::Error::success();
}

/// Replays what the plan file starts from and plans the graph that results.
static llvm::Expected<PartitionedGraph>
partitionRewritten(GraphOp graph, const PlanRequest &request,
                   const PlannerOptions &options, const PeakFinder &findPeak) {
  if (!request.planFile.empty())
    if (llvm::Error error = replayPlanFile(graph, request))
      return std::move(error);
  return partitionAsIs(graph, request, options, findPeak);
}

llvm::Expected<PartitionedGraph>
tapestry::teg::partitionGraph(GraphOp graph, const PlanRequest &request,
                              const PeakFinder &findPeak) {
  llvm::Expected<PlannerOptions> options = resolveRequest(request);
  if (!options)
    return options.takeError();
  if (request.planFile.empty()) {
    if (llvm::Error error = checkMachineIsUsed(request))
      return std::move(error);
    // Nothing is written before the plan is there.
    if (request.memoryLimit == 0)
      return partitionAsIs(graph, request, *options, findPeak);
  }
  OwningOpRef<GraphOp> before(cast<GraphOp>(graph->clone()));
  llvm::Expected<PartitionedGraph> partitioned =
      partitionRewritten(graph, request, *options, findPeak);
  if (!partitioned) {
    graph.getBody().takeBody(before->getBody());
    graph->setAttrs(before->getOperation()->getAttrDictionary());
  }
  return partitioned;
}

llvm::Expected<double> tapestry::teg::planCost(GraphOp graph,
                                               const PlanRequest &request) {
  llvm::Expected<PartitionedGraph> planned = partitionGraph(graph, request);
  if (!planned)
    return planned.takeError();
  return planned->plan.cost;
}

PlanRequest tapestry::teg::pricedPlan(int64_t devices, StringRef grid,
                                      StringRef cost, StringRef machine,
                                      int64_t threads, StringRef solver,
                                      double mostWork) {
  PlanRequest request;
  request.devices = devices;
  request.grid = grid;
  request.costModel = cost;
  if (!machine.empty())
    request.machine = machine;
  request.threads = threads;
  request.solver = solver;
  if (mostWork > 0)
    request.mostWork = mostWork;
  return request;
}
