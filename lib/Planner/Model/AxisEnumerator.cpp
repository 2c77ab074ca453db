//===- AxisEnumerator.cpp - All axes that labels may be cut over ----------===//

#include "tapestry/Planner/Model/AxisEnumerator.h"

using namespace tapestry;
using namespace tapestry::model;

void AxisEnumerator::forEach(
    llvm::ArrayRef<std::optional<Cut>> fixedCuts,
    llvm::function_ref<bool(const Partition &)> callback) {
  fixed = fixedCuts;
  visit = callback;
  current.cuts.assign(parts.size(), Cut());
  used.assign(grid.axes.size(), false);
  for (const std::optional<Cut> &cut : fixed) {
    if (!cut)
      continue;
    for (unsigned axis : *cut) {
      if (used[axis])
        return;
      used[axis] = true;
    }
  }
  extendLabel(0);
}

bool AxisEnumerator::extendLabel(unsigned label) {
  if (label == parts.size())
    return visit(current);
  if (!fixed.empty() && fixed[label]) {
    current.cuts[label] = *fixed[label];
    return extendLabel(label + 1);
  }
  current.cuts[label].clear();
  return extendCut(label, parts[label]);
}

bool AxisEnumerator::extendCut(unsigned label, int64_t left) {
  if (left == 1)
    return extendLabel(label + 1);
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis) {
    int64_t size = grid.axes[axis].size;
    if (used[axis] || size == 1 || left % size != 0)
      continue;
    used[axis] = true;
    current.cuts[label].push_back(axis);
    bool goOn = extendCut(label, left / size);
    current.cuts[label].pop_back();
    used[axis] = false;
    if (!goOn)
      return false;
  }
  return true;
}
