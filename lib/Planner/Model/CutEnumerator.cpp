//===- CutEnumerator.cpp - All cuts of an index space ---------------------===//

#include "tapestry/Planner/Model/CutEnumerator.h"
#include "llvm/ADT/STLExtras.h"
#include <set>
#include <string>

using namespace tapestry;
using namespace tapestry::model;

CutSpace CutSpace::ofAxes(const DeviceGrid &grid) {
  CutSpace space;
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis)
    if (grid.axes[axis].size > 1)
      space.groups.push_back({axis});
  return space;
}

/// "gpu" of "gpu.1".
static llvm::StringRef userAxis(const DeviceGrid &grid, unsigned axis) {
  return llvm::StringRef(grid.axes[axis].name).rsplit('.').first;
}

bool CutSpace::mergeGroups(const DeviceGrid &grid, Merge which) {
  if (groups.size() < 2)
    return false;
  // Axes of different links only where nothing else is left.
  auto priceOf = [&](unsigned g) {
    bool isOneAxis = userAxis(grid, groups[g].back()) ==
                     userAxis(grid, groups[g + 1].front());
    int64_t price = partsOf(grid, groups[g]) * partsOf(grid, groups[g + 1]);
    if (which != Merge::Smallest)
      price = which == Merge::First ? int64_t(g) : -int64_t(g);
    return std::pair(!isOneAxis, price);
  };
  unsigned best = 0;
  for (unsigned g = 1; g + 1 < groups.size(); ++g)
    if (priceOf(g) < priceOf(best))
      best = g;
  groups[best].append(groups[best + 1].begin(), groups[best + 1].end());
  groups.erase(groups.begin() + best + 1);
  return true;
}

std::vector<std::vector<Cut>>
model::otherGroupings(const DeviceGrid &grid, llvm::ArrayRef<Cut> groups) {
  Cut axes;
  for (const Cut &group : groups)
    axes.append(group.begin(), group.end());
  auto isOneAxis = [&](const Cut &group) {
    return userAxis(grid, group.front()) == userAxis(grid, group.back());
  };
  // What a grouping is but for the order of groups.
  auto kindOf = [&](llvm::ArrayRef<Cut> grouping) {
    std::vector<std::pair<std::string, int64_t>> kind;
    for (const Cut &group : grouping)
      kind.push_back(
          {userAxis(grid, group.front()).str(), partsOf(grid, group)});
    llvm::sort(kind);
    return kind;
  };
  std::set<std::vector<std::pair<std::string, int64_t>>> seen = {
      kindOf(groups)};
  bool ofOneAxis = llvm::all_of(groups, isOneAxis);
  std::vector<std::vector<Cut>> result;
  std::vector<Cut> grouping;
  auto extend = [&](auto &self, size_t first) -> void {
    if (first == axes.size()) {
      if (grouping.size() == groups.size() &&
          seen.insert(kindOf(grouping)).second)
        result.push_back(grouping);
      return;
    }
    if (grouping.size() == groups.size())
      return;
    for (size_t last = first + 1; last <= axes.size(); ++last) {
      Cut group(axes.begin() + first, axes.begin() + last);
      if (ofOneAxis && !isOneAxis(group))
        break;
      grouping.push_back(group);
      self(self, last);
      grouping.pop_back();
    }
  };
  extend(extend, 0);
  return result;
}

namespace {
/// Gives every group in turn to a dimension, at any place of its list, or to
/// none.
class Enumeration {
public:
  Enumeration(const DeviceGrid &grid, const CutSpace &space,
              llvm::ArrayRef<int64_t> extents,
              llvm::function_ref<void(const Partition &)> visit)
      : grid(grid), space(space), extents(extents), visit(visit),
        lists(extents.size()), parts(extents.size(), 1) {}

  void place(unsigned group) {
    if (group == space.groups.size())
      return finish();
    place(group + 1);
    int64_t size = partsOf(grid, space.groups[group]);
    for (unsigned dim = 0; dim < extents.size(); ++dim) {
      if (size > extents[dim] / parts[dim])
        continue;
      parts[dim] *= size;
      size_t last = lists[dim].size();
      for (size_t at = space.anyOrder ? 0 : last; at <= last; ++at) {
        lists[dim].insert(lists[dim].begin() + at, group);
        place(group + 1);
        lists[dim].erase(lists[dim].begin() + at);
      }
      parts[dim] /= size;
    }
  }

private:
  void finish() {
    Partition partition;
    for (const llvm::SmallVector<unsigned, 4> &list : lists) {
      Cut &cut = partition.cuts.emplace_back();
      for (unsigned group : list)
        cut.append(space.groups[group].begin(), space.groups[group].end());
    }
    visit(partition);
  }

  const DeviceGrid &grid;
  const CutSpace &space;
  llvm::ArrayRef<int64_t> extents;
  llvm::function_ref<void(const Partition &)> visit;
  std::vector<llvm::SmallVector<unsigned, 4>> lists;
  llvm::SmallVector<int64_t, 4> parts;
};
} // namespace

void model::forEachCut(const DeviceGrid &grid, const CutSpace &space,
                       llvm::ArrayRef<int64_t> extents,
                       llvm::function_ref<void(const Partition &)> visit) {
  Enumeration(grid, space, extents, visit).place(0);
}

double model::countCuts(const CutSpace &space, unsigned dimensions) {
  // One group after the other: not at all, or at any place of any list.
  std::vector<double> placed = {1};
  for (size_t g = 0; g < space.groups.size(); ++g) {
    placed.push_back(0);
    for (size_t k = g + 1; k > 0; --k)
      placed[k] += placed[k - 1] *
                   (space.anyOrder ? double(dimensions + k - 1) : dimensions);
  }
  // With any order a list of k groups has k + 1 places, over all dimensions
  // k + dimensions.
  double total = 0;
  for (double ways : placed)
    total += ways;
  return total;
}
