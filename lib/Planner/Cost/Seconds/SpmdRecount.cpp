//===- SpmdRecount.cpp - Seconds, counted by the verifier -----------------===//

#include "tapestry/Planner/Cost/Recount.h"
#include "tapestry/Planner/Cost/RecountMoves.h"
#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Support/Overlap.h"
#include <algorithm>
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::seconds;
using namespace tapestry::machine;
using namespace tapestry::model;

/// One step of a move, or one of so many parts of a reduction.
static double secondsOfMove(const CostContext &context, const Layout &from,
                            const Layout &to, int64_t elementBytes,
                            int64_t parts = 1) {
  const DeviceGrid &grid = context.grid;
  const Machine &machine = context.machine;
  if (from == to)
    return 0;
  double latency = 0, bandwidth = std::numeric_limits<double>::infinity();
  Collective moved = countMove(grid, from, to);
  for (unsigned axis : moved.axes) {
    Link link = machine.linkOf(grid.axes[axis].name);
    latency = std::max(latency, link.latency);
    bandwidth = std::min(bandwidth, link.bandwidth);
  }
  int64_t combined = moved.combined / parts;
  double held = static_cast<double>(combined), received = moved.mostReceived;
  double group = moved.groupSize;
  if (from.partial.empty())
    return moved.elements > 0
               ? (group - 1) * latency + received * elementBytes / bandwidth
               : 0;
  double ring = (group - 1) *
                (latency + std::ceil(held / group) * elementBytes / bandwidth);
  if (moved.kind == CollectiveKind::ReduceScatter)
    return ring;
  double levels = std::ceil(std::log2(group));
  double small = std::min<double>(held * elementBytes, smallAllReduceBytes);
  double tree = 2 * levels * (latency + small / bandwidth);
  return held * elementBytes <= smallAllReduceBytes ? tree
                                                    : std::max(2 * ring, tree);
}

/// Combining partial results, of which the machine may have some rows combined
/// while the next are computed: what that takes longer than to compute all.
static double secondsOfCombining(const CostContext &context,
                                 const PlanVertex &vertex, const Layout &from,
                                 const Layout &to, double work) {
  int64_t size = vertex.bytesPerElement(/*isPartial=*/true);
  int64_t least = context.machine.cutProducts;
  int64_t bytes = size, rows = 0;
  for (auto [dim, extent] : llvm::zip_equal(from.dims, from.shape())) {
    int64_t pieces = partsOf(context.grid, dim.cut());
    if (&dim == &from.dims.front() && dim == to.dims.front())
      rows = extent / pieces;
    if (extent % pieces != 0)
      least = 0;
    bytes *= extent / pieces;
  }
  constexpr int64_t parts = productParts;
  if (least == 0 || vertex.cutAs || rows == 0 || rows % parts != 0 ||
      bytes < least || bytes / parts <= smallAllReduceBytes)
    return secondsOfMove(context, from, to, size);
  double each = secondsOfMove(context, from, to, size, parts);
  double all = each + work / parts;
  for (int64_t part = 1; part < parts; ++part)
    all += std::max(each, work / parts);
  return all - work;
}

/// The roofline of the first device, whose block is the largest, and what the
/// totals of a scan cost.
static double countWork(const DecidedPlan &plan, unsigned v) {
  const PlanGraph &graph = plan.context.graph;
  const Machine &machine = plan.context.machine;
  const PlanVertex &vertex = graph.vertices[v];
  const PartVector &parts = plan.parts[v];
  double points = 1, all = 1, combined = 1;
  for (unsigned l = 0; l < parts.size(); ++l) {
    if (!vertex.labels[l].selected) {
      points *= blockRange(vertex.labels[l].extent, parts[l], 0).size();
      all *= vertex.labels[l].extent;
    }
    if (vertex.labels[l].reduced)
      combined *= parts[l];
  }
  int64_t resultBytes = combined > 1 && vertex.accumulatorBytes > 0
                            ? vertex.accumulatorBytes
                            : vertex.elementBytes;
  double bytes = sizeOf(piecesOf(vertex.output, vertex, parts, vertex.shape)) *
                     resultBytes +
                 vertex.extraBytes * points / all;
  auto totals = totalsOfBlocks(graph, plan.placement, plan.context.grid, v);
  double exchange = 0;
  for (const PlanOperand &operand : vertex.operands) {
    const PlanVertex &producer = graph.vertices[operand.producer];
    double touched = sizeOf(piecesOf(operand.projection, vertex, parts,
                                     producer.shape, operand.guard));
    if (operand.kind == AccessKind::Indexed)
      touched = std::min(touched, points);
    bytes += touched * producer.elementBytes * (totals ? 2 : 1);
  }
  if (totals)
    exchange =
        secondsOfMove(plan.context, totals->first, totals->second,
                      vertex.accumulatorBytes > 0 ? vertex.accumulatorBytes
                                                  : vertex.elementBytes);
  return machine.vertexLatency + exchange +
         std::max(vertex.flops * points / all /
                      machine.flopsOf(vertex.elementBytes),
                  bytes / machine.memoryBandwidth);
}

std::vector<VertexCost> cost::seconds::recountSpmd(const DecidedPlan &plan) {
  const PlanGraph &graph = plan.context.graph;
  std::vector<VertexCost> costs(graph.vertices.size(), VertexCost(3));
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    for (const auto &[from, to] :
         layoutsAtBorder(graph, plan.placement, plan.context.grid, v))
      costs[v][SpmdFetch] +=
          secondsOfMove(plan.context, from, to, vertex.elementBytes);
    if (vertex.isInput)
      continue;
    double work = vertex.cutAs ? 0 : countWork(plan, v);
    auto count = [&](const PlanVertex &tensor, llvm::ArrayRef<Layout> steps) {
      double seconds = 0;
      for (unsigned s = 1; s < steps.size(); ++s)
        seconds += steps[s - 1].partial.empty()
                       ? secondsOfMove(plan.context, steps[s - 1], steps[s],
                                       tensor.elementBytes)
                       : secondsOfCombining(plan.context, tensor, steps[s - 1],
                                            steps[s], work);
      return seconds;
    };
    double passes = vertex.trips;
    costs[v][SpmdWork] = passes * work;
    costs[v][SpmdHome] =
        passes * count(vertex, layoutsOfResult(graph, plan.placement, v));
    for (unsigned o = 0; o < vertex.operands.size(); ++o)
      costs[v][SpmdFetch] +=
          vertex.operands[o].trips *
          count(graph.vertices[vertex.operands[o].producer],
                layoutsOfRead(graph, plan.placement, {v, o}));
  }
  return costs;
}
