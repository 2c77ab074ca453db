//===- PlacementClusters.cpp - Renaming the axes of many vertices ---------===//

#include "Placer.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;

/// Vertices are together where a reader finds what it wants without traffic.
struct Placer::Clusters {
  /// Per vertex, the smallest vertex of its cluster.
  std::vector<unsigned> of;
  /// By a cluster's smallest vertex, those of it that are placed.
  std::vector<llvm::SmallVector<unsigned, 1>> members;
  /// Per placed vertex, where its result is kept.
  std::vector<LayoutId> homes;
};

Placer::Clusters Placer::findClusters() {
  unsigned count = graph.vertices.size();
  Clusters clusters;
  clusters.of.resize(count);
  clusters.members.resize(count);
  clusters.homes.resize(count);
  std::vector<unsigned> &parent = clusters.of;
  std::iota(parent.begin(), parent.end(), 0);
  auto find = [&](unsigned v) {
    while (parent[v] != v)
      v = parent[v] = parent[parent[v]];
    return v;
  };
  for (unsigned v = 0; v < count; ++v) {
    if (!chosen[v] || isStored(v))
      continue;
    LayoutId home = homeOf(v, chosen[v]->result, readers[v].targets()).layout;
    clusters.homes[v] = home;
    for (const PlanUse &use : uses[v]) {
      if (costs.elementsMoved(home, chosen[use.vertex]->operands[use.operand]))
        continue;
      unsigned a = find(v), b = find(use.vertex);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  for (unsigned v = 0; v < count; ++v) {
    parent[v] = find(v);
    if (chosen[v] && !isStored(v))
      clusters.members[parent[v]].push_back(v);
  }
  return clusters;
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
  std::vector<Candidate> old;
  for (unsigned v : cluster) {
    Partition partition = chosen[v]->partition;
    for (Cut &cut : partition.cuts)
      for (unsigned &axis : cut)
        axis = rename[axis];
    old.push_back(*chosen[v]);
    place(v, candidateFor(v, partition));
  }
  leftForClusters -= std::min<size_t>(leftForClusters, touched.size());
  if (bytes() < before)
    return true;
  for (auto [v, candidate] : llvm::zip_equal(cluster, old))
    place(v, std::move(candidate));
  return false;
}

bool Placer::alignClusters() {
  Clusters clusters = findClusters();
  auto tryToFit = [&](unsigned mover, LayoutId from, LayoutId to) {
    llvm::ArrayRef<unsigned> cluster = clusters.members[clusters.of[mover]];
    if (llvm::any_of(cluster, [&](unsigned v) { return isHeld(v); }))
      return false;
    auto rename = renamingBetween(grid, costs.layout(from), costs.layout(to));
    return renameCluster(cluster, rename);
  };
  bool anyRenamed = false;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (!chosen[v] || isStored(v))
      continue;
    for (const PlanUse &use : uses[v]) {
      if (clusters.of[v] == clusters.of[use.vertex] || leftForClusters == 0)
        continue;
      LayoutId home = clusters.homes[v];
      LayoutId target = chosen[use.vertex]->operands[use.operand];
      if (costs.elementsMoved(home, target) == 0)
        continue;
      if (tryToFit(use.vertex, target, home) || tryToFit(v, home, target)) {
        anyRenamed = true;
        clusters = findClusters();
      }
    }
  }
  return anyRenamed;
}
