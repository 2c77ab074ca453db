//===- PlanTotals.h - What a plan adds up to --------------------*- C++ -*-===//
//
// Sums over a finished plan that people and pictures ask for: traffic per kind
// of collective and per grid axis, and devices that do nothing of their own.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_PLANNER_PLAN_PLANTOTALS_H
#define TAPESTRY_PLANNER_PLAN_PLANTOTALS_H

#include "tapestry/Planner/Plan/Plan.h"

namespace tapestry::plan {

struct TrafficSum {
  /// "all_reduce", or the name of an axis of the user's grid.
  std::string name;
  unsigned collectives = 0;
  /// Sent by all devices together.
  int64_t bytes = 0;
};

/// One entry per kind that occurs, in the order of CollectiveKind.
std::vector<TrafficSum> trafficByKind(const Plan &plan);

/// One entry per axis of the user's grid, outermost first. A collective whose
/// groups span several axes counts wholly to the outermost of them: there the
/// links are slowest.
std::vector<TrafficSum> trafficByAxis(const Plan &plan);

/// The axis of the user's grid of every axis of the plan's grid.
std::vector<unsigned> userAxisOf(const Plan &plan);

/// How many devices work on one vertex, and on what.
struct DeviceUse {
  /// Devices with a block of their own that is not empty.
  int64_t working = 0;
  /// Devices that repeat the work of another.
  int64_t repeating = 0;
  /// Devices whose block is empty.
  int64_t empty = 0;
};
DeviceUse devicesOf(const model::PlanGraph &graph, const Plan &plan,
                    unsigned vertex);

} // namespace tapestry::plan

#endif // TAPESTRY_PLANNER_PLAN_PLANTOTALS_H
