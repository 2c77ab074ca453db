//===- Rim.cpp - What lies beside a device's part -------------------------===//

#include "tapestry/Support/Rim.h"
#include "tapestry/Support/BlockCount.h"
#include "llvm/ADT/STLExtras.h"
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

/// How far windows reach over the edges of the parts along a dimension, in
/// front of them and behind them, on the device where that is farthest.
static std::pair<int64_t, int64_t> reachBeside(const DeviceGrid &grid,
                                               const LayoutDim &from,
                                               const LayoutDim &to) {
  int64_t before = 0, behind = 0;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZRange part = from.range(grid, device), window = to.range(grid, device);
    if (window.empty())
      continue;
    before = std::max(before, part.lo - window.lo);
    behind = std::max(behind, window.hi - part.hi);
  }
  return {before, behind};
}

/// Whether what each device has of `to` and the rims are `to`, each point once.
static bool completes(const DeviceGrid &grid, llvm::ArrayRef<Layout> rims,
                      const Layout &from, const Layout &to) {
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox window = to.box(grid, device);
    llvm::SmallVector<ZBox> boxes = {intersect(window, from.box(grid, device))};
    if (!isEmpty(window) && isEmpty(boxes.front()))
      return false;
    for (const Layout &rim : rims)
      boxes.push_back(rim.box(grid, device));
    if (findCoverageFault(window, boxes))
      return false;
  }
  return true;
}

/// Whether no axis cuts two dimensions: one that cuts the parts may cut another
/// dimension of the windows.
static bool usesAxesOnce(const Layout &layout) {
  size_t uses = 0;
  for (const LayoutDim &dim : layout.dims)
    for (const LayoutTerm &term : dim.terms)
      uses += term.cut.size();
  return uses == layout.usedAxes().size();
}

llvm::SmallVector<Layout, 2> tapestry::findRims(const DeviceGrid &grid,
                                                const Layout &from,
                                                const Layout &to) {
  llvm::SmallVector<Layout, 2> rims;
  // What is left of the windows: along the dimensions that were looked at, what
  // the parts hold.
  Layout rest = to;
  for (auto [number, held] : llvm::enumerate(from.dims)) {
    auto [before, behind] = reachBeside(grid, held, to.dims[number]);
    int64_t block = ceilDiv(held.extent, partsOf(grid, held.cut()));
    if (before > 0)
      rims.emplace_back(rest).dims[number] =
          besideBlocks(grid, held, -before, before);
    if (behind > 0)
      rims.emplace_back(rest).dims[number] =
          besideBlocks(grid, held, block, behind);
    if (before > 0 || behind > 0)
      rest.dims[number] = held;
  }
  if (!rims.empty() &&
      (!llvm::all_of(rims, usesAxesOnce) || !completes(grid, rims, from, to)))
    rims.clear();
  return rims;
}
