//===- Residency.h - What lies in memory when -------------------*- C++ -*-===//

#ifndef TAPESTRY_RT_TASKS_RESIDENCY_H
#define TAPESTRY_RT_TASKS_RESIDENCY_H

#include "Tasks/Graph.h"

namespace tapestry {
namespace rt {

struct ResidencyOptions {
  int64_t memoryBytes;
  bool spills = true;
  int64_t workers = 1;
  /// Shards in a row that are to have their memory at the same time, as far as
  /// there is enough: what runs at once, and what is brought meanwhile.
  int64_t window = 1;
};

/// Plans the steps for shards in this order. What has to leave memory is what
/// is needed last, which the order tells (Belady, "A study of replacement
/// algorithms for a virtual-storage computer", 1966), of equals what is to be
/// had again without having been written. Fails as `schedule` does.
Status planResidency(const TaskGraph &graph, const std::vector<int32_t> &order,
                     const ResidencyOptions &options, TaskSchedule &result);

} // namespace rt
} // namespace tapestry

#endif // TAPESTRY_RT_TASKS_RESIDENCY_H
