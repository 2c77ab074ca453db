//===- Routing.cpp - Homes and collectives of placed vertices -------------===//

#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Layout/HomePrice.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/Graph.h"
#include "tapestry/Support/BlockCount.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;

Layout layout::resultLayout(const PlanVertex &vertex,
                            const Partition &partition) {
  Layout layout = Layout::ofProjection(vertex.output, vertex.extents(),
                                       partition, vertex.shape);
  for (auto [label, cut] : llvm::zip_equal(vertex.labels, partition.cuts))
    if (label.reduced)
      layout.partial.append(cut.begin(), cut.end());
  llvm::sort(layout.partial);
  return layout;
}

Layout layout::operandLayout(const PlanGraph &graph, const PlanVertex &vertex,
                             unsigned operand, const Partition &partition) {
  const PlanOperand &read = vertex.operands[operand];
  return Layout::ofProjection(read.projection, vertex.extents(), partition,
                              graph.vertices[read.producer].shape, read.guard);
}

llvm::SmallVector<std::pair<Layout, Layout>, 1>
layout::movesAtBorder(const PlanVertex &vertex, const DeviceGrid &grid,
                      const Layout &home) {
  llvm::SmallVector<std::pair<Layout, Layout>, 1> moves;
  if (const auto &pin = vertex.constraints.entersAt)
    moves.emplace_back(Layout::onDevice(grid, vertex.shape, pin->device), home);
  for (const DevicePin &pin : vertex.constraints.leavesAt)
    moves.emplace_back(home, Layout::onDevice(grid, vertex.shape, pin.device));
  return moves;
}

std::optional<std::pair<Layout, Layout>>
layout::totalsMove(const PlanVertex &vertex, const DeviceGrid &grid,
                   const Partition &partition) {
  std::optional<unsigned> scanned = vertex.scannedLabel();
  if (!scanned || vertex.cutAs)
    return std::nullopt;
  TotalsShape totals(vertex.extents(), *scanned,
                     partsOf(grid, partition.cuts[*scanned]),
                     vertex.totalCount);
  if (totals.numBlocks <= 1)
    return std::nullopt;
  llvm::SmallVector<Cut> made(llvm::to_vector(partition.cuts)), read = made;
  read[*scanned].clear();
  const auto &shape = totals.shape;
  made.resize(shape.size());
  read.resize(shape.size());
  return std::pair(Layout::blocked(shape, made), Layout::blocked(shape, read));
}

std::optional<Partition> layout::partitionOf(const Layout &layout) {
  if (!layout.isPlain())
    return std::nullopt;
  Partition partition;
  for (const LayoutDim &dim : layout.dims)
    partition.cuts.push_back(Cut(dim.cut()));
  return partition;
}

llvm::SmallVector<Layout, 3> layout::stepsHome(const PlanGraph &graph,
                                               const Placement &placement,
                                               unsigned v) {
  const VertexPlacement &placed = placement.vertices[v];
  llvm::SmallVector<Layout, 3> steps = {
      resultLayout(graph.vertices[v], *placed.partition)};
  steps.append(placed.homeRoute.begin(), placed.homeRoute.end());
  steps.push_back(placed.home);
  return steps;
}

llvm::SmallVector<Layout, 3> layout::stepsOfOperand(const PlanGraph &graph,
                                                    const Placement &placement,
                                                    unsigned v,
                                                    unsigned operand) {
  const VertexPlacement &placed = placement.vertices[v];
  const PlanVertex &vertex = graph.vertices[v];
  llvm::SmallVector<Layout, 3> steps = {
      placement.vertices[vertex.operands[operand].producer].home};
  if (!placed.operandRoutes.empty())
    steps.append(placed.operandRoutes[operand].begin(),
                 placed.operandRoutes[operand].end());
  steps.push_back(operandLayout(graph, vertex, operand, *placed.partition));
  return steps;
}

void layout::listCollectives(const PlanGraph &graph, const DeviceGrid &grid,
                             Placement &placement) {
  ReshardingCostCache costs(grid);
  placement.collectives.clear();
  if (grid.numDevices() == 1)
    return;
  auto send = [&](unsigned vertex, unsigned reader,
                  llvm::ArrayRef<Layout> steps, bool areTotals = false) {
    for (unsigned step = 0; step + 1 < steps.size(); ++step) {
      const Layout &from = steps[step];
      const Layout &to = steps[step + 1];
      const Collective &moved =
          costs.collective(costs.idOf(from), costs.idOf(to));
      if (moved.kind == CollectiveKind::None ||
          moved.kind == CollectiveKind::Slice)
        continue;
      placement.collectives.push_back(
          {vertex, reader, moved.kind, moved.groupSize,
           moved.elements * graph.vertices[vertex].bytesPerElement(
                                areTotals || !from.partial.empty()),
           from, to});
    }
  };
  auto sendAtBorder = [&](unsigned v, bool entering) {
    const Layout &home = placement.vertices[v].home;
    for (const auto &[from, to] : movesAtBorder(graph.vertices[v], grid, home))
      if ((to == home) == entering)
        send(v, v, {from, to});
  };
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    for (unsigned o = 0; o < vertex.operands.size(); ++o)
      send(vertex.operands[o].producer, v,
           stepsOfOperand(graph, placement, v, o));
    sendAtBorder(v, /*entering=*/true);
    if (vertex.isInput)
      continue;
    if (auto totals =
            totalsMove(vertex, grid, *placement.vertices[v].partition))
      send(v, v, {totals->first, totals->second}, /*areTotals=*/true);
    send(v, v, stepsHome(graph, placement, v));
  }
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    sendAtBorder(v, /*entering=*/false);
}

Placement layout::routeGraph(const PlanGraph &graph, const DeviceGrid &grid,
                             llvm::ArrayRef<Partition> partitions) {
  ReshardingCostCache costs(grid);
  auto uses = graph.uses();
  Placement placement;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    llvm::SmallVector<HomeTarget, 4> targets;
    for (const PlanUse &use : uses[v])
      addReader(targets,
                costs.idOf(operandLayout(graph, graph.vertices[use.vertex],
                                         use.operand, partitions[use.vertex])));
    for (const DevicePin &pin : vertex.constraints.leavesAt)
      addReader(targets,
                costs.idOf(Layout::onDevice(grid, vertex.shape, pin.device)));
    VertexPlacement &placed = placement.vertices.emplace_back();
    if (vertex.storedFor) {
      placed.home = costs.layout(targets.front().layout);
      placed.partition = partitionOf(placed.home);
      continue;
    }
    placed.partition = partitions[v];
    LayoutId result = costs.idOf(resultLayout(vertex, partitions[v]));
    if (vertex.isInput) {
      placed.home = costs.layout(result);
      continue;
    }
    LayoutId home =
        bestHome(costs, result, targets,
                 {vertex.bytesPerElement(true), vertex.elementBytes},
                 keepsResultInPlace(vertex))
            .layout;
    placed.home = costs.layout(home);
    LayoutId whole = costs.wholeOf(result);
    if (whole != result && whole != home && !costs.canScatter(result, home))
      placed.homeRoute.push_back(costs.layout(whole));
  }
  listCollectives(graph, grid, placement);
  return placement;
}
