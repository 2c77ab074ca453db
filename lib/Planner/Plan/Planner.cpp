//===- Planner.cpp - From a graph to a verified plan ----------------------===//

#include "tapestry/Planner/Plan/Planner.h"
#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include "tapestry/Planner/Cost/Seconds/SpmdRelaxation.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/CutEnumerator.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <map>
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
    if (vertex.storedFor)
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

/// The parts that go with decided placements.
static std::vector<PartVector>
partsOfPlacement(const PlanGraph &graph, const DeviceGrid &grid,
                 llvm::ArrayRef<VertexPlacement> placed) {
  std::vector<PartVector> parts(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (placed[v].partition)
      for (const Cut &cut : placed[v].partition->cuts)
        parts[v].push_back(partsOf(grid, cut));
  setStoredParts(graph, parts);
  return parts;
}

/// The parts of all vertices, those that the sketch leaves open included.
static llvm::Expected<std::vector<PartVector>>
completeParts(const PlanGraph &graph, const PlanSketch &sketch,
              int64_t devices) {
  auto uses = graph.uses();
  std::vector<PartVector> parts(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (sketch.parts[v]) {
      parts[v] = *sketch.parts[v];
      if (llvm::Error error =
              verifyVertexParts(graph.vertices[v], parts[v], devices))
        return std::move(error);
    } else if (!graph.vertices[v].isInput) {
      return planError("vertex '", graph.vertices[v].name,
                       "' has no parts in the plan");
    }
  }
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (!sketch.parts[v])
      parts[v] = partsOfInput(graph, v, uses[v], parts, devices);
  return parts;
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
  plan.machine = sketch.machine;
  plan.idleDevices = sketch.idleDevices;

  std::vector<PartVector> parts;
  if (!sketch.placed.empty()) {
    plan.placement.vertices = sketch.placed;
    listCollectives(graph, plan.grid, plan.placement);
    parts = partsOfPlacement(graph, plan.grid, sketch.placed);
  } else {
    auto completed = completeParts(graph, sketch, plan.devices);
    if (!completed)
      return completed.takeError();
    parts = std::move(*completed);
  }
  if (llvm::Error error = verifyParts(graph, parts, plan.devices))
    return error;
  if (sketch.placed.empty()) {
    for (unsigned v = 0; v < sketch.partitions.size(); ++v)
      if (sketch.partitions[v])
        if (llvm::Error error = verifyAxes(graph.vertices[v], plan.grid,
                                           parts[v], *sketch.partitions[v]))
          return error;
    auto placement =
        placeGraph(graph, plan.grid, parts, sketch.partitions, options);
    if (!placement)
      return placement.takeError();
    plan.placement = std::move(*placement);
  }
  plan.peakBytesPerDevice =
      peakBytesPerDevice(graph, plan.grid, plan.placement);
  std::vector<VertexCost> costs =
      plan.costModel == "spmd"
          ? spmdCosts(graph, plan.grid, plan.machine, plan.placement)
          : paperCosts(graph, parts);
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
        return layoutGroupError(
            b, planError("no viable partitions give '", a.name, "' and '",
                         b.name, "' equal layouts; the nearest plan has ",
                         partsToString(partsA), " and ", partsToString(partsB),
                         " parts"));
    }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

static PlanSketch sketchOf(const PlannerOptions &options,
                           const DeviceGrid &userGrid) {
  PlanSketch sketch;
  sketch.program = options.program;
  sketch.userGrid = userGrid;
  sketch.solver = options.solver;
  sketch.costModel = options.costModel;
  return sketch;
}

/// Writes what the solver knows into the plan: no plan on `grid` costs less
/// than `lowerBound`.
static void stateBound(Plan &plan, double lowerBound, bool isProved) {
  plan.lowerBound =
      isProved ? plan.cost : std::clamp(lowerBound, 0.0, plan.cost);
  plan.provedOptimal = isProved;
}

static llvm::Expected<Plan> planPaper(const PlanGraph &graph,
                                      const PlannerOptions &options,
                                      SolverFunction solve) {
  auto grid = gridOf(options);
  if (!grid)
    return grid.takeError();
  auto problem = buildPaperProblem(graph, splitIntoPrimes(*grid));
  if (!problem)
    return problem.takeError();
  limitPaperMemory(graph, options.memoryLimit, *problem);
  auto solution = solve(*problem, options.solverOptions);
  if (!solution)
    return solution.takeError();
  PlanSketch sketch = sketchOf(options, *grid);
  for (PartVector &parts : partsOfSolution(graph, *problem, solution->choice))
    sketch.parts.push_back(std::move(parts));
  if (llvm::Error error = checkGroups(graph, sketch))
    return std::move(error);
  auto plan = completePlan(graph, sketch, options.placementOptions);
  // Preferences count for the solver only. What it proved then holds for all
  // plans that break no more of them than this one.
  if (plan)
    stateBound(*plan,
               solution->lowerBound -
                   paperPenalty(graph, plan->grid, plan->allParts()),
               solution->provedOptimal);
  return plan;
}

/// Merges axes in other ways while plans are far from `lowerBound`: a problem
/// with a cheaper solution takes the place of `problem` and `solution`.
static void tryOtherMerges(const PlanGraph &graph, const DeviceGrid &grid,
                           const PlannerOptions &options, SolverFunction solve,
                           double lowerBound, SpmdProblem &problem,
                           Solution &solution) {
  constexpr unsigned mostTries = 3;
  constexpr double closeEnough = 0.97;
  SpmdOptions spmd;
  unsigned tries = 0;
  for (std::vector<Cut> &groups : otherGroupings(grid, problem.groups)) {
    if (lowerBound >= closeEnough * solution.cost || ++tries > mostTries)
      return;
    spmd.groups = std::move(groups);
    auto other = buildSpmdProblem(graph, grid, options.machine, spmd);
    if (!other) { // Not every pin can be met.
      llvm::consumeError(other.takeError());
      continue;
    }
    auto found = solve(other->problem, options.solverOptions);
    if (!found) {
      llvm::consumeError(found.takeError());
      continue;
    }
    if (found->cost < solution.cost) {
      problem = std::move(*other);
      solution = std::move(*found);
    }
  }
}

/// Sets `penalty` to what broken preferences add to the plan's cost in the
/// search. Where axes are merged more effort finds a close bound and better
/// merges.
static llvm::Expected<Plan>
planSpmdOn(const PlanGraph &graph, const PlannerOptions &options,
           SolverFunction solve, const DeviceGrid &userGrid, double &penalty,
           bool moreEffort = true) {
  DeviceGrid grid = splitIntoPrimes(userGrid);
  SpmdOptions spmd;
  spmd.memoryLimit = options.memoryLimit;
  auto problem = buildSpmdProblem(graph, grid, options.machine, spmd);
  if (!problem)
    return problem.takeError();
  auto solution = solve(problem->problem, options.solverOptions);
  if (!solution)
    return solution.takeError();
  // Where axes were merged the solver's bound holds for the merged ones only.
  bool isComplete = problem->isComplete;
  moreEffort = moreEffort && !isComplete;
  double anyPlan = moreEffort ? spmdLowerBound(graph, grid, options.machine)
                              : independentSeconds(graph, options.machine,
                                                   grid.numDevices());
  if (moreEffort && options.memoryLimit == 0)
    tryOtherMerges(graph, grid, options, solve, anyPlan, *problem, *solution);
  penalty = problem->penalty(solution->choice);
  PlanSketch sketch = sketchOf(options, userGrid);
  sketch.machine = options.machine;
  sketch.placed = problem->placementOf(solution->choice).vertices;
  auto plan = completePlan(graph, sketch, options.placementOptions);
  if (!plan)
    return plan;
  if (isComplete)
    stateBound(*plan, std::max(solution->lowerBound - penalty, anyPlan),
               solution->provedOptimal);
  else
    stateBound(*plan, anyPlan, false);
  return plan;
}

/// The device counts below `devices` that are worth a look, largest first: few
/// of them all; else some with small prime factors, which share work in many
/// ways, and the powers of two.
static std::vector<int64_t> fewerDevices(const PlanGraph &graph,
                                         int64_t devices) {
  std::vector<int64_t> counts;
  size_t mostSmooth =
      devices > 512
          ? 1
          : std::clamp<size_t>(400 / (1 + graph.vertices.size()), 1, 8);
  bool tryAll = devices <= 8 && graph.vertices.size() <= 100;
  size_t smooth = 0;
  for (int64_t count = devices - 1; count >= 1; --count) {
    llvm::SmallVector<int64_t> factors = primeFactors(count);
    bool isSmooth = !factors.empty() && factors.back() <= 7 &&
                    factors.size() > 1 && smooth < mostSmooth;
    smooth += isSmooth;
    if (tryAll || isSmooth || llvm::isPowerOf2_64(count))
      counts.push_back(count);
  }
  return counts;
}

/// No plan for at most `devices` devices costs less; `known` holds bounds for
/// some counts, `cost` is that of a plan.
static double boundOverCounts(const PlanGraph &graph, const Machine &machine,
                              int64_t devices,
                              const std::map<int64_t, double> &known,
                              double cost) {
  double least = cost;
  unsigned looked = 0;
  constexpr unsigned mostLooks = 64;
  // They only have to be no better, which is seen soon.
  RelaxationOptions effort;
  effort.rounds = 2;
  effort.mostChoices = 3000;
  for (int64_t count = devices; count >= 1; --count) {
    double easy = independentSeconds(graph, machine, count);
    // Fewer devices share the work less.
    if (easy >= least)
      break;
    if (++looked > mostLooks)
      return easy;
    auto grid = gridOn(machine, count);
    if (!grid) {
      llvm::consumeError(grid.takeError());
      continue;
    }
    auto it = known.find(count);
    least = std::min(least, it != known.end()
                                ? it->second
                                : spmdLowerBound(graph, splitIntoPrimes(*grid),
                                                 machine, least, effort));
  }
  return least;
}

static llvm::Expected<Plan>
planSpmd(const PlanGraph &graph, PlannerOptions options, SolverFunction solve) {
  if (options.machine.name.empty())
    options.machine = builtInMachines().front();
  if (!options.grid.axes.empty()) {
    auto grid = gridOf(options);
    if (!grid)
      return grid.takeError();
    double penalty = 0;
    return planSpmdOn(graph, options, solve, *grid, penalty);
  }
  int64_t devices = options.devices;
  double penalty = 0;
  auto planFor = [&](int64_t count) -> llvm::Expected<Plan> {
    auto grid = gridOn(options.machine, count);
    if (!grid)
      return grid.takeError();
    return planSpmdOn(graph, options, solve, *grid, penalty,
                      /*moreEffort=*/count == devices);
  };
  if (devices < 1 || devices > maxDevices)
    return planError("a plan for ", devices, " devices; there are 1 to ",
                     maxDevices);
  auto best = planFor(devices);
  if (!options.mayIdle)
    return best;
  // Not every count is a grid on every machine: then fewer are planned for.
  // What else is wrong is an error.
  std::string refusal;
  if (auto grid = gridOn(options.machine, devices); !grid)
    refusal = llvm::toString(grid.takeError());
  int64_t most = 1;
  for (const Machine::Axis &axis : options.machine.axes)
    most *= axis.size;
  if (!refusal.empty() && devices > most) {
    llvm::consumeError(best.takeError());
    return planError(refusal);
  }
  if (!best && refusal.empty())
    return best;
  if (!best)
    llvm::consumeError(best.takeError());
  bool isFound = refusal.empty();
  std::map<int64_t, double> bounds;
  bool isProved = false;
  double price = 0;
  if (isFound) {
    price = best->cost + penalty;
    bounds[devices] = best->lowerBound;
    isProved = best->provedOptimal;
  }
  for (int64_t count : fewerDevices(graph, devices)) {
    // Fewer devices share the work less: no count from here on is cheaper.
    if (isFound && independentSeconds(graph, options.machine, count) >= price)
      break;
    auto plan = planFor(count);
    if (!plan) {
      llvm::consumeError(plan.takeError());
      continue;
    }
    if (plan->provedOptimal)
      bounds[count] = plan->lowerBound;
    if (!isFound || plan->cost + penalty < price) {
      price = plan->cost + penalty;
      isProved = isFound && plan->provedOptimal;
      best = std::move(plan);
      best->idleDevices = devices - count;
      isFound = true;
    }
  }
  if (!isFound)
    return planError(refusal);
  double lowerBound =
      boundOverCounts(graph, options.machine, devices, bounds, best->cost);
  stateBound(*best, lowerBound, isProved && lowerBound >= best->cost);
  return best;
}

/// The problem's bytes are those of choices; the placement of a solution may
/// need more, e.g. where axes cannot be aligned. Then the problem is solved
/// again with that much less.
static llvm::Expected<Plan> planWithinMemory(const PlanGraph &graph,
                                             PlannerOptions options,
                                             SolverFunction solve) {
  constexpr unsigned mostAttempts = 4;
  int64_t limit = options.memoryLimit, least = 0;
  double lowerBound = 0;
  for (unsigned attempt = 0; attempt < mostAttempts; ++attempt) {
    auto plan = options.costModel == "spmd" ? planSpmd(graph, options, solve)
                                            : planPaper(graph, options, solve);
    if (!plan && attempt == 0)
      return plan;
    if (!plan) {
      llvm::consumeError(plan.takeError());
      break;
    }
    if (limit == 0 || plan->peakBytesPerDevice <= limit) {
      // A tightened problem proves nothing about the one that was asked.
      if (attempt > 0)
        stateBound(*plan, lowerBound, false);
      return plan;
    }
    if (attempt == 0)
      lowerBound = plan->lowerBound;
    least = attempt == 0 ? plan->peakBytesPerDevice
                         : std::min(least, plan->peakBytesPerDevice);
    options.memoryLimit -= plan->peakBytesPerDevice - limit;
    if (options.memoryLimit <= 0)
      break;
  }
  return llvm::make_error<MemoryError>(
      least, limit,
      joinedText("the best plan found needs ", least,
                 " bytes per device, the limit is ", limit));
}

llvm::Expected<Plan> tapestry::plan(const PlanGraph &graph,
                                    const PlannerOptions &options) {
  auto start = std::chrono::steady_clock::now();
  if (options.costModel != "paper" && options.costModel != "spmd")
    return planError("unknown cost model '", options.costModel,
                     "', there are 'paper' and 'spmd'");
  auto solver = solverNamed(options.solver);
  if (!solver)
    return solver.takeError();
  if (llvm::Error error = graph.validate())
    return error;
  auto plan = planWithinMemory(graph, options, (*solver)->solve);
  if (!plan)
    return plan;
  if (llvm::Error error = verifyPlan(graph, *plan))
    return error;
  plan->planSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return plan;
}
