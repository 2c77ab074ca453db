//===- Routing.h - Homes and collectives of placed vertices -----*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_LAYOUT_ROUTING_H
#define TAPESTRY_PLANNER_LAYOUT_ROUTING_H

#include "tapestry/Planner/Layout/Placement.h"

namespace tapestry::layout {

/// The home layouts and collectives that follow from a partition of every
/// vertex that has work and of every input with several consumers (the
/// partitions of other inputs are not looked at). Inputs lie as their partition
/// says. The home of a result is, of where it lies combined and what its
/// readers want, what sends the fewest bytes in total.
Placement routeGraph(const model::PlanGraph &graph, const DeviceGrid &grid,
                     llvm::ArrayRef<Partition> partitions);

/// The same where homes and routes are decided, too: fills in the collectives.
/// Inputs that their only consumer reads need not be given.
void listCollectives(const model::PlanGraph &graph, const DeviceGrid &grid,
                     Placement &placement);

/// The layouts through which the result of `vertex` comes home, the first where
/// it is made and the last its home; and those from the home of an operand to
/// where it is read.
llvm::SmallVector<Layout, 3> stepsHome(const model::PlanGraph &graph,
                                       const Placement &placement,
                                       unsigned vertex);
llvm::SmallVector<Layout, 3> stepsOfOperand(const model::PlanGraph &graph,
                                            const Placement &placement,
                                            unsigned vertex, unsigned operand);

/// Where the result of `vertex` lies right after its local computation: partial
/// along the axes of its reduced labels.
Layout resultLayout(const model::PlanVertex &vertex,
                    const Partition &partition);

/// The moves of a tensor between its home and the devices on which it enters
/// and leaves the program: once, however often it is computed.
llvm::SmallVector<std::pair<Layout, Layout>, 1>
movesAtBorder(const model::PlanVertex &vertex, const DeviceGrid &grid,
              const Layout &home);

/// The move by which the blocks along a scanned label learn of each other's
/// totals, of accumulators (PlanVertex::bytesPerElement): from one per block to
/// all of them. Nothing where there is no such label, or one block of it.
std::optional<std::pair<Layout, Layout>>
totalsMove(const model::PlanVertex &vertex, const DeviceGrid &grid,
           const Partition &partition);

/// The partition that says the same as a layout, if there is one.
std::optional<Partition> partitionOf(const Layout &layout);

/// Where `vertex` reads its operand of number `operand`.
Layout operandLayout(const model::PlanGraph &graph,
                     const model::PlanVertex &vertex, unsigned operand,
                     const Partition &partition);

} // namespace tapestry::layout

#endif // TAPESTRY_PLANNER_LAYOUT_ROUTING_H
