//===- Planner.cpp - From a graph to a verified plan ----------------------===//

#include "tapestry/Planner/Plan/Planner.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/Partitions.h"
#include "tapestry/Planner/Optimize/PeakSearch.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <chrono>
#include <limits>
#include <map>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::plan;

/// The user's grid, checked, or the grid of one axis that the device count
/// means.
static llvm::Expected<DeviceGrid> gridOf(const PlannerOptions &options) {
  DeviceGrid given = options.grid;
  if (given.axes.empty())
    given.axes.push_back({"d", options.devices});
  auto grid = DeviceGrid::ofAxes(given.axes);
  if (!grid)
    return planError("grid ", llvm::toString(grid.takeError()));
  int64_t devices = grid->numDevices();
  if (options.devices != 0 && options.devices != devices)
    return planError("a plan for ", countOf(options.devices, "device"),
                     " on a grid of ", devices);
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
    } else if (graph.vertices[v].cutAs) {
      parts[v] = parts[*graph.vertices[v].cutAs];
    } else if (!graph.vertices[v].isInput) {
      return planError("vertex '", graph.vertices[v].name,
                       "' has no parts in the plan");
    }
  }
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (!sketch.parts[v] && graph.vertices[v].isInput)
      parts[v] = partsOfInput(graph, v, uses[v], parts, devices);
  return parts;
}

llvm::Expected<Plan> plan::completePlan(const PlanGraph &graph,
                                        const PlanSketch &sketch,
                                        const PlacementOptions &options) {
  auto model = costModelNamed(sketch.costModel);
  if (!model)
    return model.takeError();
  Plan plan;
  plan.program = sketch.program;
  plan.userGrid = sketch.userGrid;
  plan.grid = splitIntoPrimes(sketch.userGrid);
  plan.devices = plan.grid.numDevices();
  plan.solver = sketch.solver;
  plan.costModel = sketch.costModel;
  plan.machine = sketch.machine;
  plan.idleDevices = sketch.idleDevices;
  if (llvm::Error error = checkDevicePins(graph, plan.devices))
    return error;

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
  std::vector<VertexCost> costs = (*model)->price(
      {{graph, plan.grid, plan.machine}, parts, plan.placement});
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    plan.vertices.push_back({graph.vertices[v].name, parts[v], costs[v]});
    plan.cost += costs[v].total();
  }
  return plan;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

/// Writes what the solver knows into the plan: no plan on `grid` costs less
/// than `lowerBound`.
static void stateBound(Plan &plan, double lowerBound, bool isProved) {
  plan.lowerBound =
      isProved ? plan.cost : std::clamp(lowerBound, 0.0, plan.cost);
  plan.provedOptimal = isProved;
}

namespace {

/// The search for a plan of one graph under one cost model.
class Search {
public:
  Search(const PlanGraph &graph, PlannerOptions given, const CostModel &model,
         SolverFunction solve)
      : graph(graph), options(std::move(given)), model(model), solve(solve) {
    if (!model.needsMachine())
      options.machine = Machine();
    else if (options.machine.name.empty())
      options.machine = builtInMachines().front();
  }

  /// The best plan that keeps the memory limit.
  llvm::Expected<Plan> run();

private:
  /// A plan and what broken preferences add to its cost in the search.
  struct Found {
    Plan plan;
    double penalty = 0;
  };
  /// What searches under the memory limit have found out without a plan.
  struct Need {
    int64_t leanest = std::numeric_limits<int64_t>::max();
    int64_t lowerBound = std::numeric_limits<int64_t>::max();
    /// Whether that is said of all plans.
    bool isComplete = true;
    std::string holders;
  };
  llvm::Expected<Plan> runOnGrids();
  llvm::Expected<Plan> planOfChoice(const DeviceGrid &userGrid,
                                    const ModelProblem &problem,
                                    llvm::ArrayRef<uint32_t> choice) const;
  std::vector<uint32_t> unlimitedChoice(const DeviceGrid &userGrid,
                                        const ModelProblem &problem) const;
  llvm::Expected<Found> planWithin(const DeviceGrid &userGrid,
                                   const ModelProblem &problem);
  llvm::Error refusal() const;
  llvm::Expected<DeviceGrid> gridFor(int64_t devices) const;
  llvm::Expected<Found> planOn(const DeviceGrid &userGrid, bool moreEffort);
  llvm::Expected<Found> planFor(int64_t devices);
  llvm::Expected<Plan> planForAtMost(int64_t devices);
  void tryOthers(double lowerBound, std::unique_ptr<ModelProblem> &problem,
                 Solution &solution) const;
  double boundOverCounts(const std::map<int64_t, double> &known,
                         double cost) const;

  const PlanGraph &graph;
  PlannerOptions options;
  const CostModel &model;
  SolverFunction solve;
  /// That of the search under way; 0: none.
  int64_t memoryLimit = 0;
  /// The best plan without it, and what was found out with it.
  std::optional<Plan> unlimited;
  Need need;
};

} // namespace

/// The grid that a number of devices means.
llvm::Expected<DeviceGrid> Search::gridFor(int64_t devices) const {
  if (model.needsMachine()) {
    if (devices < 1 || devices > maxDevices)
      return planError("a plan for ", countOf(devices, "device"),
                       "; there are 1 to ", maxDevices);
    return gridOn(options.machine, devices);
  }
  PlannerOptions counted;
  counted.devices = devices;
  return gridOf(counted);
}

/// Leaves other plans out while the best that was found is far from
/// `lowerBound`: a problem with a cheaper solution takes the place of `problem`
/// and `solution`.
void Search::tryOthers(double lowerBound,
                       std::unique_ptr<ModelProblem> &problem,
                       Solution &solution) const {
  constexpr unsigned mostTries = 3;
  constexpr double closeEnough = 0.97;
  unsigned tries = 0;
  std::unique_ptr<ModelProblem> better;
  for (const ModelProblem::Builder &build : problem->others()) {
    if (lowerBound >= closeEnough * solution.cost || ++tries > mostTries)
      break;
    auto other = build();
    if (!other) { // Not every constraint can be met.
      llvm::consumeError(other.takeError());
      continue;
    }
    auto found = solve((*other)->problem(), options.solverOptions);
    if (!found) {
      llvm::consumeError(found.takeError());
      continue;
    }
    if (found->cost < solution.cost) {
      better = std::move(*other);
      solution = std::move(*found);
    }
  }
  if (better)
    problem = std::move(better);
}

/// The plan that a choice per variable means.
llvm::Expected<Plan>
Search::planOfChoice(const DeviceGrid &userGrid, const ModelProblem &problem,
                     llvm::ArrayRef<uint32_t> choice) const {
  auto decision = problem.decode(choice);
  if (!decision)
    return decision.takeError();
  PlanSketch sketch;
  sketch.program = options.program;
  sketch.userGrid = userGrid;
  sketch.solver = options.solver;
  sketch.costModel = options.costModel;
  sketch.machine = options.machine;
  for (PartVector &parts : decision->parts)
    sketch.parts.push_back(std::move(parts));
  sketch.placed = std::move(decision->placed);
  return completePlan(graph, sketch, options.placementOptions);
}

/// The choice that is the best plan without a limit, if it is one of this
/// problem; else empty.
std::vector<uint32_t>
Search::unlimitedChoice(const DeviceGrid &userGrid,
                        const ModelProblem &problem) const {
  std::vector<uint32_t> known;
  if (!unlimited || !(unlimited->userGrid == userGrid))
    return known;
  for (std::optional<uint32_t> choice :
       problem.choicesOf(unlimited->decided(graph))) {
    if (!choice)
      return {};
    known.push_back(*choice);
  }
  return known;
}

/// The best plan whose program keeps the limit. The terms of the problem are
/// lower bounds, and so is what they say of plans that are not measured.
llvm::Expected<Search::Found> Search::planWithin(const DeviceGrid &userGrid,
                                                 const ModelProblem &problem) {
  auto peakOf = [&](llvm::ArrayRef<uint32_t> choice) -> std::optional<int64_t> {
    auto plan = planOfChoice(userGrid, problem, choice);
    if (!plan) { // Not every choice can be placed.
      llvm::consumeError(plan.takeError());
      return std::nullopt;
    }
    measurePeak(*plan, options.findPeak);
    return plan->peakBytesPerDevice;
  };
  auto outcome =
      searchWithinPeak(problem.problem(), options.solverOptions, peakOf,
                       /*limits=*/{}, unlimitedChoice(userGrid, problem));
  if (!outcome)
    return outcome.takeError();
  if (outcome->leanest <= need.leanest) {
    need.leanest = outcome->leanest;
    need.holders = outcome->holders;
  }
  const Solution &solution = outcome->solution;
  if (solution.choice.empty()) {
    need.lowerBound = std::min(need.lowerBound, outcome->lowerBound);
    need.isComplete = need.isComplete && problem.isComplete();
    return refusal();
  }
  auto plan = planOfChoice(userGrid, problem, solution.choice);
  if (!plan)
    return plan.takeError();
  measurePeak(*plan, options.findPeak);
  if (!solution.provedOptimal && options.solver == allSolvers().front().name)
    plan->solver = "bounded";
  double penalty = problem.penalty(solution.choice);
  bool isProved = problem.isComplete() && solution.provedOptimal;
  stateBound(*plan, problem.isComplete() ? solution.lowerBound - penalty : 0,
             isProved);
  return Found{std::move(*plan), penalty};
}

/// Where the problem leaves plans out more effort finds a close bound and
/// better plans.
llvm::Expected<Search::Found> Search::planOn(const DeviceGrid &userGrid,
                                             bool moreEffort) {
  DeviceGrid grid = splitIntoPrimes(userGrid);
  CostContext context{graph, grid, options.machine};
  auto problem = model.buildProblem(context, memoryLimit);
  if (!problem)
    return problem.takeError();
  if (memoryLimit != 0)
    return planWithin(userGrid, **problem);
  auto solution = solve((*problem)->problem(), options.solverOptions);
  if (!solution)
    return solution.takeError();
  // Of an incomplete problem the solver's bound holds for its own plans only.
  bool isComplete = (*problem)->isComplete();
  moreEffort = moreEffort && !isComplete;
  double anyPlan =
      moreEffort
          ? model.lowerBound(context, CostModel::Effort::Much)
          : model.independentBound(graph, options.machine, grid.numDevices());
  if (moreEffort)
    tryOthers(anyPlan, *problem, *solution);
  auto plan = planOfChoice(userGrid, **problem, solution->choice);
  if (!plan)
    return plan.takeError();
  // Preferences count for the solver only. What it proved then holds for all
  // plans that break no more of them than this one.
  double penalty = (*problem)->penalty(solution->choice);
  if (isComplete)
    stateBound(*plan, std::max(solution->lowerBound - penalty, anyPlan),
               solution->provedOptimal);
  else
    stateBound(*plan, anyPlan, false);
  return Found{std::move(*plan), penalty};
}

/// What was found out where nothing was found to keep the limit.
llvm::Error Search::refusal() const {
  llvm::StringRef every =
      need.isComplete ? "every plan" : "every plan that was looked at";
  bool isProved = need.lowerBound > options.memoryLimit;
  std::string text = joinedText(
      isProved ? "no plan keeps within " : "no plan was found to keep within ",
      countOf(options.memoryLimit, "byte"), " per device: ");
  if (need.lowerBound == need.leanest)
    text += joinedText("the least that any plan",
                       need.isComplete ? "" : " that was looked at",
                       " needs is ", countOf(need.leanest, "byte"));
  else
    text += joinedText("it is proved that ", every, " needs at least ",
                       countOf(need.lowerBound, "byte"),
                       ", the leanest that was found ", need.leanest);
  if (!need.holders.empty())
    text += "; most is held by " + need.holders;
  return llvm::make_error<MemoryError>(need.leanest, options.memoryLimit, text);
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

/// No plan for at most options.devices devices costs less; `known` holds bounds
/// for some counts, `cost` is that of a plan.
double Search::boundOverCounts(const std::map<int64_t, double> &known,
                               double cost) const {
  double least = cost;
  unsigned looked = 0;
  constexpr unsigned mostLooks = 64;
  for (int64_t count = options.devices; count >= 1; --count) {
    double easy = model.independentBound(graph, options.machine, count);
    // Fewer devices share the work less.
    if (easy >= least)
      break;
    if (++looked > mostLooks)
      return easy;
    auto userGrid = gridFor(count);
    if (!userGrid) {
      llvm::consumeError(userGrid.takeError());
      continue;
    }
    auto it = known.find(count);
    DeviceGrid grid = splitIntoPrimes(*userGrid);
    // They only have to be no better, which is seen soon.
    least = std::min(least,
                     it != known.end()
                         ? it->second
                         : model.lowerBound({graph, grid, options.machine},
                                            CostModel::Effort::Little, least));
  }
  return least;
}

llvm::Expected<Search::Found> Search::planFor(int64_t devices) {
  auto grid = gridFor(devices);
  if (!grid)
    return grid.takeError();
  return planOn(*grid, /*moreEffort=*/devices == options.devices);
}

llvm::Expected<Plan> Search::planForAtMost(int64_t devices) {
  auto best = planFor(devices);
  // Not every count is a grid on every machine: then fewer are planned for.
  // What else is wrong is an error.
  ErrorFacts refused;
  if (auto grid = gridFor(devices); !grid)
    refused = factsOf(grid.takeError());
  bool isRefused = !refused.text.empty();
  int64_t most = 1;
  for (const Machine::Axis &axis : options.machine.axes)
    most *= axis.size;
  if (isRefused && devices > most) {
    llvm::consumeError(best.takeError());
    return refused.toError();
  }
  // Fewer devices may need less memory where they cut more evenly.
  bool wantsMemory = false;
  if (!best && !isRefused) {
    llvm::Error error = best.takeError();
    wantsMemory = memoryLimit != 0 && error.isA<MemoryError>();
    if (!wantsMemory)
      return std::move(error);
    llvm::consumeError(std::move(error));
  } else if (!best) {
    llvm::consumeError(best.takeError());
  }
  bool isFound = !isRefused && !wantsMemory;
  std::map<int64_t, double> bounds;
  bool isProved = false;
  double price = 0;
  if (isFound) {
    price = best->plan.cost + best->penalty;
    bounds[devices] = best->plan.lowerBound;
    isProved = best->plan.provedOptimal;
  }
  std::vector<int64_t> others = fewerDevices(graph, devices);
  for (int64_t count : others) {
    // Fewer devices share the work less: no count from here on is cheaper.
    if (isFound &&
        model.independentBound(graph, options.machine, count) >= price)
      break;
    auto found = planFor(count);
    if (!found) {
      llvm::consumeError(found.takeError());
      continue;
    }
    if (found->plan.provedOptimal)
      bounds[count] = found->plan.lowerBound;
    if (!isFound || found->plan.cost + found->penalty < price) {
      price = found->plan.cost + found->penalty;
      isProved = isFound && found->plan.provedOptimal;
      best = std::move(found);
      best->plan.idleDevices = devices - count;
      isFound = true;
    }
  }
  if (!isFound && wantsMemory) {
    need.isComplete = need.isComplete && others.size() + 1 == size_t(devices);
    return refusal();
  }
  if (!isFound)
    return refused.toError();
  double lowerBound = boundOverCounts(bounds, best->plan.cost);
  stateBound(best->plan, lowerBound, isProved && lowerBound >= best->plan.cost);
  return std::move(best->plan);
}

llvm::Expected<Plan> Search::runOnGrids() {
  bool isNamed = !options.grid.axes.empty();
  if (!isNamed && model.mayIdle() && options.mayIdle)
    return planForAtMost(options.devices);
  auto grid = isNamed || !model.needsMachine() ? gridOf(options)
                                               : gridFor(options.devices);
  if (!grid)
    return grid.takeError();
  auto found = planOn(*grid, /*moreEffort=*/true);
  if (!found)
    return found.takeError();
  return std::move(found->plan);
}

llvm::Expected<Plan> Search::run() {
  auto best = runOnGrids();
  if (!best || options.memoryLimit == 0)
    return best;
  measurePeak(*best, options.findPeak);
  if (best->peakBytesPerDevice <= options.memoryLimit)
    return best;
  double lowerBound = best->lowerBound;
  need.leanest = best->peakBytesPerDevice;
  unlimited = std::move(*best);
  memoryLimit = options.memoryLimit;
  best = runOnGrids();
  // What no plan undercuts, none within the limit does.
  if (best)
    stateBound(*best, std::max(best->lowerBound, lowerBound),
               best->provedOptimal);
  return best;
}

llvm::Expected<Plan> plan::makePlan(const PlanGraph &graph,
                                    const PlannerOptions &options) {
  auto start = std::chrono::steady_clock::now();
  auto model = costModelNamed(options.costModel);
  if (!model)
    return model.takeError();
  auto solver = solverNamed(options.solver);
  if (!solver)
    return solver.takeError();
  if (llvm::Error error = graph.validate())
    return error;
  Search search(graph, options, **model, (*solver)->solve);
  auto plan = search.run();
  if (!plan)
    return plan;
  if (llvm::Error error = verifyPlan(graph, *plan))
    return error;
  plan->planSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  return plan;
}
