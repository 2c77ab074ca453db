//===- Memory.cpp - What a device holds while vertices run ----------------===//

#include "tapestry/Planner/Layout/Memory.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/Graph.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;

std::vector<MemoryStep> layout::memoryTimeline(const PlanGraph &graph,
                                               ReshardingCostCache &costs,
                                               const Placement &placement) {
  auto uses = graph.uses();
  unsigned steps = graph.vertices.size();
  std::vector<MemoryStep> timeline(steps);
  auto elementsOf = [&](const Layout &layout) {
    return costs.largestPart(costs.idOf(layout));
  };
  // Bytes of results that come to life at, and end after, each step.
  std::vector<int64_t> born(steps + 1, 0), gone(steps + 1, 0);
  int64_t inputs = 0;
  for (unsigned v = 0; v < steps; ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const Layout &home = placement.vertices[v].home;
    int64_t homeBytes = elementsOf(home) * vertex.elementBytes;
    // Whoever calls the program provides the buffers of its outputs.
    int64_t wholeBytes = vertex.elements() * vertex.elementBytes;
    if (vertex.constraints.entersAt)
      inputs += wholeBytes;
    else if (vertex.isInput)
      inputs += homeBytes;
    born[0] += wholeBytes * vertex.constraints.leavesAt.size();
    gone[steps - 1] += wholeBytes * vertex.constraints.leavesAt.size();
    if (vertex.isOutput) {
      born[0] += homeBytes;
      gone[steps - 1] += homeBytes;
    } else if (!vertex.isGivenAtHome()) {
      born[v] += homeBytes;
      bool isLast = uses[v].empty() || vertex.isHandedOut();
      gone[isLast ? steps - 1 : uses[v].back().vertex] += homeBytes;
    }
    if (vertex.storedFor)
      continue;
    if (!vertex.isInput) {
      Layout result = resultLayout(vertex, *placement.vertices[v].partition);
      if (auto totals = totalsMove(vertex, costs.deviceGrid(),
                                   *placement.vertices[v].partition))
        timeline[v].copies += elementsOf(totals->second) *
                              vertex.bytesPerElement(/*isPartial=*/true);
      if (!result.partial.empty()) {
        result.partial.clear();
        timeline[v].partials +=
            elementsOf(result) * vertex.bytesPerElement(/*isPartial=*/true);
      } else if (result != home) {
        timeline[v].copies += elementsOf(result) * vertex.elementBytes;
      }
    }
    // Every reader's own copy.
    for (const PlanUse &use : uses[v]) {
      Layout target =
          operandLayout(graph, graph.vertices[use.vertex], use.operand,
                        *placement.vertices[use.vertex].partition);
      if (target != home)
        timeline[use.vertex].copies += elementsOf(target) * vertex.elementBytes;
    }
  }
  int64_t results = 0;
  for (unsigned step = 0; step < steps; ++step) {
    results += born[step];
    timeline[step].inputs = inputs;
    timeline[step].results = results;
    results -= gone[step];
  }
  return timeline;
}

std::vector<MemoryStep> layout::memoryTimeline(const PlanGraph &graph,
                                               const DeviceGrid &grid,
                                               const Placement &placement) {
  ReshardingCostCache costs(grid);
  return memoryTimeline(graph, costs, placement);
}

int64_t layout::peakBytesPerDevice(const PlanGraph &graph,
                                   const DeviceGrid &grid,
                                   const Placement &placement) {
  ReshardingCostCache costs(grid);
  return peakBytesPerDevice(graph, costs, placement);
}

int64_t layout::peakBytesPerDevice(const PlanGraph &graph,
                                   ReshardingCostCache &costs,
                                   const Placement &placement) {
  int64_t peak = 0;
  for (const MemoryStep &step : memoryTimeline(graph, costs, placement))
    peak = std::max(peak, step.total());
  return peak;
}
