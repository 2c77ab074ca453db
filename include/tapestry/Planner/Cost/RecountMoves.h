//===- RecountMoves.h - The moves of a plan, counted again ------*- C++ -*-===//
//
// What the verifier knows of layouts and moves, apart from the code that priced
// and placed them: every device's box is looked at.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_RECOUNTMOVES_H
#define TAPESTRY_PLANNER_COST_RECOUNTMOVES_H

#include "tapestry/Planner/Layout/Placement.h"

namespace tapestry::cost {

/// What planResharding() must answer.
Collective countMove(const DeviceGrid &grid, const Layout &from,
                     const Layout &to);

/// Where a vertex reads an operand, from its partition.
Layout readLayout(const model::PlanGraph &graph,
                  const layout::Placement &placement,
                  const model::PlanUse &use);

/// The layouts that an operand passes from its tensor's home to where it is
/// read, and a result from where it is made (partial along the axes of reduced
/// labels) to its home. A vertex has a partition.
llvm::SmallVector<Layout, 3> layoutsOfRead(const model::PlanGraph &graph,
                                           const layout::Placement &placement,
                                           const model::PlanUse &use);
llvm::SmallVector<Layout, 3> layoutsOfResult(const model::PlanGraph &graph,
                                             const layout::Placement &placement,
                                             unsigned vertex);

/// From where a tensor is that enters on one device to its home, and from there
/// to where it is that leaves on one.
std::vector<std::pair<Layout, Layout>>
layoutsAtBorder(const model::PlanGraph &graph,
                const layout::Placement &placement, const DeviceGrid &grid,
                unsigned vertex);

/// Where the totals of a scan lie, one per block, and where all of them are
/// read; nothing where they do not move.
std::optional<std::pair<Layout, Layout>>
totalsOfBlocks(const model::PlanGraph &graph,
               const layout::Placement &placement, const DeviceGrid &grid,
               unsigned vertex);

} // namespace tapestry::cost

#endif // TAPESTRY_PLANNER_COST_RECOUNTMOVES_H
