//===- CutEnumerator.h - All cuts of an index space -------------*- C++ -*-===//

#ifndef TAPESTRY_PLANNER_MODEL_CUTENUMERATOR_H
#define TAPESTRY_PLANNER_MODEL_CUTENUMERATOR_H

#include "tapestry/Support/Layout.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <vector>

namespace tapestry::model {

/// Which cuts are looked at: every group of axes cuts one dimension as a whole
/// or none; in a dimension, groups come in any order or in ascending order.
struct CutSpace {
  std::vector<Cut> groups;
  bool anyOrder = true;

  /// One group per axis of the grid.
  static CutSpace ofAxes(const DeviceGrid &grid);
  /// Which neighbours to make one: the smallest, so that all stay about equal,
  /// or always the first or last, so that small ones are left over.
  enum class Merge { Smallest, First, Last };
  /// Makes two neighbouring groups one, of one user axis if there are any;
  /// false where there is one group.
  bool mergeGroups(const DeviceGrid &grid, Merge which = Merge::Smallest);
};

/// The other ways to make as many groups of neighbouring axes, of one user axis
/// each if `groups` are, that differ in more than the order of groups.
std::vector<std::vector<Cut>> otherGroupings(const DeviceGrid &grid,
                                             llvm::ArrayRef<Cut> groups);

/// Calls `visit` for every cut of dimensions of these extents into at most that
/// many parts, in a fixed order that starts with no cut at all.
void forEachCut(const DeviceGrid &grid, const CutSpace &space,
                llvm::ArrayRef<int64_t> extents,
                llvm::function_ref<void(const Partition &)> visit);

/// How many there are, extents aside.
double countCuts(const CutSpace &space, unsigned dimensions);

} // namespace tapestry::model

#endif // TAPESTRY_PLANNER_MODEL_CUTENUMERATOR_H
