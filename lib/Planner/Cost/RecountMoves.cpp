//===- RecountMoves.cpp - The moves of a plan, counted again --------------===//

#include "tapestry/Planner/Cost/RecountMoves.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::layout;
using namespace tapestry::model;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Layout cost::readLayout(const PlanGraph &graph, const Placement &placement,
                        const PlanUse &use) {
  const PlanVertex &reader = graph.vertices[use.vertex];
  const PlanOperand &operand = reader.operands[use.operand];
  return Layout::ofProjection(operand.projection, reader.extents(),
                              *placement.vertices[use.vertex].partition,
                              graph.vertices[operand.producer].shape,
                              operand.guard);
}

/// Where a vertex leaves its result: partial along the axes of reduced labels.
static Layout madeLayout(const PlanVertex &vertex, const Partition &partition) {
  Layout result = Layout::ofProjection(vertex.output, vertex.extents(),
                                       partition, vertex.shape);
  for (unsigned l = 0; l < vertex.labels.size(); ++l)
    if (vertex.labels[l].reduced)
      result.partial.append(partition.cuts[l]);
  llvm::sort(result.partial);
  return result;
}

llvm::SmallVector<Layout, 3> cost::layoutsOfRead(const PlanGraph &graph,
                                                 const Placement &placement,
                                                 const PlanUse &use) {
  const VertexPlacement &reader = placement.vertices[use.vertex];
  unsigned producer = graph.vertices[use.vertex].operands[use.operand].producer;
  llvm::SmallVector<Layout, 3> layouts = {placement.vertices[producer].home};
  if (!reader.operandRoutes.empty())
    llvm::append_range(layouts, reader.operandRoutes[use.operand]);
  layouts.push_back(readLayout(graph, placement, use));
  return layouts;
}

std::vector<std::pair<Layout, Layout>>
cost::layoutsAtBorder(const PlanGraph &graph, const Placement &placement,
                      const DeviceGrid &grid, unsigned vertex) {
  const PlanVertex &own = graph.vertices[vertex];
  const Layout &home = placement.vertices[vertex].home;
  std::vector<std::pair<Layout, Layout>> moves;
  auto pinned = [&](const DevicePin &pin) {
    return Layout::onDevice(grid, own.shape, pin.device);
  };
  if (own.constraints.entersAt)
    moves.emplace_back(pinned(*own.constraints.entersAt), home);
  for (const DevicePin &pin : own.constraints.leavesAt)
    moves.emplace_back(home, pinned(pin));
  return moves;
}

llvm::SmallVector<Layout, 3> cost::layoutsOfResult(const PlanGraph &graph,
                                                   const Placement &placement,
                                                   unsigned vertex) {
  const VertexPlacement &placed = placement.vertices[vertex];
  llvm::SmallVector<Layout, 3> layouts = {
      madeLayout(graph.vertices[vertex], *placed.partition)};
  llvm::append_range(layouts, placed.homeRoute);
  layouts.push_back(placed.home);
  return layouts;
}

std::optional<std::pair<Layout, Layout>>
cost::totalsOfBlocks(const PlanGraph &graph, const Placement &placement,
                     const DeviceGrid &grid, unsigned vertex) {
  const PlanVertex &own = graph.vertices[vertex];
  if (own.isInput || own.cutAs)
    return std::nullopt;
  const Partition &partition = *placement.vertices[vertex].partition;
  for (unsigned l = 0; l < own.labels.size(); ++l) {
    if (!own.labels[l].scanned)
      continue;
    // Devices whose blocks are empty have no total.
    int64_t blocks = 0;
    for (int64_t part = 0; part < partsOf(grid, partition.cuts[l]); ++part)
      blocks += !blockRange(own.labels[l].extent,
                            partsOf(grid, partition.cuts[l]), part)
                     .empty();
    if (blocks <= 1)
      continue;
    // One number per point, or so many per block.
    int64_t points =
        blockRange(own.labels[l].extent, partsOf(grid, partition.cuts[l]), 0)
            .size();
    llvm::SmallVector<int64_t> shape(own.extents());
    llvm::SmallVector<Cut> cuts = llvm::to_vector(partition.cuts);
    if (points > own.totalCount) {
      shape[l] = blocks;
      if (own.totalCount != 1) {
        shape.push_back(own.totalCount);
        cuts.emplace_back();
      }
    }
    Layout made = Layout::blocked(shape, cuts);
    cuts[l].clear();
    return std::pair(made, Layout::blocked(shape, cuts));
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

/// Whether a device has the coordinate on one of its axes at which a term that
/// is an anchor lets devices hold anything.
static bool servesAlong(const DeviceGrid &grid, const LayoutTerm &term,
                        unsigned axis, int64_t device) {
  for (int64_t other = 0, e = grid.numDevices(); other < e; ++other)
    if (!term.values(grid, other).empty())
      return grid.coordinate(other, axis) == grid.coordinate(device, axis);
  return false;
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
      // Who is anchored elsewhere than the device serves it from there.
      for (const LayoutTerm &term : llvm::drop_begin(dim.terms))
        for (unsigned axis : term.cut)
          if (!llvm::is_contained(moved, axis) &&
              !servesAlong(grid, term, axis, device))
            moved.push_back(axis);
    }
  }
  llvm::sort(moved);
  return moved;
}

/// The points of a box that are outside of `cores` in one dimension at most:
/// those outside in none, and those outside in each alone.
static int64_t pointsOfCross(const ZBox &box, const ZBox &cores) {
  ZBox within = intersect(box, cores);
  int64_t points = volume(within);
  for (unsigned dim = 0; dim < box.size(); ++dim) {
    ZBox line = within;
    line[dim] = box[dim];
    points += volume(line) - volume(within);
  }
  return points;
}

/// Elements that `device` fetches from others: what its target box holds beyond
/// its own source box, corners of a cross left out. The parts of `from` are
/// disjoint and cover the tensor.
static int64_t fetched(const DeviceGrid &grid, const Layout &from,
                       const Layout &to, int64_t device) {
  ZBox target = to.box(grid, device), cores = target;
  for (auto [dim, core] : llvm::zip_equal(to.dims, cores)) {
    ZRange image = dim.imageRange(grid, device);
    core = intersect(core,
                     {image.lo + dim.arms.before, image.hi - dim.arms.behind});
  }
  return pointsOfCross(target, cores) -
         pointsOfCross(intersect(target, from.box(grid, device)), cores);
}

/// Whether every axis of `from` either stays where it is or leaves its
/// dimension, and each cut of `to` is a prefix of the cut of `from` with nested
/// blocks: whole parts are collected and nothing else moves.
static bool isAllGather(const DeviceGrid &grid, const Layout &from,
                        const Layout &to) {
  if (!from.isPlain() || !to.isPlain())
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

/// Which exchange of boxes this is that is no all_gather.
static CollectiveKind kindOfExchange(const DeviceGrid &grid, const Layout &from,
                                     const Layout &to) {
  bool comesWhole = true, staysPut = true;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
    for (auto [a, b] : llvm::zip_equal(from.dims, to.dims)) {
      int64_t block = ceilDiv(a.extent, partsOf(grid, a.cut()));
      ZRange has = a.range(grid, device), gets = b.range(grid, device);
      comesWhole &= gets.empty() || gets.lo / block == (gets.hi - 1) / block;
      staysPut &= has.empty() || gets.contains(has);
    }
  if (comesWhole)
    return CollectiveKind::CollectivePermute;
  return staysPut ? CollectiveKind::HaloExchange : CollectiveKind::AllToAll;
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

Collective cost::countMove(const DeviceGrid &grid, const Layout &from,
                           const Layout &to) {
  if (!from.partial.empty())
    return planReduction(grid, from, to);
  Collective result;
  if (from == to)
    return result;
  assert(from.isDisjoint() && "a resharding's source parts must be disjoint");

  bool sameBoxes = true;
  int64_t mostCopied = 0, holders = 0;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    holders += !isEmpty(from.box(grid, device));
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
  if (!from.isPlain())
    result.mostReceived =
        std::max(result.mostReceived, ceilDiv(result.elements, holders));
  result.axes = axesThatMove(grid, from, to);
  result.groupSize = partsOf(grid, result.axes);
  result.kind = isAllGather(grid, from, to) ? CollectiveKind::AllGather
                                            : kindOfExchange(grid, from, to);
  return result;
}
