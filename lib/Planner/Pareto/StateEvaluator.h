//===- StateEvaluator.h - Fast prices of many plans -------------*- C++ -*-===//
//
// The stochastic search compares thousands of plans that differ in few places.
// An evaluator is one graph on one grid: it keeps every partition and layout
// once, under a number, and remembers what every vertex costs together with
// what its readers want, so that a new plan costs a look-up per vertex.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_PARETO_STATEEVALUATOR_H
#define TAPESTRY_LIB_PLANNER_PARETO_STATEEVALUATOR_H

#include "tapestry/Planner/Layout/HomePrice.h"
#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Layout/Placement.h"
#include "tapestry/Planner/Machine/Machine.h"
#include "tapestry/Planner/Model/Rewrites.h"
#include "tapestry/Planner/Pareto/ParetoFrontier.h"
#include <map>

namespace tapestry::pareto {

/// A plan in the numbers of its evaluator.
struct ParetoState {
  /// In the rewrite space, and in the list of grids.
  unsigned graph = 0;
  unsigned grid = 0;
  /// Per vertex: its partition's number. 0 for inputs that their only reader
  /// decides.
  std::vector<uint32_t> cuts;
  /// Per vertex: its home's number plus 1; 0: as routeGraph() decides.
  std::vector<uint32_t> homes;

  uint64_t hash() const;
  bool operator==(const ParetoState &o) const {
    return graph == o.graph && grid == o.grid && cuts == o.cuts &&
           homes == o.homes;
  }
};

/// The same in words that any evaluator understands.
struct ParetoSketch {
  unsigned graph = 0;
  unsigned grid = 0;
  std::vector<Partition> partitions;
  std::vector<std::optional<Layout>> homes;
};

class StateEvaluator {
public:
  /// `grid` has prime axes.
  StateEvaluator(const model::PlanGraph &graph, DeviceGrid grid,
                 const machine::Machine &machine);

  const model::PlanGraph &graph;
  const DeviceGrid grid;
  const std::vector<llvm::SmallVector<model::PlanUse, 2>> uses;
  /// The vertices whose partition is to be chosen.
  std::vector<unsigned> movable;

  bool isStored(unsigned vertex) const {
    return graph.vertices[vertex].storedFor.has_value();
  }
  const Partition &partition(unsigned vertex, uint32_t number) const {
    return vertices[vertex].cuts[number].partition;
  }
  const Partition &partition(const ParetoState &state, unsigned vertex) const {
    return partition(vertex, state.cuts[vertex]);
  }
  uint32_t numberOf(unsigned vertex, const Partition &partition);
  /// Whether every label has at most as many parts as points and no axis is
  /// used twice.
  bool isLegal(unsigned vertex, const Partition &partition) const;

  /// The layouts, as numbers of homes, that may be a home for a vertex under
  /// `state` beside what routeGraph() decides: where the result lies combined,
  /// and what readers want, where that is plain.
  std::vector<uint32_t> possibleHomes(const ParetoState &state,
                                      unsigned vertex);

  /// The number of a plain layout as a home.
  uint32_t homeNumber(const Layout &home) { return costs.idOf(home) + 1; }
  /// Where the result of a vertex lives.
  const Layout &homeOf(const ParetoState &state, unsigned vertex) {
    return costs.layout(routeOf(state, vertex).home);
  }

  /// Gives companions the cut of their leads, which alone are movable.
  void cutCompanions(ParetoState &state);
  /// Whether the plan does what pins and layout groups ask. Preferences are
  /// left to the solvers.
  bool isAdmissible(const ParetoState &state);
  Objectives evaluate(const ParetoState &state);
  /// Without collectives.
  layout::Placement place(const ParetoState &state);

  ParetoState stateOf(unsigned graphNumber, unsigned gridNumber,
                      const ParetoSketch &sketch);
  ParetoSketch sketchOf(const ParetoState &state) const;

private:
  struct VertexCut {
    Partition partition;
    LayoutId result = 0;
    llvm::SmallVector<LayoutId, 4> operands;
    double workSeconds = 0;
    /// What the totals of a scan send.
    double totalBytes = 0;
  };
  struct VertexTable {
    std::vector<VertexCut> cuts;
    llvm::StringMap<uint32_t> numbers;
  };
  /// A vertex's result on its way home and to its readers.
  struct ResultRoute {
    LayoutId home = 0;
    /// Whether partial values are combined before they go home.
    bool isCombinedFirst = false;
    double seconds = 0;
    double bytes = 0;
  };
  const ResultRoute &routeOf(const ParetoState &state, unsigned vertex);
  ResultRoute computeRoute(const ParetoState &state, unsigned vertex);
  /// What routeGraph() says of this vertex and its readers alone.
  LayoutId routedHome(const ParetoState &state, unsigned vertex);
  /// Of partial results also the seconds in which all passes compute them.
  void addMove(ResultRoute &route, unsigned vertex, LayoutId from, LayoutId to,
               int64_t trips, double work = 0);
  LayoutId targetOf(const ParetoState &state, const model::PlanUse &use) const {
    return vertices[use.vertex]
        .cuts[state.cuts[use.vertex]]
        .operands[use.operand];
  }

  const machine::Machine &machine;
  /// Vertices of which something is asked, and those to be kept alike.
  std::vector<unsigned> constrained;
  std::vector<std::vector<unsigned>> groups;
  /// Whether pins can be met on this grid at all.
  bool isPossible = true;
  std::vector<VertexTable> vertices;
  ReshardingCostCache costs;
  llvm::StringMap<ResultRoute> routes;
};

/// The evaluators of one thread, made when they are first asked for.
class StateEvaluators {
public:
  StateEvaluators(model::RewriteSpace &space, std::vector<DeviceGrid> userGrids,
                  const machine::Machine &machine);

  model::RewriteSpace &space;
  /// As users name them; every state's grid is one of them, split into primes.
  const std::vector<DeviceGrid> grids;

  StateEvaluator &at(unsigned graph, unsigned grid);
  StateEvaluator &of(const ParetoState &state) {
    return at(state.graph, state.grid);
  }
  ParetoState stateOf(const ParetoSketch &sketch) {
    return at(sketch.graph, sketch.grid)
        .stateOf(sketch.graph, sketch.grid, sketch);
  }
  /// The rewrites that apply to a graph.
  const std::vector<model::Rewrite> &rewritesOf(unsigned graph);
  /// The graph that rewrite number `rewrite` of these leads to; nothing where
  /// it does not apply after all, or where that is not known and no room is
  /// left for more graphs.
  std::optional<unsigned> rewritten(unsigned graph, unsigned rewrite);
  /// Whether there are so many evaluators that some should be forgotten.
  bool isFull() const;
  /// Forgets the evaluators that `isNeeded` denies.
  void forget(llvm::function_ref<bool(unsigned graph, unsigned grid)> isNeeded);

private:
  const machine::Machine &machine;
  std::map<std::pair<unsigned, unsigned>, std::unique_ptr<StateEvaluator>>
      evaluators;
  std::map<unsigned, std::vector<model::Rewrite>> rewrites;
  std::map<std::pair<unsigned, unsigned>, std::optional<unsigned>> known;
  /// Vertices of all graphs that rewrites have led to here.
  size_t knownVertices = 0;
};

} // namespace tapestry::pareto

#endif // TAPESTRY_LIB_PLANNER_PARETO_STATEEVALUATOR_H
