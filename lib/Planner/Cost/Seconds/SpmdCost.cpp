//===- SpmdCost.cpp - What the generated program costs, in seconds --------===//

#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/TensorParts.h"
#include "tapestry/Support/Overlap.h"
#include "tapestry/Support/ReshardingCostCache.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;

double cost::seconds::workSeconds(const PlanGraph &graph,
                                  const PlanVertex &vertex,
                                  const DeviceGrid &grid,
                                  const Machine &machine,
                                  const Partition &partition) {
  if (!vertex.hasWork())
    return 0;
  llvm::SmallVector<int64_t, 4> extents = vertex.extents();
  PartVector parts;
  double share = 1;  // of the work, in the largest block
  double points = 1; // that contribute
  bool isPartial = false;
  for (auto [label, cut] : llvm::zip_equal(vertex.labels, partition.cuts)) {
    int64_t count = partsOf(grid, cut);
    parts.push_back(count);
    if (!label.selected) {
      share *= double(ceilDiv(label.extent, count)) / label.extent;
      points *= ceilDiv(label.extent, count);
    }
    isPartial = isPartial || (label.reduced && count > 1);
  }
  double bytes = partElements(projectedParts(vertex.output, extents, parts,
                                             vertex.shape)) *
                     vertex.bytesPerElement(isPartial) +
                 vertex.extraBytes * share;
  // Totals are computed first: what the vertex reads is read twice.
  auto totals = totalsMove(vertex, grid, partition);
  for (const PlanOperand &operand : vertex.operands) {
    const PlanVertex &producer = graph.vertices[operand.producer];
    double touched = partElements(projectedParts(
        operand.projection, extents, parts, producer.shape, operand.guard));
    if (operand.kind == AccessKind::Indexed)
      touched = std::min(touched, points);
    bytes += touched * producer.elementBytes * (totals ? 2 : 1);
  }
  double seconds =
      std::max(vertex.flops * share / machine.flopsOf(vertex.elementBytes),
               bytes / machine.memoryBandwidth) +
      machine.vertexLatency;
  if (totals)
    seconds += collectiveSeconds(
        planResharding(grid, totals->first, totals->second), grid, machine,
        vertex.bytesPerElement(/*isPartial=*/true));
  return double(vertex.trips) * seconds;
}

double cost::seconds::collectiveSeconds(const Collective &collective,
                                        const DeviceGrid &grid,
                                        const Machine &machine,
                                        int64_t bytesPerElement) {
  double bytes = double(collective.mostReceived) * bytesPerElement;
  // A slice is read where it lies.
  if (collective.kind == CollectiveKind::None ||
      collective.kind == CollectiveKind::Slice)
    return 0;
  Link link = machine.slowestLink(grid, collective.axes);
  int64_t others = collective.groupSize - 1;
  if (collective.kind != CollectiveKind::AllReduce)
    return others * link.latency + bytes / link.bandwidth;
  auto tree = [&](double whole) {
    return 2.0 * llvm::Log2_64_Ceil(collective.groupSize) *
           (link.latency + whole / link.bandwidth);
  };
  double whole = double(collective.combined) * bytesPerElement;
  if (whole <= smallAllReduceBytes)
    return tree(whole);
  // A larger one never costs less than the largest of the small ones.
  return std::max(2 * others * link.latency + bytes / link.bandwidth,
                  tree(smallAllReduceBytes));
}

/// Whether it is computed in parts, as `tapestry-cut-products` does: by rows,
/// of which devices have as many before as after, all alike.
static bool isCutProduct(const PlanVertex &vertex, const Layout &made,
                         const Layout &combined, const DeviceGrid &grid,
                         const Machine &machine) {
  if (machine.cutProducts == 0 || vertex.cutAs || made.dims.empty() ||
      made.partial.empty() || !(made.dims[0] == combined.dims[0]))
    return false;
  int64_t bytes = vertex.bytesPerElement(/*isPartial=*/true);
  ZBox first = made.box(grid, 0);
  for (int64_t device = 1, e = grid.numDevices(); device < e; ++device)
    for (auto [own, other] : llvm::zip_equal(made.box(grid, device), first))
      if (own.size() != other.size())
        return false;
  bytes *= volume(first);
  return first[0].size() % productParts == 0 && bytes >= machine.cutProducts &&
         bytes / productParts > smallAllReduceBytes;
}

double cost::seconds::combineSeconds(const PlanVertex &vertex,
                                     const Layout &made, const Layout &combined,
                                     const Collective &collective,
                                     const DeviceGrid &grid,
                                     const Machine &machine, double work) {
  int64_t bytes = vertex.bytesPerElement(/*isPartial=*/true);
  if (!isCutProduct(vertex, made, combined, grid, machine))
    return collectiveSeconds(collective, grid, machine, bytes);
  Collective part = collective;
  part.combined = collective.combined / productParts;
  part.mostReceived = (collective.kind == CollectiveKind::AllReduce ? 2 : 1) *
                      (part.groupSize - 1) *
                      ceilDiv(part.combined, part.groupSize);
  double each = collectiveSeconds(part, grid, machine, bytes);
  double next = work / productParts;
  return each + (productParts - 1) * (std::max(each, next) - next);
}

double cost::seconds::borderSeconds(const PlanVertex &vertex,
                                    ReshardingCostCache &costs,
                                    const Machine &machine,
                                    const Layout &home) {
  double seconds = 0;
  for (const auto &[from, to] : movesAtBorder(vertex, costs.deviceGrid(), home))
    seconds +=
        collectiveSeconds(costs.collective(costs.idOf(from), costs.idOf(to)),
                          costs.deviceGrid(), machine, vertex.elementBytes);
  return seconds;
}

std::vector<VertexCost> cost::seconds::spmdCosts(const PlanGraph &graph,
                                                 const DeviceGrid &grid,
                                                 const Machine &machine,
                                                 const Placement &placement) {
  ReshardingCostCache cache(grid);
  // Of a result from where it is made on: work of so many seconds.
  auto moveSeconds = [&](const PlanVertex &tensor, llvm::ArrayRef<Layout> steps,
                         double work = 0) {
    double seconds = 0;
    for (unsigned step = 0; step + 1 < steps.size(); ++step) {
      const Layout &from = steps[step], &to = steps[step + 1];
      if (from == to)
        continue;
      const Collective &moved =
          cache.collective(cache.idOf(from), cache.idOf(to));
      seconds +=
          from.partial.empty()
              ? collectiveSeconds(moved, grid, machine, tensor.elementBytes)
              : combineSeconds(tensor, from, to, moved, grid, machine, work);
    }
    return seconds;
  };
  std::vector<VertexCost> costs(graph.vertices.size(), VertexCost(3));
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    costs[v][SpmdFetch] =
        borderSeconds(vertex, cache, machine, placement.vertices[v].home);
    if (vertex.isInput)
      continue;
    costs[v][SpmdWork] = workSeconds(graph, vertex, grid, machine,
                                     *placement.vertices[v].partition);
    costs[v][SpmdHome] = double(vertex.trips) *
                         moveSeconds(vertex, stepsHome(graph, placement, v),
                                     costs[v][SpmdWork] / double(vertex.trips));
    for (unsigned o = 0; o < vertex.operands.size(); ++o)
      costs[v][SpmdFetch] +=
          double(vertex.operands[o].trips) *
          moveSeconds(graph.vertices[vertex.operands[o].producer],
                      stepsOfOperand(graph, placement, v, o));
  }
  return costs;
}

double cost::seconds::independentSeconds(const PlanGraph &graph,
                                         const Machine &machine,
                                         int64_t devices) {
  double seconds = 0;
  for (const PlanVertex &vertex : graph.vertices) {
    if (!vertex.hasWork())
      continue;
    double bytes =
        double(vertex.elements()) * vertex.elementBytes + vertex.extraBytes;
    double once = std::max(vertex.flops / machine.flopsOf(vertex.elementBytes),
                           bytes / machine.memoryBandwidth) /
                      devices +
                  machine.vertexLatency;
    seconds += double(vertex.trips) * once;
  }
  return seconds;
}
