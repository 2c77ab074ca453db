//===- NeighbourhoodSearch.h - Large neighbourhood search -------*- C++ -*-===//

#ifndef TAPESTRY_LIB_PLANNER_OPTIMIZE_NEIGHBOURHOODSEARCH_H
#define TAPESTRY_LIB_PLANNER_OPTIMIZE_NEIGHBOURHOODSEARCH_H

#include "tapestry/Planner/Optimize/Problem.h"

namespace tapestry::optimize {

/// Large neighbourhood search: solves connected parts of the problem exactly,
/// everything else as `choice` has it, until that no longer helps, `lowerBound`
/// is met or about `mostWork` sums have been formed. The parts grow and shrink
/// with what elimination can do. Deterministic; never makes `choice` worse.
/// Memory terms are not looked at. Returns the sums formed.
double searchLargeNeighbourhoods(const PlanProblem &problem,
                                 std::vector<uint32_t> &choice, double mostWork,
                                 double lowerBound);

} // namespace tapestry::optimize

#endif // TAPESTRY_LIB_PLANNER_OPTIMIZE_NEIGHBOURHOODSEARCH_H
