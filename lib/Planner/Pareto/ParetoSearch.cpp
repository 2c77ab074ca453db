//===- ParetoSearch.cpp - Grids, threads and the final frontier -----------===//

#include "ParetoStarts.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Plan/PeakMeter.h"
#include "tapestry/Planner/Plan/Verify.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <limits>
#include <thread>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::pareto;
using namespace tapestry::plan;

llvm::Expected<unsigned> SingleGraph::apply(unsigned number,
                                            const Rewrite &rewrite) {
  return planError("no rewrite applies to graph ", number,
                   ", so neither does '", rewrite.kind, "'");
}

Objectives pareto::objectivesOf(const PlanGraph &graph, const Plan &plan,
                                const Machine &machine) {
  Objectives objectives = {};
  // The machine is the search's, which a start need not know.
  for (const VertexCost &cost :
       spmdCosts(graph, plan.grid, machine, plan.placement))
    objectives[Seconds] += cost.total();
  objectives[Bytes] = double(plan.placement.totalBytes());
  objectives[Memory] = double(
      plan.isPeakExact ? plan.peakBytesPerDevice
                       : peakBytesPerDevice(graph, plan.grid, plan.placement));
  objectives[Devices] = double(plan.grid.numDevices());
  return objectives;
}

/// Up to so many devices, every smaller count is tried, beyond it divisors.
static constexpr int64_t allCountsUpTo = 16;

std::vector<DeviceGrid> pareto::gridsWithin(const DeviceGrid &grid) {
  std::vector<DeviceGrid> grids;
  DeviceGrid current = grid;
  auto extend = [&](auto &self, unsigned axis) -> void {
    if (axis == grid.axes.size()) {
      grids.push_back(current);
      return;
    }
    int64_t size = grid.axes[axis].size;
    for (int64_t smaller = size; smaller >= 1; --smaller) {
      bool isOffered = size % smaller == 0 ||
                       (grid.axes.size() == 1 && size <= allCountsUpTo);
      if (!isOffered)
        continue;
      current.axes[axis].size = smaller;
      self(self, axis + 1);
    }
    current.axes[axis].size = size;
  };
  extend(extend, 0);
  llvm::sort(grids, [](const DeviceGrid &a, const DeviceGrid &b) {
    if (a.numDevices() != b.numDevices())
      return a.numDevices() > b.numDevices();
    for (auto [x, y] : llvm::zip_equal(a.axes, b.axes))
      if (x.size != y.size)
        return x.size > y.size;
    return false;
  });
  return grids;
}

/// The plan that a state stands for, complete and verified.
static llvm::Expected<Plan> buildPlan(StateEvaluators &evaluators,
                                      const FoundPlan &found,
                                      const ParetoOptions &options) {
  ParetoState state = evaluators.stateOf(found.sketch);
  StateEvaluator &evaluator = evaluators.of(state);
  PlanSketch sketch;
  sketch.program = options.program;
  sketch.userGrid = evaluators.grids[state.grid];
  sketch.solver = "pareto";
  sketch.costModel = secondsModel().name().str();
  sketch.machine = options.machine;
  sketch.placed = evaluator.place(state).vertices;
  llvm::Expected<Plan> plan =
      completePlan(evaluator.graph, sketch, options.planner.placementOptions);
  if (!plan)
    return plan.takeError();
  if (llvm::Error error = verifyPlan(evaluator.graph, *plan))
    return std::move(error);
  return plan;
}

char LimitsError::ID = 0;

/// How far the plan that came closest is from the limits.
static std::string describeMiss(const LimitsError::Miss &miss) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto breaks = [&](Objective objective) {
    return miss.closest[objective] > miss.limits[objective];
  };
  unsigned limited = 0;
  for (unsigned i = 0; i < numObjectives; ++i)
    limited += miss.limits[i] != noLimits[i];
  os << "no plan within the limits was found"
     << (miss.ranOutOfTime ? " in the time allowed" : "") << "; ";
  // Where memory is the only limit, the closest plan is the leanest.
  os << (limited == 1 && breaks(Memory) ? "the leanest" : "the closest");
  unsigned listed = 0;
  for (unsigned i = 0; i < numObjectives; ++i) {
    if (!breaks(Objective(i)))
      continue;
    os << (listed++ ? ", and " : " ");
    if (i == Memory)
      os << "needs " << (miss.isPeakExact ? "" : "about ")
         << llvm::format("%.15g bytes per device", miss.closest[i]);
    else
      os << llvm::format("has %.15g ", miss.closest[i])
         << stringifyObjective(Objective(i));
    os << llvm::format(" where %.15g are allowed", miss.limits[i]);
  }
  if (miss.provedBytes)
    os << "; it is proved that every plan"
       << (miss.hasRewrites ? " of the program as it is written" : "")
       << " needs at least " << *miss.provedBytes << " bytes";
  return text;
}

LimitsError::LimitsError(const Miss &miss)
    : ErrorInfo(miss.closest[Memory] > miss.limits[Memory] ? Fault::Machine
                                                           : Fault::Program,
                "", describeMiss(miss)) {}

/// The memory that every plan of a graph needs on any of some grids; nothing
/// where that is not known of one of them.
static std::optional<int64_t> provedBytes(const PlanGraph &graph,
                                          llvm::ArrayRef<DeviceGrid> userGrids,
                                          const ParetoOptions &options) {
  std::optional<int64_t> least;
  for (const DeviceGrid &userGrid : userGrids) {
    DeviceGrid grid = splitIntoPrimes(userGrid);
    auto problem = secondsModel().buildProblem({graph, grid, options.machine},
                                               /*memoryLimit=*/1);
    if (!problem) {
      llvm::consumeError(problem.takeError());
      return std::nullopt;
    }
    if (!(*problem)->isComplete())
      return std::nullopt;
    auto need =
        leastMemory((*problem)->problem(), options.planner.solverOptions);
    if (!need) {
      llvm::consumeError(need.takeError());
      return std::nullopt;
    }
    least = std::min(least.value_or(need->lowerBound), need->lowerBound);
  }
  return least;
}

/// Why there is no frontier: `closest` breaks the limits least.
static llvm::Error limitsError(const ParetoTask &task,
                               const ParetoMember &closest,
                               const ParetoOptions &options,
                               bool ranOutOfTime) {
  LimitsError::Miss miss;
  miss.closest = closest.objectives;
  miss.limits = options.limits;
  miss.ranOutOfTime = ranOutOfTime;
  miss.isPeakExact = closest.plan.isPeakExact;
  if (miss.closest[Memory] <= miss.limits[Memory] || ranOutOfTime)
    return llvm::make_error<LimitsError>(miss);
  miss.provedBytes = provedBytes(task.space.graph(0), task.grids, options);
  miss.hasRewrites = !task.space.applicable(0).empty();
  // An estimate may be too small.
  if (closest.graph == 0 && !miss.isPeakExact && miss.provedBytes)
    miss.closest[Memory] =
        std::max(miss.closest[Memory], double(*miss.provedBytes));
  return llvm::make_error<LimitsError>(miss);
}

static llvm::Error checkOptions(const ParetoOptions &options) {
  if (options.threads < 1 || options.threads > 1024)
    return planError("a Pareto search has 1 to 1024 threads, not ",
                     options.threads);
  if (options.evaluations < 0)
    return planError("a Pareto search cannot try ", options.evaluations,
                     " plans");
  if (!(options.timeLimit >= 0))
    return planError("a Pareto search cannot take ", options.timeLimit,
                     " seconds");
  if (!(options.stopping.price >= 0))
    return planError("1000 trials cannot have the price ",
                     options.stopping.price);
  if (options.maxMembers < 1)
    return planError("a frontier has at least 1 member");
  for (unsigned i = 0; i < numObjectives; ++i)
    if (!(options.limits[i] >= 0))
      return planError("the limit of ", stringifyObjective(Objective(i)),
                       " cannot be ", options.limits[i]);
  return llvm::Error::success();
}

/// The grids that a search may use, the whole one first.
static llvm::Expected<std::vector<DeviceGrid>>
gridsToSearch(const ParetoOptions &options) {
  int64_t devices = options.devices;
  if (options.grid.axes.empty()) {
    if (devices < 1 || devices > maxDevices)
      return planError("a plan for ", countOf(devices, "device"),
                       "; there are 1 to ", maxDevices);
    llvm::Expected<DeviceGrid> whole = gridOn(options.machine, devices);
    if (!whole)
      return whole.takeError();
    std::vector<DeviceGrid> grids = {*whole};
    for (int64_t count = devices - 1; options.fewerDevices && count >= 1;
         --count) {
      if (devices > allCountsUpTo && devices % count != 0)
        continue;
      // A count that does not fit the machine's axes is none to try.
      if (llvm::Expected<DeviceGrid> grid = gridOn(options.machine, count))
        grids.push_back(*grid);
      else
        llvm::consumeError(grid.takeError());
    }
    return grids;
  }
  auto grid = DeviceGrid::ofAxes(options.grid.axes);
  if (!grid)
    return planError("grid ", llvm::toString(grid.takeError()));
  int64_t product = grid->numDevices();
  if (devices != 0 && devices != product)
    return planError("a plan for ", countOf(devices, "device"),
                     " on a grid of ", product);
  if (options.fewerDevices)
    return gridsWithin(options.grid);
  return std::vector<DeviceGrid>{options.grid};
}

/// Without a rule that ends a search it would never end.
static constexpr int64_t mostTrials = 100'000'000;

/// Runs all threads; their frontiers together or, where all are empty, the plan
/// that comes closest to the limits.
static std::vector<FoundPlan> runWorkers(const ParetoTask &task,
                                         ParetoFront &front) {
  const ParetoOptions &options = task.options;
  int64_t trials = options.evaluations ? options.evaluations : mostTrials;
  ParetoExchange exchange;
  std::vector<std::unique_ptr<ParetoWorker>> workers;
  for (unsigned w = 0; w < options.threads; ++w)
    workers.push_back(std::make_unique<ParetoWorker>(
        task, w,
        trials / options.threads + (w < trials % options.threads ? 1 : 0),
        options.threads > 1 ? &exchange : nullptr));
  std::vector<std::thread> threads;
  for (unsigned w = 1; w < options.threads; ++w)
    threads.emplace_back([&workers, w] { workers[w]->run(); });
  workers.front()->run();
  for (std::thread &thread : threads)
    thread.join();

  std::vector<FoundPlan> found;
  for (const auto &worker : workers) {
    llvm::append_range(found, worker->frontier());
    front.evaluations += worker->trials();
    if (worker->startVolume() > 0)
      front.volumeGrowth = std::max(front.volumeGrowth,
                                    worker->volume() / worker->startVolume());
    std::vector<MutatorRecord> records = worker->mutatorRecords();
    if (front.mutators.empty())
      for (const MutatorRecord &record : records)
        front.mutators.push_back({record.name});
    for (auto [sum, record] : llvm::zip_equal(front.mutators, records)) {
      sum.fired += record.fired;
      sum.improvements += record.improvements;
      sum.rate += record.rate / options.threads;
    }
  }
  front.stopped = workers.front()->whyStopped().str();
  if (found.empty())
    found.push_back(
        (*llvm::min_element(workers, [](const auto &a, const auto &b) {
          return a->leastViolation() < b->leastViolation();
        }))->closest());
  return found;
}

static std::string
originOf(const FoundPlan &found,
         const std::vector<std::unique_ptr<ParetoMutator>> &mutators) {
  std::string text;
  for (unsigned mutator : found.history)
    text += (text.empty() ? "" : ", ") + mutators[mutator]->name.str();
  return text.empty() ? "start" : text;
}

/// Every start, then what was found and is on a frontier by its estimates:
/// complete plans, with the peaks of their programs where these are known.
static llvm::Expected<std::vector<ParetoMember>>
makeCandidates(const ParetoTask &task, llvm::ArrayRef<StartPlan> starts,
               llvm::ArrayRef<FoundPlan> found) {
  const ParetoOptions &options = task.options;
  std::vector<ParetoMember> candidates;
  auto add = [&](unsigned graph, const Plan &plan, std::string origin) {
    ParetoMember &member = candidates.emplace_back();
    member.graph = graph;
    member.rewrites = task.space.history(graph);
    member.origin = std::move(origin);
    member.plan = plan;
    if (options.findPeak)
      measurePeak(member.plan, [&](const Plan &plan) {
        return options.findPeak(graph, plan);
      });
    member.plan.rewrites = options.earlierRewrites;
    llvm::append_range(member.plan.rewrites, member.rewrites);
    member.objectives =
        objectivesOf(task.space.graph(graph), member.plan, options.machine);
  };
  for (const StartPlan &start : starts)
    add(start.graph, start.plan, start.origin);

  StateEvaluators evaluators(task.space, task.grids, options.machine);
  auto mutators = allMutators();
  std::vector<Objectives> estimates;
  for (const FoundPlan &plan : found)
    estimates.push_back(plan.objectives);
  for (unsigned number : nondominated(estimates)) {
    const FoundPlan &plan = found[number];
    if (plan.start >= 0)
      continue;
    llvm::Expected<Plan> built = buildPlan(evaluators, plan, options);
    if (!built)
      return built.takeError();
    add(plan.sketch.graph, *built, originOf(plan, mutators));
  }
  return candidates;
}

/// Those within the limits that no other beats; of equal ones one whose costs
/// are seconds.
static std::vector<ParetoMember>
frontierOf(llvm::ArrayRef<ParetoMember> candidates, const Objectives &limits) {
  std::vector<const ParetoMember *> within;
  for (bool inSeconds : {true, false})
    for (const ParetoMember &member : candidates)
      if (covers(member.objectives, limits) &&
          member.plan.model().needsMachine() == inSeconds)
        within.push_back(&member);
  std::vector<Objectives> points;
  for (const ParetoMember *member : within)
    points.push_back(member->objectives);
  std::vector<ParetoMember> members;
  for (unsigned number : nondominated(points))
    members.push_back(*within[number]);
  llvm::sort(members, [](const ParetoMember &a, const ParetoMember &b) {
    return a.objectives < b.objectives;
  });
  return members;
}

/// The one that breaks the limits least.
static const ParetoMember &closestOf(llvm::ArrayRef<ParetoMember> candidates,
                                     const Objectives &limits) {
  std::vector<Objectives> points;
  for (const ParetoMember &member : candidates)
    points.push_back(member.objectives);
  ObjectiveScale scale(points);
  return *llvm::min_element(
      candidates, [&](const ParetoMember &a, const ParetoMember &b) {
        return violation(scale(a.objectives), scale(limits)) <
               violation(scale(b.objectives), scale(limits));
      });
}

llvm::Expected<ParetoFront> pareto::searchPareto(RewriteSpace &space,
                                                 const ParetoOptions &request) {
  auto begin = std::chrono::steady_clock::now();
  ParetoOptions options = request;
  if (options.machine.name.empty())
    options.machine = builtInMachines().front();
  if (llvm::Error error = checkOptions(options))
    return error;
  if (llvm::Error error = space.graph(0).validate())
    return error;
  llvm::Expected<std::vector<DeviceGrid>> grids = gridsToSearch(options);
  if (!grids)
    return grids.takeError();

  ParetoOptions searched = options;
  // The search goes by estimates, and what is estimated above the limit may
  // fit: how far they are trusted.
  if (options.findPeak)
    searched.limits[Memory] *= 1.25;
  ParetoTask task = {space, searched, std::move(*grids), {}, begin};
  if (options.timeLimit > 0)
    task.deadline +=
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(
            std::chrono::duration<double>(std::min(options.timeLimit, 1e9)));
  auto starts = findStarts(space, options, task.grids, task.deadline);
  if (!starts)
    return starts.takeError();
  ParetoFront front;
  for (auto [number, start] : llvm::enumerate(*starts)) {
    // A plan may leave devices idle.
    const DeviceGrid &userGrid = start.plan.userGrid;
    unsigned grid = llvm::find(task.grids, userGrid) - task.grids.begin();
    if (grid == task.grids.size())
      task.grids.push_back(userGrid);
    task.starts.push_back(describeStart(space.graph(start.graph), start,
                                        options.machine, grid, number));
    front.starts.push_back({task.starts.back().objectives, start.origin});
  }

  std::vector<FoundPlan> found = runWorkers(task, front);
  auto candidates = makeCandidates(task, *starts, found);
  if (!candidates)
    return candidates.takeError();
  // What the front shows of starts is as exact as of members.
  for (auto [start, member] : llvm::zip(front.starts, *candidates))
    start.objectives = member.objectives;
  std::vector<ParetoMember> members = frontierOf(*candidates, options.limits);
  if (members.empty())
    return limitsError(task, closestOf(*candidates, options.limits), options,
                       front.stopped == "time limit");
  front.members = std::move(members);
  front.seed = options.seed;
  front.threads = options.threads;
  front.searchSeconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin)
          .count();
  return front;
}
