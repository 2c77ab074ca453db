//===- ParetoStarts.h - Where a Pareto search starts ------------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_PARETO_PARETOSTARTS_H
#define TAPESTRY_LIB_PLANNER_PARETO_PARETOSTARTS_H

#include "ParetoWorker.h"

namespace tapestry::pareto {

struct StartPlan {
  /// In the space.
  unsigned graph = 0;
  plan::Plan plan;
  /// ParetoStart::origin.
  std::string origin;
};

/// Exact plans by every cost model: of graph 0 on a few of the grids, and of
/// what plans without a search begin with on the first, which is the whole one.
/// Once there is one, no other is begun after the deadline.
llvm::Expected<std::vector<StartPlan>>
findStarts(model::RewriteSpace &space, const ParetoOptions &options,
           llvm::ArrayRef<DeviceGrid> grids,
           std::chrono::steady_clock::time_point deadline);

/// The same as the search sees it: start `number`, on grid number `grid`.
FoundPlan describeStart(const model::PlanGraph &graph, const StartPlan &start,
                        const machine::Machine &machine, unsigned grid,
                        int number);

} // namespace tapestry::pareto

#endif // TAPESTRY_LIB_PLANNER_PARETO_PARETOSTARTS_H
