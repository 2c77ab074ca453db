//===- ParetoStarts.cpp - Where a Pareto search starts --------------------===//

#include "ParetoStarts.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;
using namespace tapestry::pareto;
using namespace tapestry::plan;

namespace {

/// Collects the exact plans that a search starts from.
class Starts {
public:
  Starts(RewriteSpace &space, const ParetoOptions &options,
         std::chrono::steady_clock::time_point deadline)
      : space(space), options(options), deadline(deadline) {}

  /// Plans for this grid by every cost model; where they break the limit of
  /// memory, also plans that keep it.
  void add(unsigned graph, const DeviceGrid &grid);
  /// Those of the graphs that plans without a search begin with.
  void addRewritten(const DeviceGrid &grid);
  llvm::Error takeError() {
    return firstError ? firstError->toError()
                      : planError("no cost model to start from");
  }

  std::vector<StartPlan> plans;

private:
  /// The plan that is now the last, or null.
  const Plan *solve(unsigned graph, const PlannerOptions &base,
                    llvm::StringRef model);

  /// Seconds to the deadline; infinitely many without a limit.
  double secondsLeft() const;
  bool isOver() const { return !plans.empty() && secondsLeft() <= 0; }

  RewriteSpace &space;
  const ParetoOptions &options;
  std::chrono::steady_clock::time_point deadline;
  std::optional<ErrorFacts> firstError;
};

} // namespace

double Starts::secondsLeft() const {
  if (options.timeLimit == 0)
    return std::numeric_limits<double>::infinity();
  return std::chrono::duration<double>(deadline -
                                       std::chrono::steady_clock::now())
      .count();
}

/// What a solver may spend in this time: SolverOptions::work counts sums, of
/// which a core forms about so many a second. The first start gets some even
/// where no time is left.
static double workWithin(double seconds) {
  constexpr double sumsPerSecond = 1e9;
  constexpr double leastSeconds = 0.1;
  return std::max(seconds, leastSeconds) * sumsPerSecond;
}

const Plan *Starts::solve(unsigned graph, const PlannerOptions &base,
                          llvm::StringRef model) {
  PlannerOptions request = base;
  request.costModel = model.str();
  // Where the optimum is out of reach, the best that is not.
  for (const SolverInfo &solver : allSolvers()) {
    if (isOver())
      return nullptr;
    request.solver = solver.name.str();
    // No solver works on beyond the deadline, whatever it could prove.
    request.solverOptions.mostWork = workWithin(secondsLeft());
    request.solverOptions.work =
        std::min(base.solverOptions.work, request.solverOptions.mostWork);
    llvm::Expected<Plan> found = makePlan(space.graph(graph), request);
    if (found) {
      std::string origin = request.solver + " (" + request.costModel +
                           (request.memoryLimit ? ", within memory)" : ")") +
                           (graph ? ", rewritten" : "");
      plans.push_back({graph, std::move(*found), std::move(origin)});
      return &plans.back().plan;
    }
    llvm::Error error = found.takeError();
    // Under a limit of memory all solvers search alike.
    bool wantsMemory = error.isA<MemoryError>();
    ErrorFacts facts = factsOf(std::move(error));
    if (!firstError)
      firstError = std::move(facts);
    if (wantsMemory)
      return nullptr;
  }
  return nullptr;
}

void Starts::add(unsigned graph, const DeviceGrid &grid) {
  PlannerOptions request = options.planner;
  request.devices = 0;
  request.grid = grid;
  request.machine = options.machine;
  request.program = options.program;
  // Which plans keep the limit is settled as it is without a search.
  if (options.findPeak)
    request.findPeak = [&](const Plan &plan) {
      return options.findPeak(graph, plan);
    };
  for (const std::string &model : options.startModels) {
    const Plan *free = solve(graph, request, model);
    // Without its limit the best plan may be far from the best within it.
    if (!free || double(free->peakBytesPerDevice) <= options.limits[Memory] ||
        options.limits[Memory] < 1)
      continue;
    PlannerOptions limited = request;
    limited.memoryLimit = int64_t(options.limits[Memory]);
    solve(graph, limited, model);
  }
}

void Starts::addRewritten(const DeviceGrid &grid) {
  if (!options.plainRewrites)
    return;
  // Several plans are compared for one graph.
  constexpr double sharePerPlan = 0.125;
  std::vector<unsigned> known = {0};
  for (const std::string &model : options.startModels) {
    if (isOver())
      return;
    llvm::Expected<unsigned> graph = space.make(
        options.plainRewrites(model, sharePerPlan * workWithin(secondsLeft())));
    if (!graph) {
      llvm::consumeError(graph.takeError());
      continue;
    }
    if (llvm::is_contained(known, *graph))
      continue;
    known.push_back(*graph);
    add(*graph, grid);
  }
}

/// A few of many grids: the largest, the smallest and some between.
static std::vector<unsigned> someOf(size_t grids) {
  constexpr size_t enough = 8;
  std::vector<unsigned> result;
  for (size_t i = 0; i < std::min(grids, enough); ++i)
    result.push_back(grids <= enough ? i : i * (grids - 1) / (enough - 1));
  return result;
}

llvm::Expected<std::vector<StartPlan>>
pareto::findStarts(RewriteSpace &space, const ParetoOptions &options,
                   llvm::ArrayRef<DeviceGrid> grids,
                   std::chrono::steady_clock::time_point deadline) {
  Starts starts(space, options, deadline);
  for (unsigned number : someOf(grids.size())) {
    starts.add(/*graph=*/0, grids[number]);
    if (number == 0)
      starts.addRewritten(grids[number]);
  }
  if (starts.plans.empty())
    return starts.takeError();
  return std::move(starts.plans);
}

FoundPlan pareto::describeStart(const PlanGraph &graph, const StartPlan &start,
                                const Machine &machine, unsigned grid,
                                int number) {
  const Plan &plan = start.plan;
  FoundPlan found;
  found.start = number;
  found.sketch.graph = start.graph;
  found.sketch.grid = grid;
  found.objectives = objectivesOf(graph, plan, machine);
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const VertexPlacement &placed = plan.placement.vertices[v];
    if (vertex.storedFor || !placed.partition)
      found.sketch.partitions.push_back(
          Partition{llvm::SmallVector<Cut, 4>(vertex.labels.size())});
    else
      found.sketch.partitions.push_back(*placed.partition);
  }
  found.sketch.homes.resize(graph.vertices.size());
  bool hasHomes = plan.model().decidesHomes();
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (hasHomes && !graph.vertices[v].isInput)
      found.sketch.homes[v] = plan.placement.vertices[v].home;
  return found;
}
