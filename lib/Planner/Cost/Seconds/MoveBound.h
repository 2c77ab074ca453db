//===- MoveBound.h - The least that a move can cost -------------*- C++ -*-===//
//
// Lower bounds on moving a tensor between layouts of which only the sizes of
// the parts are known, not the axes that make them.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_COST_SECONDS_MOVEBOUND_H
#define TAPESTRY_LIB_PLANNER_COST_SECONDS_MOVEBOUND_H

#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include <map>

namespace tapestry::cost::seconds {

/// The first device's part of a layout: what it has along every dimension and
/// in all. In plain layouts no part is larger.
struct FirstPart {
  FirstPart() = default;
  FirstPart(const DeviceGrid &grid, const Layout &layout);

  llvm::SmallVector<double, 4> sizes;
  /// Of a cross fewer than its box has.
  double elements = 1;
};

class MoveBound {
public:
  MoveBound(const DeviceGrid &grid, const machine::Machine &machine);

  /// No way, over any number of stops, from a plain layout with these parts to
  /// any layout with those costs less. `total`: the elements of the tensor if
  /// the parts of the target cover it, else 0.
  double seconds(const FirstPart &from, const FirstPart &to, double total,
                 int64_t elementBytes) const;
  /// No combination of `groupSize` partial values each costs less; `elements`
  /// are those of the largest part. The size is that of some axes of the grid.
  double combineSeconds(int64_t groupSize, double elements, bool isScatter,
                        int64_t elementBytes) const;

private:
  /// The axes of one bandwidth.
  struct Level {
    double bandwidth = 0;
    /// The least of these and of slower axes.
    double latency = 0;
    /// Devices that these and faster axes join.
    double devices = 1;
  };
  const DeviceGrid &grid;
  const machine::Machine &machine;
  double devices;
  /// Fastest first.
  std::vector<Level> levels;
  /// By group size, axes that make such a group, one list per link.
  std::map<int64_t, std::vector<Cut>> groups;
};

} // namespace tapestry::cost::seconds

#endif // TAPESTRY_LIB_PLANNER_COST_SECONDS_MOVEBOUND_H
