//===- MoveBound.cpp - The least that a move can cost ---------------------===//
//
// Of a way from A to B, over any number of stops:
//
// - The first device's part of B has b elements, of which any one part of A has
//   at most m = prod min(sizes). It receives b - m or more.
// - s devices that fast links join have at most s m elements of a part of B
//   together, however they share them. The rest comes over slower links: one of
//   them receives (b - s m) / s or more.
// - Parts of B cover the tensor, so some such group wants s / devices of it,
// and
//   has at most what its parts of A have, and at most s m of each part of B.
// - Bytes are priced by the fastest link that they may have come over.
// - A collective on groups of g takes g - 1 latencies, log2 g or more, and
//   makes what any device has of a part of B at most g times as much.
//
//===----------------------------------------------------------------------===//

#include "MoveBound.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace tapestry;
using namespace tapestry::cost::seconds;
using namespace tapestry::machine;

FirstPart::FirstPart(const DeviceGrid &grid, const Layout &layout) {
  for (const LayoutDim &dim : layout.dims) {
    sizes.push_back(dim.range(grid, 0).size());
    elements *= sizes.back();
  }
  if (!layout.isCross())
    return;
  elements = 0;
  for (const ZBox &fragment : layout.fragments(grid, 0))
    elements += volume(fragment);
}

MoveBound::MoveBound(const DeviceGrid &grid, const Machine &machine)
    : grid(grid), machine(machine), devices(grid.numDevices()) {
  std::set<double, std::greater<double>> bandwidths;
  // All sets of axes, those of one size and link once.
  std::map<std::tuple<int64_t, double, double>, Cut> sets = {{{1, 0, 0}, {}}};
  for (unsigned axis = 0; axis < grid.axes.size(); ++axis) {
    if (grid.axes[axis].size == 1)
      continue;
    bandwidths.insert(machine.linkOf(grid.axes[axis].name).bandwidth);
    for (auto &[key, axes] : decltype(sets)(sets)) {
      Cut more = axes;
      more.push_back(axis);
      Link link = machine.slowestLink(grid, more);
      sets.try_emplace({partsOf(grid, more), link.bandwidth, link.latency},
                       more);
    }
  }
  for (auto &[key, axes] : sets)
    groups[std::get<0>(key)].push_back(axes);
  for (double bandwidth : bandwidths) {
    Level &level = levels.emplace_back();
    level.bandwidth = bandwidth;
    level.latency = std::numeric_limits<double>::infinity();
    for (const DeviceGrid::Axis &axis : grid.axes) {
      if (axis.size == 1)
        continue;
      Link link = machine.linkOf(axis.name);
      if (link.bandwidth >= bandwidth)
        level.devices *= axis.size;
      if (link.bandwidth <= bandwidth)
        level.latency = std::min(level.latency, link.latency);
    }
  }
}

/// How often something doubles to grow by `ratio`, but for rounding.
static double doublings(double ratio) {
  ratio *= 1 - 1e-9;
  return ratio <= 1 ? 0 : std::ilogb(ratio) + 1;
}

double MoveBound::seconds(const FirstPart &from, const FirstPart &to,
                          double total, int64_t elementBytes) const {
  double shared = 1;
  bool isSame = true;
  for (size_t d = 0; d < to.sizes.size(); ++d) {
    shared *= std::min(from.sizes[d], to.sizes[d]);
    isSame = isSame && from.sizes[d] == to.sizes[d];
  }
  if (isSame || levels.empty() || to.elements == 0)
    return 0;
  double seconds = std::max(to.elements - shared, 0.0) * elementBytes /
                       levels.front().bandwidth +
                   doublings(to.elements / shared) * levels.front().latency;
  for (unsigned l = 0; l + 1 < levels.size(); ++l) {
    double joined = levels[l].devices;
    double ofPart = joined * shared;
    double ofAll = joined * std::min(from.elements, ofPart);
    double wanted = joined / devices * total;
    double received =
        std::max({0.0, to.elements - ofPart, wanted - ofAll}) / joined;
    double steps = doublings(to.elements / ofPart);
    const Level &slower = levels[l + 1];
    seconds += received * elementBytes *
                   (1 / slower.bandwidth - 1 / levels[l].bandwidth) +
               std::max(steps, received > 0 ? 1.0 : 0.0) *
                   (slower.latency - levels[l].latency);
  }
  return seconds;
}

double MoveBound::combineSeconds(int64_t groupSize, double elements,
                                 bool isScatter, int64_t elementBytes) const {
  Collective combine;
  combine.kind =
      isScatter ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
  combine.groupSize = groupSize;
  combine.combined = elements;
  combine.mostReceived = (isScatter ? 1 : 2) * (groupSize - 1) *
                         ceilDiv(combine.combined, groupSize);
  double least = std::numeric_limits<double>::infinity();
  for (const Cut &axes : groups.at(groupSize)) {
    combine.axes = axes;
    least = std::min(least,
                     collectiveSeconds(combine, grid, machine, elementBytes));
  }
  return least;
}
