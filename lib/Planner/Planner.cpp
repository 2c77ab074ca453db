//===- Planner.cpp - From a graph to a verified plan ----------------------===//

#include "tapestry/Planner/Planner.h"
#include "tapestry/Planner/Constraints.h"
#include "tapestry/Planner/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <set>

using namespace tapestry;

std::vector<PartVector> Plan::allParts() const {
  std::vector<PartVector> parts;
  for (const PlannedVertex &vertex : vertices)
    parts.push_back(vertex.parts);
  return parts;
}

DeviceGrid tapestry::splitIntoPrimes(const DeviceGrid &userGrid) {
  DeviceGrid grid;
  for (const DeviceGrid::Axis &axis : userGrid.axes)
    grid.axes.append(DeviceGrid::ofPrimes(axis.size, axis.name).axes);
  return grid;
}

/// The user's grid, checked, or the grid of one axis that the device count
/// means.
static llvm::Expected<DeviceGrid> gridOf(const PlannerOptions &options) {
  DeviceGrid grid = options.grid;
  if (grid.axes.empty())
    grid.axes.push_back({"d", options.devices});
  std::set<std::string> names;
  int64_t devices = 1;
  for (const DeviceGrid::Axis &axis : grid.axes) {
    if (axis.size < 1 || axis.size > maxDevices / devices)
      return planError("grid axis '", axis.name, "' has ", axis.size,
                       " devices beside ", devices,
                       " of the axes before it; a grid has 1 to ", maxDevices,
                       " devices");
    if (!names.insert(axis.name).second)
      return planError("grid axis '", axis.name, "' is named twice");
    devices *= axis.size;
  }
  if (options.devices != 0 && options.devices != devices)
    return planError("a plan for ", options.devices, " devices on a grid of ",
                     devices);
  return grid;
}

/// What the readers of an input ask of it, when its parts were left open: the
/// cut of the first reader that the input's own dimensions allow.
static PartVector partsOfInput(const PlanGraph &graph, unsigned input,
                               llvm::ArrayRef<PlanUse> uses,
                               llvm::ArrayRef<PartVector> parts,
                               int64_t devices) {
  const PlanVertex &vertex = graph.vertices[input];
  for (const PlanUse &use : uses) {
    PartVector wanted = partsOfOperand(graph.vertices[use.vertex], use.operand,
                                       parts[use.vertex]);
    if (isStoredAsConsumed(vertex, uses))
      return wanted;
    int64_t product = 1;
    bool isPossible = true;
    for (auto [count, extent] : llvm::zip_equal(wanted, vertex.shape)) {
      product *= count;
      isPossible = isPossible && count <= extent && devices % product == 0;
    }
    if (isPossible)
      return wanted;
  }
  return PartVector(vertex.shape.size(), 1);
}

llvm::Expected<Plan> tapestry::completePlan(const PlanGraph &graph,
                                            const PlanSketch &sketch,
                                            const PlacementOptions &options) {
  Plan plan;
  plan.program = sketch.program;
  plan.userGrid = sketch.userGrid;
  plan.grid = splitIntoPrimes(sketch.userGrid);
  plan.devices = plan.grid.numDevices();
  plan.solver = sketch.solver;
  plan.costModel = sketch.costModel;

  auto uses = graph.uses();
  std::vector<PartVector> parts(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (sketch.parts[v]) {
      parts[v] = *sketch.parts[v];
      if (llvm::Error error =
              verifyVertexParts(graph.vertices[v], parts[v], plan.devices))
        return error;
    } else if (!graph.vertices[v].isInput) {
      return planError("vertex '", graph.vertices[v].name,
                       "' has no parts in the plan");
    }
  }
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (!sketch.parts[v])
      parts[v] = partsOfInput(graph, v, uses[v], parts, plan.devices);

  if (llvm::Error error = verifyParts(graph, parts, plan.devices))
    return error;
  for (unsigned v = 0; v < sketch.partitions.size(); ++v)
    if (sketch.partitions[v])
      if (llvm::Error error = verifyAxes(graph.vertices[v], plan.grid, parts[v],
                                         *sketch.partitions[v]))
        return error;

  auto placement =
      placeGraph(graph, plan.grid, parts, sketch.partitions, options);
  if (!placement)
    return placement.takeError();
  plan.placement = std::move(*placement);
  plan.peakBytesPerDevice =
      peakBytesPerDevice(graph, plan.grid, plan.placement);
  std::vector<VertexCost> costs = paperCosts(graph, parts);
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    plan.vertices.push_back({graph.vertices[v].name, parts[v], costs[v]});
    plan.cost += costs[v].total();
  }
  return plan;
}

/// A solver that finds nothing better lets members of a group differ.
static llvm::Error checkGroups(const PlanGraph &graph,
                               const PlanSketch &sketch) {
  auto resultParts = [&](unsigned v) {
    PartVector parts;
    for (const ProjectionDim &dim : graph.vertices[v].output.dims)
      parts.push_back(dim.terms.empty() ? 1
                                        : (*sketch.parts[v])[dim.terms[0].dim]);
    return parts;
  };
  for (const std::vector<unsigned> &members : layoutGroups(graph))
    for (unsigned i = 1; i < members.size(); ++i) {
      const PlanVertex &a = graph.vertices[members[i - 1]];
      const PlanVertex &b = graph.vertices[members[i]];
      PartVector partsA = resultParts(members[i - 1]);
      PartVector partsB = resultParts(members[i]);
      if (partsA != partsB)
        return planError("layout group '", a.constraints.layoutGroup,
                         "': no viable partitions give '", a.name, "' and '",
                         b.name, "' equal layouts; the nearest plan has ",
                         partsToString(partsA), " and ", partsToString(partsB),
                         " parts");
    }
  return llvm::Error::success();
}

llvm::Expected<Plan> tapestry::plan(const PlanGraph &graph,
                                    const PlannerOptions &options) {
  auto start = std::chrono::steady_clock::now();
  if (options.costModel != "paper")
    return planError("unknown cost model '", options.costModel,
                     "', there is 'paper'");
  auto solver = solverNamed(options.solver);
  if (!solver)
    return solver.takeError();
  auto grid = gridOf(options);
  if (!grid)
    return grid.takeError();
  if (llvm::Error error = graph.validate())
    return error;

  auto problem = buildPaperProblem(graph, splitIntoPrimes(*grid));
  if (!problem)
    return problem.takeError();
  auto solution = (*solver)->solve(*problem, options.solverOptions);
  if (!solution)
    return solution.takeError();

  PlanSketch sketch;
  sketch.program = options.program;
  sketch.userGrid = *grid;
  sketch.solver = options.solver;
  sketch.costModel = options.costModel;
  for (PartVector &parts : partsOfSolution(graph, *problem, solution->choice))
    sketch.parts.push_back(std::move(parts));
  if (llvm::Error error = checkGroups(graph, sketch))
    return std::move(error);
  auto plan = completePlan(graph, sketch, options.placementOptions);
  if (!plan)
    return plan.takeError();
  // Preferences count for the solver only. What it proved then holds for all
  // plans that break no more of them than this one.
  double penalty = paperPenalty(graph, plan->grid, plan->allParts());
  plan->lowerBound =
      std::min(std::max(0.0, solution->lowerBound - penalty), plan->cost);
  plan->provedOptimal = solution->provedOptimal;
  if (plan->provedOptimal)
    plan->lowerBound = plan->cost;
  if (llvm::Error error = verifyPlan(graph, *plan))
    return error;
  plan->planSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return plan;
}
