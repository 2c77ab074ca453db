//===- Constraints.h - Sharding constraints on a plan -----------*- C++ -*-===//
//
// What the constraints of a PlanGraph mean on a grid: which cuts and homes they
// admit, what broken preferences weigh, and where they contradict each other.
// Problem builders filter and price with it; verifyPlan() does not use it.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_MODEL_CONSTRAINTS_H
#define TAPESTRY_PLANNER_MODEL_CONSTRAINTS_H

#include "tapestry/Planner/Model/Graph.h"
#include "tapestry/Planner/Model/Partitions.h"
#include "tapestry/Support/Layout.h"

namespace tapestry::model {

// Grids are given with axes split into primes (splitIntoPrimes in Plan.h). All
// functions but checkConstraints() expect a graph that it accepts on that grid.

/// The axes that a user's name stands for: itself, or "gpu.0", "gpu.1", ... for
/// "gpu"; nothing where the grid has neither.
std::optional<Cut> axesNamed(const DeviceGrid &grid, llvm::StringRef name);

/// Whether every constraint of the graph can be met on the grid and agrees with
/// the others. The error names the vertex, the label, both numbers and the
/// place:
/// - labels, dimensions and axes that do not exist, an axis that is used twice;
/// - parts below 1, beyond the extent, no product of the grid's prime factors,
///   or other than what the named axes make;
/// - labels of one vertex whose parts together are more than, or no divisor of,
///   the devices;
/// - two constraints, or two members of a layout group, that disagree;
/// - members of a group whose tensors have different shapes;
/// - devices that the grid does not have.
/// Preferences are checked for labels only: one that the grid cannot meet
/// counts as broken.
[[nodiscard]] llvm::Error checkConstraints(const PlanGraph &graph,
                                           const DeviceGrid &grid);

/// Whether tensors enter and leave the program on devices that there are.
[[nodiscard]] llvm::Error checkDevicePin(const DevicePin &pin, int64_t devices);
[[nodiscard]] llvm::Error checkDevicePins(const PlanGraph &graph,
                                          int64_t devices);

/// Whether the constraints on a vertex' work admit these parts (their axes
/// apart).
bool allowsParts(const PlanVertex &vertex, const DeviceGrid &grid,
                 llvm::ArrayRef<int64_t> parts);
/// Whether they admit this cut, named axes and their order included.
bool allows(const PlanVertex &vertex, const DeviceGrid &grid,
            const Partition &partition);
/// Whether the constraints on a vertex' home (of an input also those on its
/// work) admit this layout. A dimension that is constrained has to be plain.
bool allowsHome(const PlanVertex &vertex, const DeviceGrid &grid,
                const Layout &layout);

/// The sum of the weights of the preferences that a cut breaks.
double brokenWeight(const PlanVertex &vertex, const DeviceGrid &grid,
                    const Partition &partition);
/// The same for preferences on the home (of an input also those on its work).
double brokenHomeWeight(const PlanVertex &vertex, const DeviceGrid &grid,
                        const Layout &layout);
/// The same for parts alone: preferences of axes count as broken only where the
/// parts differ from what the axes make.
double brokenPartsWeight(const PlanVertex &vertex, const DeviceGrid &grid,
                         llvm::ArrayRef<int64_t> parts);

/// What a broken preference of weight 1 costs, in elements: the vertex' result
/// is moved once. In seconds: these elements' bytes over the slowest link. Only
/// solvers see penalties; a plan's `cost` has none.
inline double preferenceUnit(const PlanVertex &vertex) {
  return vertex.elements();
}

/// Per label the parts that constraints fix, 0 where they are open. Constraints
/// on the home count for the label of their dimension, as the cost model
/// `paper` has it, where a result is kept as it is cut, those on the homes of
/// companions, too; the error says where that contradicts the constraints on
/// the work.
llvm::Expected<PartVector>
constrainedParts(const PlanVertex &vertex, const DeviceGrid &grid,
                 llvm::ArrayRef<PlanVertex> companions = {});
/// The same with one of the vertex' preferences on top of the constraints;
/// nothing where the two contradict each other or the grid cannot meet both.
std::optional<PartVector> preferredParts(const PlanVertex &vertex,
                                         const DeviceGrid &grid,
                                         const ShardingConstraint &preference);
/// Per label the cut that constraints, and where given one of the vertex'
/// preferences, fix by naming axes; nothing where axes are open, or everywhere
/// where the preference cannot be met.
llvm::SmallVector<std::optional<Cut>, 4>
constrainedCuts(const PlanVertex &vertex, const DeviceGrid &grid,
                const ShardingConstraint *preference = nullptr,
                llvm::ArrayRef<PlanVertex> companions = {});

/// Whether the result has to stay as it is cut until it is read, whole: under
/// the cost model `paper` that is what constraints on the home mean.
inline bool keepsResultInPlace(const PlanVertex &vertex) {
  return !vertex.constraints.home.empty() ||
         !vertex.constraints.layoutGroup.empty();
}

/// An error about a vertex' layout group: at the constraint whose place `error`
/// begins with, or else where the vertex was put into the group.
llvm::Error layoutGroupError(const PlanVertex &vertex, llvm::Error error);

/// The members of every layout group with at least two, each ascending, in the
/// order of their first members.
std::vector<std::vector<unsigned>> layoutGroups(const PlanGraph &graph);

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_CONSTRAINTS_H
