//===- Order.h - The order of shards ----------------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_TASKS_ORDER_H
#define TAPESTRY_RT_TASKS_ORDER_H

#include "Tasks/Graph.h"

namespace tapestry {
namespace rt {

/// How to choose among the shards that could run.
enum class OrderKind {
  /// Those with the longest way to the end; of about equal ones, those whose
  /// views lie in memory, and before them the view that lets most run.
  CriticalPath,
  /// Those whose views lie in memory, and before them the view that lets most
  /// run; of equal ones the nearest to the end, whose chunks are gone soonest.
  Locality,
  /// The first.
  Number
};

/// Per shard the longest way from its start to the end of all, in bytes that it
/// reads and writes and operations, added. Empty where shards wait for each
/// other in a circle.
std::vector<int64_t> criticalPaths(const TaskGraph &graph);

/// All shards, each after those that it needs. `cacheBytes`: what there is for
/// views and chunks.
std::vector<int32_t> orderShards(const TaskGraph &graph,
                                 const std::vector<int64_t> &paths,
                                 OrderKind kind, int64_t cacheBytes);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_ORDER_H
