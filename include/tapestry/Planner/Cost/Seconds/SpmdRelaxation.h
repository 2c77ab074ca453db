//===- SpmdRelaxation.h - What no plan on a large grid beats ----*- C++ -*-===//
//
// On large grids there are too many cuts to look at. The relaxed problem looks
// at how many parts every dimension is cut into instead of at the axes that cut
// it, and charges what the cheapest such cuts could cost.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_SECONDS_SPMDRELAXATION_H
#define TAPESTRY_PLANNER_COST_SECONDS_SPMDRELAXATION_H

#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Optimize/Problem.h"
#include <limits>

namespace tapestry::cost::seconds {

struct RelaxationOptions {
  /// The most ways to cut a vertex, or a tensor, in the problem.
  unsigned mostChoices = 4000;
  /// Rounds of messages and the most table entries to look at in them.
  unsigned rounds = 3;
  double mostWork = 2e9;
};

/// A problem of which every plan of `graph` on `grid`, a grid of prime axes, is
/// a solution that costs at most as much; constraints, preferences and memory
/// are left out. Nothing where there are too many choices.
std::optional<optimize::PlanProblem>
buildSpmdRelaxation(const model::PlanGraph &graph, const DeviceGrid &grid,
                    const machine::Machine &machine,
                    const RelaxationOptions &options = {});

/// No plan of `graph` on `grid`, a grid of prime axes, costs less. Ends early
/// once the bound is known to be `enough`.
double spmdLowerBound(const model::PlanGraph &graph, const DeviceGrid &grid,
                      const machine::Machine &machine,
                      double enough = std::numeric_limits<double>::infinity(),
                      const RelaxationOptions &options = {});

} // namespace tapestry::cost::seconds

#endif // TAPESTRY_PLANNER_COST_SECONDS_SPMDRELAXATION_H
