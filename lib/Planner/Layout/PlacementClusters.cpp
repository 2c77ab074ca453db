//===- PlacementClusters.cpp - Renaming the axes of many vertices ---------===//

#include "Placer.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;

llvm::SmallVector<LayoutId, 4> Placer::targetsOf(unsigned v) const {
  llvm::SmallVector<LayoutId, 4> targets;
  for (const PlanUse &use : uses[v])
    if (chosen[use.vertex])
      targets.push_back(chosen[use.vertex]->operands[use.operand]);
  return targets;
}

/// For every vertex the smallest vertex of its cluster: vertices are together
/// where a reader finds what it wants without traffic.
std::vector<unsigned> Placer::findClusters() {
  std::vector<unsigned> parent(graph.vertices.size());
  std::iota(parent.begin(), parent.end(), 0);
  auto find = [&](unsigned v) {
    while (parent[v] != v)
      v = parent[v] = parent[parent[v]];
    return v;
  };
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (!chosen[v] || isStored(v))
      continue;
    LayoutId home = homeOf(v, chosen[v]->result, targetsOf(v)).layout;
    for (const PlanUse &use : uses[v]) {
      if (costs.elementsMoved(home, chosen[use.vertex]->operands[use.operand]))
        continue;
      unsigned a = find(v), b = find(use.vertex);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  for (unsigned v = 0; v < parent.size(); ++v)
    parent[v] = find(v);
  return parent;
}

/// A renaming of axes of equal size that turns the cuts of `from` into those of
/// `to` where both are plain, and otherwise moves no more than it must.
static llvm::SmallVector<unsigned, 16>
renamingBetween(const DeviceGrid &grid, const Layout &from, const Layout &to) {
  constexpr unsigned none = ~0u;
  unsigned count = grid.axes.size();
  llvm::SmallVector<unsigned, 16> image(count, none);
  llvm::SmallVector<bool, 16> taken(count, false);
  auto map = [&](unsigned axis, unsigned onto) {
    if (image[axis] != none || taken[onto] ||
        grid.axes[axis].size != grid.axes[onto].size)
      return;
    image[axis] = onto;
    taken[onto] = true;
  };
  for (auto [a, b] : llvm::zip_equal(from.dims, to.dims))
    if (a.isPlain() && b.isPlain() && a.cut().size() == b.cut().size())
      for (auto [axis, onto] : llvm::zip_equal(a.cut(), b.cut()))
        map(axis, onto);
  for (unsigned axis = 0; axis < count; ++axis)
    map(axis, axis);
  for (unsigned axis = 0; axis < count; ++axis)
    for (unsigned onto = 0; onto < count; ++onto)
      map(axis, onto);
  return image;
}

bool Placer::renameCluster(llvm::ArrayRef<unsigned> cluster,
                           llvm::ArrayRef<unsigned> rename) {
  // The bytes of everything that the cluster makes or reads.
  std::vector<unsigned> touched(cluster.begin(), cluster.end());
  for (unsigned v : cluster)
    for (const PlanOperand &operand : graph.vertices[v].operands)
      touched.push_back(operand.producer);
  llvm::sort(touched);
  touched.erase(llvm::unique(touched), touched.end());
  auto bytes = [&] {
    int64_t total = 0;
    for (unsigned v : touched)
      total += bytesOf(v, v, chosen[v] ? &*chosen[v] : nullptr);
    return total;
  };
  int64_t before = bytes();
  std::vector<std::optional<Candidate>> old;
  for (unsigned v : cluster) {
    Partition partition = chosen[v]->partition;
    for (Cut &cut : partition.cuts)
      for (unsigned &axis : cut)
        axis = rename[axis];
    Candidate renamed = candidateFor(v, partition);
    old.push_back(std::move(chosen[v]));
    chosen[v] = std::move(renamed);
  }
  leftForClusters -= std::min<size_t>(leftForClusters, touched.size());
  if (bytes() < before)
    return true;
  for (auto [v, candidate] : llvm::zip_equal(cluster, old))
    chosen[v] = std::move(candidate);
  return false;
}

bool Placer::alignClusters() {
  std::vector<unsigned> clusterOf = findClusters();
  auto tryToFit = [&](unsigned mover, LayoutId from, LayoutId to) {
    auto rename = renamingBetween(grid, costs.layout(from), costs.layout(to));
    std::vector<unsigned> cluster;
    for (unsigned v = 0; v < clusterOf.size(); ++v)
      if (clusterOf[v] == clusterOf[mover] && chosen[v] && !isStored(v)) {
        if (isHeld(v))
          return false;
        cluster.push_back(v);
      }
    return renameCluster(cluster, rename);
  };
  bool anyRenamed = false;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (!chosen[v] || isStored(v))
      continue;
    for (const PlanUse &use : uses[v]) {
      if (clusterOf[v] == clusterOf[use.vertex] || leftForClusters == 0)
        continue;
      LayoutId home = homeOf(v, chosen[v]->result, targetsOf(v)).layout;
      LayoutId target = chosen[use.vertex]->operands[use.operand];
      if (costs.elementsMoved(home, target) == 0)
        continue;
      if (tryToFit(use.vertex, target, home) || tryToFit(v, home, target)) {
        anyRenamed = true;
        clusterOf = findClusters();
      }
    }
  }
  return anyRenamed;
}
