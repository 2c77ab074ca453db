//===- Resharding.cpp - What moves between two layouts --------------------===//

#include "tapestry/Support/Resharding.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace tapestry;

llvm::StringRef tapestry::stringifyCollective(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::None:
    return "none";
  case CollectiveKind::Slice:
    return "slice";
  case CollectiveKind::AllGather:
    return "all_gather";
  case CollectiveKind::AllToAll:
    return "all_to_all";
  case CollectiveKind::AllReduce:
    return "all_reduce";
  case CollectiveKind::ReduceScatter:
    return "reduce_scatter";
  }
  return "unknown";
}

llvm::SmallVector<int64_t> tapestry::groupOf(const DeviceGrid &grid,
                                             llvm::ArrayRef<unsigned> axes,
                                             int64_t device) {
  int64_t base = device;
  for (unsigned axis : axes)
    base -= grid.coordinate(device, axis) * grid.strideOf(axis);
  llvm::SmallVector<int64_t> members = {base};
  for (unsigned axis : axes) {
    llvm::SmallVector<int64_t> wider;
    for (int64_t member : members)
      for (int64_t c = 0; c < grid.axes[axis].size; ++c)
        wider.push_back(member + c * grid.strideOf(axis));
    members = std::move(wider);
  }
  llvm::sort(members);
  return members;
}

int64_t tapestry::servingDevice(const DeviceGrid &grid, const Layout &from,
                                int64_t holder, int64_t receiver) {
  int64_t device = receiver;
  for (unsigned axis : from.usedAxes())
    device +=
        (grid.coordinate(holder, axis) - grid.coordinate(receiver, axis)) *
        grid.strideOf(axis);
  return device;
}

/// The axes, ascending, whose coordinates differ between some receiver and one
/// of the devices that serve it: devices equal on all other axes form a group.
static Cut axesThatMove(const DeviceGrid &grid, const Layout &from,
                        const Layout &to) {
  Cut moved;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox target = to.box(grid, device);
    if (isEmpty(target))
      continue;
    for (auto [dim, range] : llvm::zip_equal(from.dims, target)) {
      int64_t block = ceilDiv(dim.extent, partsOf(grid, dim.cut()));
      for (int64_t part = range.lo / block; part * block < range.hi; ++part) {
        int64_t digits = part;
        for (unsigned axis : llvm::reverse(dim.cut())) {
          if (digits % grid.axes[axis].size != grid.coordinate(device, axis) &&
              !llvm::is_contained(moved, axis))
            moved.push_back(axis);
          digits /= grid.axes[axis].size;
        }
      }
    }
  }
  llvm::sort(moved);
  return moved;
}

/// Elements that `device` fetches from others: what its target box holds beyond
/// its own source box. The parts of `from` are disjoint and cover the tensor.
static int64_t fetched(const DeviceGrid &grid, const Layout &from,
                       const Layout &to, int64_t device) {
  ZBox target = to.box(grid, device);
  return volume(target) - volume(intersect(target, from.box(grid, device)));
}

/// Whether every axis of `from` either stays where it is or leaves its
/// dimension, and each cut of `to` is a prefix of the cut of `from` with nested
/// blocks: whole parts are collected and nothing else moves.
static bool isAllGather(const DeviceGrid &grid, const Layout &from,
                        const Layout &to) {
  if (!to.isPlain())
    return false;
  for (auto [a, b] : llvm::zip_equal(from.dims, to.dims))
    if (b.cut().size() > a.cut().size() ||
        a.cut().take_front(b.cut().size()) != b.cut())
      return false;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
    if (!contains(to.box(grid, device), from.box(grid, device)))
      return false;
  return true;
}

static Collective planReduction(const DeviceGrid &grid, const Layout &from,
                                const Layout &to) {
  Collective result;
  result.axes = from.partial;
  llvm::sort(result.axes);
  result.groupSize = partsOf(grid, from.partial);
  int64_t held = 0, most = 0;
  bool sameBoxes = true;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox source = from.box(grid, device);
    held += volume(source);
    most = std::max(most, volume(source));
    ZBox target = to.box(grid, device);
    sameBoxes &= source == target || (isEmpty(source) && isEmpty(target));
  }
  // Every member of a group holds the group's n elements: held = groups * g *
  // n.
  int64_t perGroups = held / result.groupSize;
  result.kind =
      sameBoxes ? CollectiveKind::AllReduce : CollectiveKind::ReduceScatter;
  result.elements = (sameBoxes ? 2 : 1) * (result.groupSize - 1) * perGroups;
  result.mostReceived = (sameBoxes ? 2 : 1) * (result.groupSize - 1) *
                        ceilDiv(most, result.groupSize);
  result.combined = most;
  if (result.groupSize == 1)
    result.kind = CollectiveKind::None;
  return result;
}

bool tapestry::canReduceScatter(const DeviceGrid &grid, const Layout &from,
                                const Layout &to) {
  if (from.partial.empty() || !to.partial.empty() || !to.isPlain())
    return false;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    llvm::SmallVector<int64_t> members = groupOf(grid, from.partial, device);
    if (members.front() != device)
      continue;
    llvm::SmallVector<ZBox> targets;
    for (int64_t member : members)
      targets.push_back(to.box(grid, member));
    ZBox source = from.box(grid, device);
    if (isEmpty(source)) {
      if (!llvm::all_of(targets, [](const ZBox &b) { return isEmpty(b); }))
        return false;
      continue;
    }
    if (findCoverageFault(source, targets))
      return false;
  }
  return true;
}

Collective tapestry::planResharding(const DeviceGrid &grid, const Layout &from,
                                    const Layout &to) {
  if (!from.partial.empty())
    return planReduction(grid, from, to);
  Collective result;
  if (from == to)
    return result;
  assert(from.isPlain() && "a resharding's source parts must be disjoint");

  bool sameBoxes = true;
  int64_t mostCopied = 0;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    int64_t elements = fetched(grid, from, to, device);
    result.elements += elements;
    result.mostReceived = std::max(result.mostReceived, elements);
    ZBox target = to.box(grid, device);
    sameBoxes = sameBoxes && from.box(grid, device) == target;
    mostCopied = std::max(mostCopied, volume(target));
  }
  if (result.elements == 0) {
    result.kind = sameBoxes ? CollectiveKind::None : CollectiveKind::Slice;
    result.mostReceived = sameBoxes ? 0 : mostCopied;
    return result;
  }
  result.axes = axesThatMove(grid, from, to);
  result.groupSize = partsOf(grid, result.axes);
  result.kind = isAllGather(grid, from, to) ? CollectiveKind::AllGather
                                            : CollectiveKind::AllToAll;
  return result;
}
