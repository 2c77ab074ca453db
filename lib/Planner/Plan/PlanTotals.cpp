//===- PlanTotals.cpp - What a plan adds up to ----------------------------===//

#include "tapestry/Planner/Plan/PlanTotals.h"
#include "tapestry/Support/BlockCount.h"
#include "llvm/ADT/STLExtras.h"

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;

std::vector<TrafficSum> plan::trafficByKind(const Plan &plan) {
  std::vector<TrafficSum> sums(unsigned(CollectiveKind::ReduceScatter) + 1);
  for (const PlannedCollective &collective : plan.placement.collectives) {
    TrafficSum &sum = sums[unsigned(collective.kind)];
    sum.name = stringifyCollective(collective.kind).str();
    ++sum.collectives;
    sum.bytes += collective.bytes;
  }
  llvm::erase_if(sums, [](const TrafficSum &sum) { return !sum.collectives; });
  return sums;
}

std::vector<unsigned> plan::userAxisOf(const Plan &plan) {
  std::vector<unsigned> owner;
  for (auto [number, axis] : llvm::enumerate(plan.userGrid.axes))
    owner.insert(owner.end(), primeFactors(axis.size).size(), number);
  return owner;
}

std::vector<TrafficSum> plan::trafficByAxis(const Plan &plan) {
  std::vector<TrafficSum> sums;
  for (const DeviceGrid::Axis &axis : plan.userGrid.axes)
    sums.push_back({axis.name, 0, 0});
  if (plan.userGrid.axes.size() == 1) {
    sums[0].collectives = plan.placement.collectives.size();
    sums[0].bytes = plan.placement.totalBytes();
    return sums;
  }
  std::vector<unsigned> owner = userAxisOf(plan);
  // Models repeat the same few collectives.
  std::vector<std::pair<const PlannedCollective *, unsigned>> known;
  for (const PlannedCollective &collective : plan.placement.collectives) {
    auto it = llvm::find_if(known, [&](const auto &other) {
      return other.first->from == collective.from &&
             other.first->to == collective.to;
    });
    if (it == known.end()) {
      Cut axes = planResharding(plan.grid, collective.from, collective.to).axes;
      known.push_back({&collective, axes.empty() ? 0 : owner[axes.front()]});
      it = std::prev(known.end());
    }
    ++sums[it->second].collectives;
    sums[it->second].bytes += collective.bytes;
  }
  return sums;
}

DeviceUse plan::devicesOf(const PlanGraph &graph, const Plan &plan,
                          unsigned vertex) {
  DeviceUse use;
  const PlanVertex &own = graph.vertices[vertex];
  int64_t blocks = 1, filled = 1;
  for (auto [label, parts] :
       llvm::zip_equal(own.labels, plan.vertices[vertex].parts)) {
    blocks *= parts;
    filled *= numBlocks(label.extent, parts);
  }
  int64_t replicas = plan.devices / blocks;
  use.working = filled;
  use.repeating = filled * (replicas - 1);
  use.empty = plan.devices - filled * replicas;
  return use;
}
