//===- Demands.h - What constraints come to on a grid -----------*- C++ -*-===//
//
// Private to this folder: names of labels and axes resolved to numbers, and
// checked one by one and together.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_MODEL_DEMANDS_H
#define TAPESTRY_LIB_PLANNER_MODEL_DEMANDS_H

#include "tapestry/Planner/Model/Constraints.h"

namespace tapestry::model {

/// What constraints come to for one label or dimension; 0 parts: open.
struct Demand {
  int64_t parts = 0;
  std::optional<Cut> cut;
  /// Who asked for it first.
  const PlanVertex *vertex = nullptr;
  const ShardingConstraint *constraint = nullptr;
};
using Demands = llvm::SmallVector<Demand, 4>;

/// Whether labels stand for dimensions of the index space or of the result.
enum class Side { Work, Home };

/// An error at the constraint's place, about a label of a vertex.
template <typename... Parts>
llvm::Error constraintError(const ShardingConstraint &constraint,
                            const PlanVertex &vertex, const Parts &...parts) {
  return errorAt(constraint.place, vertex.isInput ? "input '" : "vertex '",
                 vertex.name, "': ", parts...);
}

/// The labels or dimensions of a vertex.
unsigned numTargets(const PlanVertex &vertex, Side side);
/// Fails where a label of `constraint` stands for none of them.
llvm::Error checkNames(const PlanVertex &vertex, Side side,
                       const ShardingConstraint &constraint);
/// Adds what is asked of a target to what was asked before.
llvm::Error merge(Demand &into, const Demand &demand, llvm::StringRef label);
/// Adds what one constraint asks to `demands`, one entry per label or
/// dimension.
llvm::Error addConstraint(Demands &demands, const PlanVertex &vertex,
                          const DeviceGrid &grid,
                          const ShardingConstraint &constraint, Side side);
/// Whether the parts and axes of all targets fit onto the grid together.
llvm::Error checkTogether(const Demands &demands, const PlanVertex &vertex,
                          const DeviceGrid &grid, Side side);
/// The constraints of one side; those of an input are the same on both.
llvm::Expected<Demands> constraintsOf(const PlanVertex &vertex,
                                      const DeviceGrid &grid, Side side);

} // namespace tapestry::model

#endif // TAPESTRY_LIB_PLANNER_MODEL_DEMANDS_H
