//===- Verify.h - Whether a plan is right -----------------------*- C++ -*-===//
//
// Checks a plan against its graph with code that shares nothing with the
// solvers, the problem builders, the placement or the prices of moves: shards
// are enumerated, tensors are covered point by point, and costs and collectives
// are counted again, box by box. What a device holds of a cut dimension
// (Support/Layout.h) and what a reduce_scatter may lead to are common ground.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_VERIFY_H
#define TAPESTRY_PLANNER_PLAN_VERIFY_H

#include "tapestry/Planner/Plan/Plan.h"

namespace tapestry::plan {

/// Success, or the first fault, naming the vertex, the label and both numbers
/// that disagree. Checked, for every vertex of `graph` (which must be valid):
/// - it is in the plan, with one number of parts per label, between 1 and the
///   label's extent, their product within the devices (an input that its only
///   consumer reads: exactly that consumer's parts);
/// - its axes exist, none is used twice, and their sizes multiply to the parts;
/// - the blocks of the devices cover every index point once per replica;
/// - its home is plain, without partial values, and holds every element once
///   per replica (an input that its only consumer reads: exactly what that
///   reads);
/// - every layout that a consumer reads is the home, or a collective of the
///   plan leads there, or no element has to move; and the combination of
///   partial values is in the plan; each with the kind, group and bytes that
///   are counted here; and the plan has no other collectives;
/// - every constraint is met, and layout groups have equal homes
///   (verifyConstraints);
/// - join, aggregate and repartition, and their sum, are what the cost model
///   says (to a part in 10^9), and the lower bound does not exceed the cost.
[[nodiscard]] llvm::Error verifyPlan(const model::PlanGraph &graph,
                                     const Plan &plan);

/// The first two of these checks, which need no placement: what a file or a
/// user may get wrong before axes are assigned.
[[nodiscard]] llvm::Error verifyParts(const model::PlanGraph &graph,
                                      llvm::ArrayRef<PartVector> parts,
                                      int64_t devices);

/// The parts of one vertex: a number per label, between 1 and the label's
/// extent, their product within the devices. Of an input only that each number
/// is between 1 and the devices: where its only consumer reads it through a
/// window, a dimension has more parts than it has elements.
[[nodiscard]] llvm::Error verifyVertexParts(const model::PlanVertex &vertex,
                                            llvm::ArrayRef<int64_t> parts,
                                            int64_t devices);

/// The axes of one vertex: they exist in `grid`, none is used twice, and their
/// sizes multiply to the parts.
[[nodiscard]] llvm::Error verifyAxes(const model::PlanVertex &vertex,
                                     const DeviceGrid &grid,
                                     llvm::ArrayRef<int64_t> parts,
                                     const Partition &partition);

/// Whether a placed plan does what the constraints of the graph ask: parts,
/// axes and their order, homes, and one layout for all members of a group.
/// Preferences may be broken.
[[nodiscard]] llvm::Error verifyConstraints(const model::PlanGraph &graph,
                                            const Plan &plan);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_VERIFY_H
