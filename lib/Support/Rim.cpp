//===- Rim.cpp - What lies beside a device's part -------------------------===//

#include "tapestry/Support/Rim.h"
#include "tapestry/Support/BlockCount.h"
#include <algorithm>

using namespace tapestry;

/// `size` points of a plain dimension, from `first` on after the start of each
/// device's block.
static LayoutDim besideBlocks(const DeviceGrid &grid, const LayoutDim &from,
                              int64_t first, int64_t size) {
  int64_t parts = partsOf(grid, from.cut());
  LayoutDim dim;
  dim.extent = from.extent;
  dim.constant = first;
  dim.span = size;
  dim.terms.push_back({ceilDiv(from.extent, parts),
                       numBlocks(from.extent, parts), Cut(from.cut())});
  return dim;
}

/// Whether what each device has of `to` and `rim` are `to`, each point once.
static bool completes(const DeviceGrid &grid, const Layout &rim,
                      const Layout &from, const Layout &to) {
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox window = to.box(grid, device);
    ZBox held = intersect(window, from.box(grid, device));
    if (!isEmpty(window) && isEmpty(held))
      return false;
    if (findCoverageFault(window, {held, rim.box(grid, device)}))
      return false;
  }
  return true;
}

std::optional<Layout> tapestry::findRim(const DeviceGrid &grid,
                                        const Layout &from, const Layout &to) {
  for (unsigned number = 0; number < from.rank(); ++number) {
    const LayoutDim &held = from.dims[number];
    int64_t before = 0, behind = 0;
    for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
      ZRange part = held.range(grid, device);
      ZRange window = to.dims[number].range(grid, device);
      if (window.empty())
        continue;
      before = std::max(before, part.lo - window.lo);
      behind = std::max(behind, window.hi - part.hi);
    }
    if (before == 0 && behind == 0)
      continue;
    Layout rim = to;
    rim.dims[number] =
        before > 0
            ? besideBlocks(grid, held, -before, before)
            : besideBlocks(grid, held,
                           ceilDiv(held.extent, partsOf(grid, held.cut())),
                           behind);
    // One strip is all there may be.
    if (!completes(grid, rim, from, to))
      return std::nullopt;
    return rim;
  }
  return std::nullopt;
}
