//===- ReshardingTable.h - Prices between all layouts of a tensor -*- C++ -*-=//

#ifndef TAPESTRY_LIB_PLANNER_COST_SECONDS_RESHARDINGTABLE_H
#define TAPESTRY_LIB_PLANNER_COST_SECONDS_RESHARDINGTABLE_H

#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Layout/MoveMeter.h"
#include "tapestry/Planner/Layout/Placement.h"

namespace tapestry {

/// All plain layouts of one tensor shape on a grid and the seconds of the
/// cheapest way from one to another, over others where that is cheaper than one
/// collective: across a slow axis it pays to gather first what is smallest.
/// These prices obey the triangle inequality by construction.
class ReshardingTable {
public:
  /// `layouts` are the plain layouts that may be used.
  ReshardingTable(const DeviceGrid &grid, const Machine &machine,
                  MoveMeter &meter, std::vector<Layout> layouts,
                  int64_t elementBytes);

  llvm::ArrayRef<Layout> layouts() const { return all; }
  unsigned size() const { return all.size(); }
  std::optional<unsigned> find(const Layout &layout) const;
  double seconds(unsigned from, unsigned to) const {
    return prices[size_t(from) * all.size() + to];
  }
  /// One collective from a plain layout that is not in the table.
  double secondsFrom(const Layout &from, unsigned to) {
    return direct(meter.dimsOf(from), dims[to]);
  }
  /// What leads from one to another, without the two themselves.
  void appendRoute(unsigned from, unsigned to, Route &route) const;

  /// Reading a tensor that lies in each of the layouts in a layout that need
  /// not be plain: per layout the seconds and the last stop before the read.
  struct Read {
    double seconds = 0;
    unsigned last = 0;
  };
  std::vector<Read> readsAs(const Layout &target);

private:
  double direct(llvm::ArrayRef<uint32_t> from, llvm::ArrayRef<uint32_t> to);

  const DeviceGrid &grid;
  const Machine &machine;
  MoveMeter &meter;
  int64_t elementBytes;
  std::vector<Layout> all;
  std::vector<MoveMeter::Dims> dims;
  llvm::DenseMap<llvm::ArrayRef<uint32_t>, unsigned> numbers;
  std::vector<double> prices;
  /// The stop before `to` on the way, `from` where there is none.
  std::vector<uint16_t> before;
};

} // namespace tapestry

#endif // TAPESTRY_LIB_PLANNER_COST_SECONDS_RESHARDINGTABLE_H
