//===- PlainLayout.cpp - The cut that boxes come from ---------------------===//

#include "tapestry/Support/PlainLayout.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;

std::optional<Layout> tapestry::findPlainLayout(const DeviceGrid &grid,
                                                llvm::ArrayRef<int64_t> shape,
                                                llvm::ArrayRef<ZBox> boxes) {
  if (static_cast<int64_t>(boxes.size()) != grid.numDevices())
    return std::nullopt;
  // A step along the major axis of a cut leads past all parts of the minor
  // ones, so the device beside the first one on an axis tells its place.
  llvm::SmallVector<llvm::SmallVector<std::pair<int64_t, unsigned>, 2>> steps(
      shape.size());
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis) {
    if (grid.axes[axis].size < 2)
      continue;
    const ZBox &next = boxes[grid.strideOf(axis)];
    for (unsigned dim = 0; dim < shape.size(); ++dim)
      if (next[dim] != boxes.front()[dim]) {
        steps[dim].push_back({-next[dim].lo, axis});
        break;
      }
  }
  llvm::SmallVector<Cut> cuts;
  for (auto &ofDim : steps) {
    llvm::sort(ofDim);
    Cut &cut = cuts.emplace_back();
    for (auto [step, axis] : ofDim)
      cut.push_back(axis);
  }
  Layout layout = Layout::blocked(shape, cuts);
  for (auto [device, box] : llvm::enumerate(boxes))
    if (layout.box(grid, static_cast<int64_t>(device)) != box)
      return std::nullopt;
  return layout;
}
