//===- ReshardingTable.h - Prices between all layouts of a tensor -*- C++ -*-=//

#ifndef TAPESTRY_LIB_PLANNER_COST_SECONDS_RESHARDINGTABLE_H
#define TAPESTRY_LIB_PLANNER_COST_SECONDS_RESHARDINGTABLE_H

#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Layout/Placement.h"
#include "tapestry/Support/ReshardingCostCache.h"

namespace tapestry::cost::seconds {

/// All plain layouts of one tensor shape on a grid and the seconds of the
/// cheapest way from one to another, over others where that is cheaper than one
/// collective: across a slow axis it pays to gather first what is smallest.
/// These prices obey the triangle inequality by construction.
class ReshardingTable {
public:
  /// `layouts` are the plain layouts that may be used.
  ReshardingTable(const DeviceGrid &grid, const machine::Machine &machine,
                  ReshardingCostCache &costs, std::vector<Layout> layouts,
                  int64_t elementBytes);

  llvm::ArrayRef<Layout> layouts() const { return all; }
  unsigned size() const { return all.size(); }
  LayoutId idOf(unsigned number) const { return ids[number]; }
  std::optional<unsigned> find(LayoutId layout) const;
  double seconds(unsigned from, unsigned to) const {
    return prices[size_t(from) * all.size() + to];
  }
  /// One collective from a plain layout that is not in the table.
  double secondsFrom(LayoutId from, unsigned to) {
    return direct(from, ids[to]);
  }
  /// What leads from one to another, without the two themselves.
  void appendRoute(unsigned from, unsigned to, Route &route) const;

  /// Reading a tensor that lies in each of the layouts in a layout that need
  /// not be plain: per layout the seconds and the last stop before the read.
  struct Read {
    double seconds = 0;
    unsigned last = 0;
  };
  std::vector<Read> readsAs(LayoutId target);

private:
  double direct(LayoutId from, LayoutId to);

  const DeviceGrid &grid;
  const machine::Machine &machine;
  ReshardingCostCache &costs;
  int64_t elementBytes;
  std::vector<Layout> all;
  std::vector<LayoutId> ids;
  llvm::DenseMap<LayoutId, unsigned> numbers;
  std::vector<double> prices;
  /// The stop before `to` on the way, `from` where there is none.
  std::vector<uint16_t> before;
};

} // namespace tapestry::cost::seconds

#endif // TAPESTRY_LIB_PLANNER_COST_SECONDS_RESHARDINGTABLE_H
