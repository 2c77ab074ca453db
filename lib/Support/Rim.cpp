//===- Rim.cpp - What lies beside a device's part -------------------------===//

#include "tapestry/Support/Rim.h"
#include "tapestry/Support/BlockCount.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include <algorithm>
#include <map>

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

/// More strips than these on a dimension are not made.
static constexpr size_t mostStrips = 16;

/// The strips of one dimension where windows and parts are cut elsewhere: what
/// is so far from the starts of blocks is lacking in some of them, one behind
/// the other. Nothing where that is another set.
static std::optional<llvm::SmallVector<LayoutDim, 2>>
stripsBeside(const DeviceGrid &grid, const LayoutDim &from,
             const LayoutDim &to) {
  int64_t parts = partsOf(grid, from.cut());
  int64_t block = ceilDiv(from.extent, parts);
  // The blocks that lack a point, by how far that is from their starts.
  std::map<int64_t, llvm::SmallBitVector> lacking;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    int64_t number = partIndex(grid, from.cut(), device);
    ZRange part = from.range(grid, device), window = to.range(grid, device);
    if (part.empty())
      part = {window.lo, window.lo};
    for (ZRange side : {ZRange{window.lo, std::min(part.lo, window.hi)},
                        ZRange{std::max(part.hi, window.lo), window.hi}})
      for (int64_t point = side.lo; point < side.hi; ++point) {
        llvm::SmallBitVector &blocks = lacking[point - number * block];
        blocks.resize(parts);
        blocks.set(number);
        if (lacking.size() > 4 * mostStrips)
          return std::nullopt;
      }
  }
  llvm::SmallVector<LayoutDim, 2> strips;
  const llvm::SmallBitVector *before = nullptr;
  for (const auto &[distance, blocks] : lacking) {
    ZRange within{blocks.find_first(), blocks.find_last() + 1};
    if (int64_t(blocks.count()) != within.size())
      return std::nullopt;
    bool isNext = before && *before == blocks &&
                  strips.back().constant + strips.back().span == distance;
    before = &blocks;
    if (isNext) {
      ++strips.back().span;
      continue;
    }
    if (strips.size() == mostStrips)
      return std::nullopt;
    strips.push_back(besideBlocks(grid, from, distance, 1));
    // Blocks may be empty that have strips.
    strips.back().terms.front().extent = parts;
    strips.back().terms.front().within = within;
  }
  return strips;
}

/// Whether what each device has of `to` and the rims are `to`, each point once.
static bool completes(const DeviceGrid &grid, llvm::ArrayRef<Layout> rims,
                      const Layout &from, const Layout &to, bool all = true) {
  bool isHeld = false;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox window = to.box(grid, device);
    llvm::SmallVector<ZBox> boxes = {intersect(window, from.box(grid, device))};
    if (all && !isEmpty(window) && isEmpty(boxes.front()))
      return false;
    isHeld |= !isEmpty(boxes.front());
    for (const Layout &rim : rims)
      boxes.push_back(rim.box(grid, device));
    if (findCoverageFault(window, boxes))
      return false;
  }
  return isHeld;
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

/// Rims of the same width on all devices.
static llvm::SmallVector<Layout, 2>
evenRims(const DeviceGrid &grid, const Layout &from, const Layout &to) {
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

/// Rims of blocks that begin elsewhere than the windows.
static llvm::SmallVector<Layout, 2>
unevenRims(const DeviceGrid &grid, const Layout &from, const Layout &to) {
  // Rims run through the corners of those that follow: first where windows
  // have all of the parts.
  llvm::SmallVector<unsigned> order;
  auto isWhole = [&](unsigned number) {
    for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
      ZRange window = to.dims[number].range(grid, device);
      if (!window.empty() &&
          !window.contains(from.dims[number].range(grid, device)))
        return false;
    }
    return true;
  };
  for (bool whole : {true, false})
    for (unsigned number = 0; number < from.rank(); ++number)
      if (isWhole(number) == whole)
        order.push_back(number);
  llvm::SmallVector<Layout, 2> rims;
  Layout rest = to;
  for (unsigned number : order) {
    auto strips = stripsBeside(grid, from.dims[number], to.dims[number]);
    if (!strips)
      return {};
    for (const LayoutDim &strip : *strips)
      rims.emplace_back(rest).dims[number] = strip;
    if (!strips->empty())
      rest.dims[number] = from.dims[number];
  }
  if (!llvm::all_of(rims, usesAxesOnce) ||
      !completes(grid, rims, from, to, /*all=*/false))
    rims.clear();
  return rims;
}

llvm::SmallVector<Layout, 2> tapestry::findRims(const DeviceGrid &grid,
                                                const Layout &from, Layout to) {
  for (LayoutDim &dim : to.dims)
    dim.arms = {};
  llvm::SmallVector<Layout, 2> rims = evenRims(grid, from, to);
  return rims.empty() ? unevenRims(grid, from, to) : rims;
}
