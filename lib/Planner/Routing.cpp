//===- Routing.cpp - Homes and collectives of placed vertices -------------===//

#include "Traffic.h"
#include "tapestry/Planner/Constraints.h"
#include "tapestry/Planner/PaperCost.h"
#include "tapestry/Planner/Placement.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>

using namespace tapestry;

int64_t Placement::totalBytes() const {
  int64_t total = 0;
  for (const PlannedCollective &collective : collectives)
    total += collective.bytes;
  return total;
}

Layout tapestry::resultLayout(const PlanVertex &vertex,
                              const Partition &partition) {
  Layout layout = Layout::ofProjection(vertex.output, vertex.extents(),
                                       partition, vertex.shape);
  for (auto [label, cut] : llvm::zip_equal(vertex.labels, partition.cuts))
    if (label.reduced)
      layout.partial.append(cut.begin(), cut.end());
  llvm::sort(layout.partial);
  return layout;
}

Layout tapestry::operandLayout(const PlanGraph &graph, const PlanVertex &vertex,
                               unsigned operand, const Partition &partition) {
  const PlanOperand &read = vertex.operands[operand];
  return Layout::ofProjection(read.projection, vertex.extents(), partition,
                              graph.vertices[read.producer].shape);
}

/// A partition that says the same as a layout, if there is one.
static std::optional<Partition> partitionOf(const Layout &layout) {
  if (!layout.isPlain())
    return std::nullopt;
  Partition partition;
  for (const LayoutDim &dim : layout.dims)
    partition.cuts.push_back(Cut(dim.cut()));
  return partition;
}

Placement tapestry::routeGraph(const PlanGraph &graph, const DeviceGrid &grid,
                               llvm::ArrayRef<Partition> partitions) {
  Traffic traffic(grid);
  auto uses = graph.uses();
  Placement placement;
  auto send = [&](unsigned vertex, const Layout &from, const Layout &to) {
    Collective moved = planResharding(grid, from, to);
    if (moved.kind == CollectiveKind::None ||
        moved.kind == CollectiveKind::Slice)
      return;
    placement.collectives.push_back(
        {vertex, moved.kind, moved.groupSize,
         moved.elements *
             graph.vertices[vertex].bytesPerElement(!from.partial.empty()),
         from, to});
  };
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    llvm::SmallVector<Traffic::Id, 4> targets;
    for (const PlanUse &use : uses[v]) {
      Traffic::Id target =
          traffic.idOf(operandLayout(graph, graph.vertices[use.vertex],
                                     use.operand, partitions[use.vertex]));
      if (!llvm::is_contained(targets, target))
        targets.push_back(target);
    }
    VertexPlacement &placed = placement.vertices.emplace_back();
    if (isStoredAsConsumed(vertex, uses[v])) {
      placed.home = traffic.layout(targets.front());
      placed.partition = partitionOf(placed.home);
      continue;
    }
    placed.partition = partitions[v];
    Layout result = resultLayout(vertex, partitions[v]);
    placed.home = traffic.layout(
        traffic
            .bestHome(traffic.idOf(result), targets,
                      {vertex.bytesPerElement(true), vertex.elementBytes},
                      keepsResultInPlace(vertex))
            .layout);
    if (!result.partial.empty())
      send(v, result, placed.home);
    for (Traffic::Id target : targets)
      send(v, placed.home, traffic.layout(target));
  }
  return placement;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The elements of the largest part that a device has. The parts of a cut
/// dimension are largest at the front, but windows are clipped there: look at
/// every device.
static int64_t largestPart(const DeviceGrid &grid, const Layout &layout) {
  int64_t largest = 0;
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device)
    largest = std::max(largest, volume(layout.box(grid, device)));
  return largest;
}

int64_t tapestry::peakBytesPerDevice(const PlanGraph &graph,
                                     const DeviceGrid &grid,
                                     const Placement &placement) {
  auto uses = graph.uses();
  unsigned steps = graph.vertices.size();
  // Bytes that come to life at, and end after, each step.
  std::vector<int64_t> born(steps + 1, 0), gone(steps + 1, 0);
  std::vector<std::pair<Layout, int64_t>> known;
  auto bytesOf = [&](const PlanVertex &vertex, const Layout &layout) {
    for (auto &[candidate, elements] : known)
      if (candidate == layout)
        return elements * vertex.elementBytes;
    known.push_back({layout, largestPart(grid, layout)});
    return known.back().second * vertex.elementBytes;
  };
  for (unsigned v = 0; v < steps; ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const Layout &home = placement.vertices[v].home;
    unsigned last = uses[v].empty() ? v : uses[v].back().vertex;
    if (vertex.isInput || vertex.isOutput || uses[v].empty())
      last = steps - 1;
    int64_t homeBytes = bytesOf(vertex, home);
    born[vertex.isInput ? 0 : v] += homeBytes;
    gone[last] += homeBytes;
    if (isStoredAsConsumed(vertex, uses[v]))
      continue;
    if (!vertex.isInput) {
      Layout result = resultLayout(vertex, *placement.vertices[v].partition);
      if (!result.partial.empty()) {
        result.partial.clear();
        int64_t bytes = bytesOf(vertex, result) / vertex.elementBytes *
                        vertex.bytesPerElement(/*isPartial=*/true);
        born[v] += bytes;
        gone[v] += bytes;
      }
    }
    // Every distinct redistributed copy, from its first reader to its last.
    std::vector<std::pair<Layout, std::pair<unsigned, unsigned>>> copies;
    for (const PlanUse &use : uses[v]) {
      Layout target =
          operandLayout(graph, graph.vertices[use.vertex], use.operand,
                        *placement.vertices[use.vertex].partition);
      if (target == home)
        continue;
      auto it = llvm::find_if(
          copies, [&](const auto &copy) { return copy.first == target; });
      if (it == copies.end())
        copies.push_back({target, {use.vertex, use.vertex}});
      else
        it->second.second = use.vertex;
    }
    for (auto &[target, span] : copies) {
      born[span.first] += bytesOf(vertex, target);
      gone[span.second] += bytesOf(vertex, target);
    }
  }
  int64_t live = 0, peak = 0;
  for (unsigned step = 0; step < steps; ++step) {
    live += born[step];
    peak = std::max(peak, live);
    live -= gone[step];
  }
  return peak;
}
