//===- SpmdCost.h - What the generated program costs ------------*- C++ -*-===//
//
// The cost model `spmd`: the local work of every vertex by the roofline of one
// device, and every collective that lowering emits by the alpha-beta time of
// the slowest grid axis that it spans.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_COST_SECONDS_SPMDCOST_H
#define TAPESTRY_PLANNER_COST_SECONDS_SPMDCOST_H

#include "tapestry/Planner/Cost/CostModel.h"
#include "tapestry/Planner/Layout/Placement.h"
#include "tapestry/Planner/Machine/Machine.h"
#include "tapestry/Support/ReshardingCostCache.h"

namespace tapestry::cost::seconds {

/// Seconds that the busiest device works on its block of a vertex: the larger
/// of operations at the device's peak and bytes read and written at its memory
/// bandwidth, plus what starting a vertex costs, in every pass of the loops
/// around it. 0 for an input.
double workSeconds(const model::PlanGraph &graph,
                   const model::PlanVertex &vertex, const DeviceGrid &grid,
                   const machine::Machine &machine, const Partition &partition);

/// Seconds of one collective on elements of this size, by the busiest device.
/// With latency a and bandwidth b of the slowest axis, g devices per group, and
/// n bytes that the busiest device receives, or sends where few have all:
/// - all_gather, all_to_all (messages straight from holder to receiver):
///   (g - 1) a + n / b;
/// - reduce_scatter (a ring): (g - 1) a + n / b;
/// - all_reduce: the ring's 2 (g - 1) a + n / b; up to smallAllReduceBytes a
///   binomial tree up and down instead, 2 ceil(log2 g) (a + whole / b);
/// - a slice copies within the device's memory: 2 n / memoryBandwidth;
/// - none: 0.
double collectiveSeconds(const Collective &collective, const DeviceGrid &grid,
                         const machine::Machine &machine,
                         int64_t bytesPerElement);

/// Seconds that combining the partial results `made` to `combined` takes beyond
/// `work`, the seconds in which they are computed. Where the machine cuts such
/// products (Machine::cutProducts) into p parts, each of which is combined, in
/// c seconds, while the next is computed, all takes work / p + (p - 1) max(work
/// / p, c) + c.
double combineSeconds(const model::PlanVertex &vertex, const Layout &made,
                      const Layout &combined, const Collective &collective,
                      const DeviceGrid &grid, const machine::Machine &machine,
                      double work);

/// Seconds of the moves between `home` and the devices on which the tensor
/// enters and leaves the program.
double borderSeconds(const model::PlanVertex &vertex,
                     ReshardingCostCache &costs,
                     const machine::Machine &machine, const Layout &home);

/// The components of a vertex' cost.
enum SpmdComponent : unsigned {
  /// Seconds of its work.
  SpmdWork,
  /// Of bringing its result home.
  SpmdHome,
  /// Of fetching its operands, and of the tensor's moves at the program's
  /// border.
  SpmdFetch,
};

/// What a placed graph costs at every vertex.
std::vector<VertexCost> spmdCosts(const model::PlanGraph &graph,
                                  const DeviceGrid &grid,
                                  const machine::Machine &machine,
                                  const layout::Placement &placement);

/// The same for the verifier, with code of its own.
std::vector<VertexCost> recountSpmd(const DecidedPlan &plan);

/// A bound on any plan of `graph` for `devices` devices on `machine`, whatever
/// the grid: every vertex shares its work evenly and nothing moves.
double independentSeconds(const model::PlanGraph &graph,
                          const machine::Machine &machine, int64_t devices);

/// The cost model `spmd`.
const CostModel &secondsModel();

} // namespace tapestry::cost::seconds

#endif // TAPESTRY_PLANNER_COST_SECONDS_SPMDCOST_H
