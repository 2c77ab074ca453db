//===- PaperProblem.h - The planning problem in elements --------*- C++ -*-===//
//
// The problem behind the cost model `paper`.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_ELEMENTS_PAPERPROBLEM_H
#define TAPESTRY_PLANNER_COST_ELEMENTS_PAPERPROBLEM_H

#include "tapestry/Planner/Model/Graph.h"
#include "tapestry/Planner/Optimize/Problem.h"

namespace tapestry::cost::elements {

/// Builds the problem of cutting every vertex of `graph` for the devices of
/// `grid` under the cost model `paper`: variable v is vertex v, its choices are
/// its viable partitions. An input with several consumers chooses among the
/// plain cuts that a viable partition of one of them wants; an input with at
/// most one has a single choice, which costs nothing and means nothing (see
/// partsOfSolution).
///
/// A constrained vertex chooses among the partitions that cut the other labels
/// as far as they can be beside the constraints; one with preferences also
/// among those that its preferences, taken as constraints, lead to, and each
/// broken one adds its weight times preferenceUnit() to a choice's cost.
/// Members of a layout group are joined by edges between neighbours that cost
/// forbiddenCost, or more than all else, where layouts differ. The error names
/// constraints that contradict each other.
llvm::Expected<optimize::PlanProblem>
buildPaperProblem(const model::PlanGraph &graph, const DeviceGrid &grid);
/// The same on a grid of one axis "d".
llvm::Expected<optimize::PlanProblem>
buildPaperProblem(const model::PlanGraph &graph, int64_t devices);

/// Sets a limit of bytes per device (0: none) on the problem that
/// buildPaperProblem() made of `graph`, and adds the bytes of every choice.
/// Steps are vertices; inputs and outputs are held throughout.
void limitPaperMemory(const model::PlanGraph &graph, int64_t limit,
                      optimize::PlanProblem &problem);

/// What the broken preferences of `graph` add to the cost of a solution of the
/// problem that buildPaperProblem() made of it.
double paperPenalty(const model::PlanGraph &graph, const DeviceGrid &grid,
                    llvm::ArrayRef<PartVector> parts);

/// The parts per label of every vertex under `choice`. Where an input is stored
/// as its only consumer reads it, its parts are that consumer's per dimension.
std::vector<PartVector> partsOfSolution(const model::PlanGraph &graph,
                                        const optimize::PlanProblem &problem,
                                        llvm::ArrayRef<uint32_t> choice);

} // namespace tapestry::cost::elements

#endif // TAPESTRY_PLANNER_COST_ELEMENTS_PAPERPROBLEM_H
