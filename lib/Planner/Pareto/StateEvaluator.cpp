//===- StateEvaluator.cpp - Fast prices of many plans ---------------------===//

#include "StateEvaluator.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/TensorParts.h"
#include "tapestry/Planner/Plan/Plan.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::pareto;

uint64_t ParetoState::hash() const {
  // FNV-1a over words: the same in every process, unlike llvm::hash_value.
  uint64_t h = 14695981039346656037ull;
  auto add = [&](uint64_t word) { h = (h ^ word) * 1099511628211ull; };
  add(graph);
  add(grid);
  for (uint32_t cut : cuts)
    add(cut);
  for (uint32_t home : homes)
    add(home + (uint64_t(1) << 32));
  return h ^ (h >> 29);
}

/// Appends a number as raw bytes: keys are compared, never read.
static void append(llvm::SmallVectorImpl<char> &key, uint32_t number) {
  const char *bytes = reinterpret_cast<const char *>(&number);
  key.append(bytes, bytes + sizeof(number));
}

StateEvaluator::StateEvaluator(const PlanGraph &graph, DeviceGrid primeGrid,
                               const Machine &machine)
    : graph(graph), grid(std::move(primeGrid)), uses(graph.uses()),
      machine(machine), groups(layoutGroups(graph)),
      vertices(graph.vertices.size()), costs(grid) {
  if (llvm::Error error = checkConstraints(graph, grid)) {
    llvm::consumeError(std::move(error));
    isPossible = false;
  }
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    if (!vertex.constraints.empty())
      constrained.push_back(v);
    // Number 0 is the uncut vertex.
    numberOf(v, Partition{llvm::SmallVector<Cut, 4>(vertex.labels.size())});
    if (!vertex.storedFor && !vertex.cutAs && !vertex.labels.empty() &&
        !grid.axes.empty())
      movable.push_back(v);
  }
}

uint32_t StateEvaluator::numberOf(unsigned v, const Partition &partition) {
  llvm::SmallString<128> key;
  for (const Cut &cut : partition.cuts) {
    append(key, cut.size());
    for (unsigned axis : cut)
      append(key, axis);
  }
  VertexTable &table = vertices[v];
  auto [it, isNew] = table.numbers.try_emplace(key, table.cuts.size());
  if (!isNew)
    return it->second;
  const PlanVertex &vertex = graph.vertices[v];
  VertexCut &cut = table.cuts.emplace_back();
  cut.partition = partition;
  if (isStored(v))
    return it->second;
  cut.result = costs.idOf(resultLayout(vertex, partition));
  for (unsigned o = 0; o < vertex.operands.size(); ++o)
    cut.operands.push_back(
        costs.idOf(operandLayout(graph, vertex, o, partition)));
  cut.workSeconds = workSeconds(graph, vertex, grid, machine, partition);
  if (auto totals = totalsMove(vertex, grid, partition))
    cut.totalBytes =
        double(vertex.trips) *
        double(planResharding(grid, totals->first, totals->second).elements) *
        vertex.bytesPerElement(/*isPartial=*/true);
  return it->second;
}

bool StateEvaluator::isLegal(unsigned v, const Partition &partition) const {
  llvm::SmallVector<bool, 16> used(grid.axes.size(), false);
  for (auto [label, cut] :
       llvm::zip_equal(graph.vertices[v].labels, partition.cuts)) {
    for (unsigned axis : cut) {
      if (used[axis])
        return false;
      used[axis] = true;
    }
    if (partsOf(grid, cut) > label.extent)
      return false;
  }
  return true;
}

std::vector<uint32_t> StateEvaluator::possibleHomes(const ParetoState &state,
                                                    unsigned v) {
  std::vector<uint32_t> homes;
  if (graph.vertices[v].isInput)
    return homes;
  auto add = [&](LayoutId id) {
    if (!llvm::is_contained(homes, id + 1) && costs.isPlain(id))
      homes.push_back(id + 1);
  };
  add(costs.wholeOf(vertices[v].cuts[state.cuts[v]].result));
  for (const PlanUse &use : uses[v])
    add(targetOf(state, use));
  return homes;
}

void StateEvaluator::addMove(ResultRoute &route, unsigned v, LayoutId from,
                             LayoutId to, int64_t trips, double work) {
  if (from == to)
    return;
  const Collective &moved = costs.collective(from, to);
  int64_t size =
      graph.vertices[v].bytesPerElement(!costs.layout(from).partial.empty());
  const Layout &made = costs.layout(from);
  double seconds =
      made.partial.empty()
          ? collectiveSeconds(moved, grid, machine, size)
          : combineSeconds(graph.vertices[v], made, costs.layout(to), moved,
                           grid, machine, work / double(trips));
  route.seconds += double(trips) * seconds;
  if (moved.kind != CollectiveKind::None && moved.kind != CollectiveKind::Slice)
    route.bytes += double(trips) * double(moved.elements) * size;
}

/// The home that routeGraph() chooses.
LayoutId StateEvaluator::routedHome(const ParetoState &state, unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  llvm::SmallVector<HomeTarget, 4> targets;
  for (const PlanUse &use : uses[v])
    addReader(targets, targetOf(state, use));
  for (const DevicePin &pin : vertex.constraints.leavesAt)
    addReader(targets,
              costs.idOf(Layout::onDevice(grid, vertex.shape, pin.device)));
  return bestHome(costs, vertices[v].cuts[state.cuts[v]].result, targets,
                  {vertex.bytesPerElement(true), vertex.elementBytes},
                  keepsResultInPlace(vertex))
      .layout;
}

StateEvaluator::ResultRoute
StateEvaluator::computeRoute(const ParetoState &state, unsigned v) {
  ResultRoute route;
  LayoutId result = vertices[v].cuts[state.cuts[v]].result;
  int64_t trips = graph.vertices[v].trips;
  double work = vertices[v].cuts[state.cuts[v]].workSeconds;
  if (graph.vertices[v].isInput)
    route.home = result;
  else
    route.home = state.homes[v] ? state.homes[v] - 1 : routedHome(state, v);
  LayoutId combined = costs.wholeOf(result);
  if (combined != result && !costs.canScatter(result, route.home)) {
    route.isCombinedFirst = combined != route.home;
    addMove(route, v, result, combined, trips, work);
    addMove(route, v, combined, route.home, trips);
  } else {
    addMove(route, v, result, route.home, trips, work);
  }
  for (const auto &[from, to] :
       movesAtBorder(graph.vertices[v], grid, costs.layout(route.home)))
    addMove(route, v, costs.idOf(from), costs.idOf(to), /*trips=*/1);
  for (const PlanUse &use : uses[v])
    addMove(route, v, route.home, targetOf(state, use),
            graph.vertices[use.vertex].operands[use.operand].trips);
  return route;
}

const StateEvaluator::ResultRoute &
StateEvaluator::routeOf(const ParetoState &state, unsigned v) {
  llvm::SmallString<64> key;
  append(key, v);
  append(key, state.cuts[v]);
  append(key, state.homes[v]);
  for (const PlanUse &use : uses[v])
    append(key, targetOf(state, use));
  auto it = routes.find(key);
  if (it == routes.end())
    it = routes.try_emplace(key, computeRoute(state, v)).first;
  return it->second;
}

Placement StateEvaluator::place(const ParetoState &state) {
  Placement placement;
  placement.vertices.resize(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    VertexPlacement &placed = placement.vertices[v];
    if (auto use = graph.vertices[v].storedFor) {
      placed.home = costs.layout(targetOf(state, *use));
      placed.partition = partitionOf(placed.home);
      continue;
    }
    const ResultRoute &route = routeOf(state, v);
    placed.partition = partition(state, v);
    placed.home = costs.layout(route.home);
    if (route.isCombinedFirst) {
      placed.homeRoute.push_back(
          costs.layout(costs.wholeOf(vertices[v].cuts[state.cuts[v]].result)));
    }
  }
  return placement;
}

void StateEvaluator::cutCompanions(ParetoState &state) {
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (std::optional<unsigned> lead = graph.vertices[v].cutAs)
      state.cuts[v] = numberOf(v, Partition(partition(state, *lead)));
}

bool StateEvaluator::isAdmissible(const ParetoState &state) {
  if (!isPossible)
    return false;
  for (unsigned v : constrained) {
    const PlanVertex &vertex = graph.vertices[v];
    if (!allows(vertex, grid, partition(state, v)) ||
        !allowsHome(vertex, grid, homeOf(state, v)))
      return false;
  }
  for (const std::vector<unsigned> &group : groups)
    for (unsigned v : group)
      if (homeOf(state, v) != homeOf(state, group.front()))
        return false;
  return true;
}

Objectives StateEvaluator::evaluate(const ParetoState &state) {
  Objectives objectives = {};
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (isStored(v))
      continue;
    const ResultRoute &route = routeOf(state, v);
    objectives[Seconds] +=
        vertices[v].cuts[state.cuts[v]].workSeconds + route.seconds;
    objectives[Bytes] +=
        vertices[v].cuts[state.cuts[v]].totalBytes + route.bytes;
  }
  objectives[Memory] = double(peakBytesPerDevice(graph, costs, place(state)));
  objectives[Devices] = double(grid.numDevices());
  return objectives;
}

ParetoState StateEvaluator::stateOf(unsigned graphNumber, unsigned gridNumber,
                                    const ParetoSketch &sketch) {
  ParetoState state;
  state.graph = graphNumber;
  state.grid = gridNumber;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    state.cuts.push_back(isStored(v) ? 0 : numberOf(v, sketch.partitions[v]));
    state.homes.push_back(sketch.homes[v] ? costs.idOf(*sketch.homes[v]) + 1
                                          : 0);
  }
  cutCompanions(state);
  return state;
}

ParetoSketch StateEvaluator::sketchOf(const ParetoState &state) const {
  ParetoSketch sketch;
  sketch.graph = state.graph;
  sketch.grid = state.grid;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    sketch.partitions.push_back(partition(state, v));
    std::optional<Layout> &home = sketch.homes.emplace_back();
    if (state.homes[v])
      home = costs.layout(state.homes[v] - 1);
  }
  return sketch;
}

//===----------------------------------------------------------------------===//
// Evaluators
//===----------------------------------------------------------------------===//

StateEvaluators::StateEvaluators(RewriteSpace &space,
                                 std::vector<DeviceGrid> userGrids,
                                 const Machine &machine)
    : space(space), grids(std::move(userGrids)), machine(machine) {}

StateEvaluator &StateEvaluators::at(unsigned graph, unsigned grid) {
  std::unique_ptr<StateEvaluator> &evaluator = evaluators[{graph, grid}];
  if (!evaluator)
    evaluator = std::make_unique<StateEvaluator>(
        space.graph(graph), splitIntoPrimes(grids[grid]), machine);
  return *evaluator;
}

const std::vector<Rewrite> &StateEvaluators::rewritesOf(unsigned graph) {
  auto it = rewrites.find(graph);
  if (it == rewrites.end())
    it = rewrites.emplace(graph, space.applicable(graph)).first;
  return it->second;
}

/// Vertices of all evaluators, and of all graphs, that one thread keeps at
/// most.
static constexpr size_t maxSceneVertices = 50'000;
static constexpr size_t maxGraphVertices = 500'000;

std::optional<unsigned> StateEvaluators::rewritten(unsigned graph,
                                                   unsigned rewrite) {
  auto it = known.find({graph, rewrite});
  if (it != known.end())
    return it->second;
  if (knownVertices > maxGraphVertices)
    return std::nullopt;
  std::optional<unsigned> &result = known[{graph, rewrite}];
  llvm::Expected<unsigned> number =
      space.apply(graph, rewritesOf(graph)[rewrite]);
  if (!number) {
    llvm::consumeError(number.takeError());
    return std::nullopt;
  }
  knownVertices += space.graph(*number).vertices.size();
  result = *number;
  return result;
}

bool StateEvaluators::isFull() const {
  size_t vertices = 0;
  for (const auto &[number, evaluator] : evaluators)
    vertices += evaluator->graph.vertices.size();
  return vertices > maxSceneVertices;
}

void StateEvaluators::forget(
    llvm::function_ref<bool(unsigned graph, unsigned grid)> isNeeded) {
  for (auto it = evaluators.begin(); it != evaluators.end();)
    it = isNeeded(it->first.first, it->first.second) ? std::next(it)
                                                     : evaluators.erase(it);
}
