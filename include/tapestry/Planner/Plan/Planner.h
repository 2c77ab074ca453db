//===- Planner.h - From a graph to a verified plan --------------*- C++ -*-===//
//
// The front door of this library: one call checks the graph, builds and solves
// the problem, places the result on the grid and verifies it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_PLANNER_H
#define TAPESTRY_PLANNER_PLAN_PLANNER_H

#include "tapestry/Planner/Optimize/Solver.h"
#include "tapestry/Planner/Plan/PeakMeter.h"

namespace tapestry::plan {

struct PlannerOptions {
  /// 0: as many as `grid` has.
  int64_t devices = 0;
  /// The named axes; none: one axis "d" of `devices` devices.
  DeviceGrid grid;
  /// A name that solverNamed() knows.
  std::string solver = "exact";
  /// A name that costModelNamed() knows.
  std::string costModel = cost::defaultCostModel.str();
  /// What a cost model that needs one reckons with; without a name: the
  /// built-in "cpu".
  machine::Machine machine;
  /// The most bytes that a device may hold at once; 0: no limit. It holds for
  /// what `findPeak` says of a plan or, without one, for the estimate of
  /// Planner/Layout/Memory.h.
  int64_t memoryLimit = 0;
  PeakMeter findPeak;
  /// Whether devices may be left alone where the cost model finds that cheaper.
  /// They never are on a grid that the user named.
  bool mayIdle = true;
  /// Written into the plan.
  std::string program;
  optimize::SolverOptions solverOptions;
  layout::PlacementOptions placementOptions;
};

/// Plans `graph`. The error names what is wrong with the graph or the options;
/// where no plan was found to keep the memory limit, it is a MemoryError that
/// says what was found instead and what is proved.
llvm::Expected<Plan> makePlan(const model::PlanGraph &graph,
                              const PlannerOptions &options);

/// What must be decided for a plan; the rest follows.
struct PlanSketch {
  std::string program;
  DeviceGrid userGrid;
  std::string solver;
  std::string costModel = cost::defaultCostModel.str();
  machine::Machine machine;
  int64_t idleDevices = 0;
  /// One entry per vertex; nothing for inputs that may be chosen for them.
  std::vector<std::optional<PartVector>> parts;
  /// Empty, or one entry per vertex; nothing where axes are to be chosen.
  std::vector<std::optional<Partition>> partitions;
  /// Where homes and routes are decided, too: one entry per vertex, which then
  /// takes the place of `parts` and `partitions`.
  std::vector<layout::VertexPlacement> placed;
};

/// Adds to a sketch what it leaves open: parts of inputs (as their readers want
/// them, or whole), axes, homes, collectives and costs. The lower bound is 0
/// and nothing is proved. Fails for a vertex with work that has no parts, for
/// parts and axes that are wrong (see Verify.h), and where placeGraph() fails.
llvm::Expected<Plan> completePlan(const model::PlanGraph &graph,
                                  const PlanSketch &sketch,
                                  const layout::PlacementOptions &options = {});

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PLANNER_H
