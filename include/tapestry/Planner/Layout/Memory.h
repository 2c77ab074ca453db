//===- Memory.h - What a device holds while vertices run --------*- C++ -*-===//
//
// The planner's model of memory, step by step, and its largest sum.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_LAYOUT_MEMORY_H
#define TAPESTRY_PLANNER_LAYOUT_MEMORY_H

#include "tapestry/Planner/Layout/Placement.h"
#include "tapestry/Planner/Model/Graph.h"
#include "tapestry/Support/ReshardingCostCache.h"

namespace tapestry::layout {

/// Bytes of one device while one vertex runs, each tensor at the largest part
/// that any device has.
struct MemoryStep {
  /// Stored inputs: held throughout.
  int64_t inputs = 0;
  /// Results, from their production to their last reader; of outputs to the
  /// end.
  int64_t results = 0;
  /// Operands that this vertex fetched in another layout than their home.
  int64_t copies = 0;
  /// The partial values of this vertex' result.
  int64_t partials = 0;

  int64_t total() const { return inputs + results + copies + partials; }
};

/// One step per vertex of the graph, in order; nothing happens at an input.
std::vector<MemoryStep> memoryTimeline(const model::PlanGraph &graph,
                                       const DeviceGrid &grid,
                                       const Placement &placement);

/// An upper bound of the bytes that a device holds at once when vertices run in
/// graph order: the inputs throughout, every result and every redistributed
/// copy from its production to its last reader, and the operands and the
/// partial result of the vertex at work; each at the largest part that any
/// device has.
int64_t peakBytesPerDevice(const model::PlanGraph &graph,
                           const DeviceGrid &grid, const Placement &placement);

/// The same for who asks of many placements on one grid.
std::vector<MemoryStep> memoryTimeline(const model::PlanGraph &graph,
                                       ReshardingCostCache &costs,
                                       const Placement &placement);
int64_t peakBytesPerDevice(const model::PlanGraph &graph,
                           ReshardingCostCache &costs,
                           const Placement &placement);

} // namespace tapestry::layout

#endif // TAPESTRY_PLANNER_LAYOUT_MEMORY_H
