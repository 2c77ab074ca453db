//===- Placer.h - The search for an assignment of axes ----------*- C++ -*-===//
//
// Private to the planner. Placement.cpp prices assignments and searches vertex
// by vertex, PlacementCandidates.cpp lists the cuts of one vertex that are
// worth a comparison, PlacementClusters.cpp renames the axes of many vertices
// at once.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_PLANNER_LAYOUT_PLACER_H
#define TAPESTRY_LIB_PLANNER_LAYOUT_PLACER_H

#include "tapestry/Planner/Layout/HomePrice.h"
#include "tapestry/Planner/Layout/Placement.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/Graph.h"
#include "llvm/ADT/StringMap.h"

namespace tapestry::layout {

/// What the readers of a tensor that have been placed want, kept up to date as
/// they move: a tensor that thousands read is priced by its few layouts.
class PlacedReaders {
public:
  void add(LayoutId layout, model::PlanUse use);
  void remove(LayoutId layout, model::PlanUse use);
  bool empty() const { return wanted.empty(); }
  /// In the order of their first readers, but for what vertex `without` reads.
  llvm::SmallVector<HomeTarget, 4>
  targets(std::optional<unsigned> without = std::nullopt) const;

private:
  struct Wanted {
    LayoutId layout = 0;
    /// Ascending, by vertex and operand; never empty.
    llvm::SmallVector<std::pair<unsigned, unsigned>, 1> uses;
  };
  llvm::SmallVector<Wanted, 2> wanted;
};

/// One search; see placeGraph().
class Placer {
public:
  Placer(const model::PlanGraph &graph, const DeviceGrid &grid,
         llvm::ArrayRef<PartVector> parts,
         llvm::ArrayRef<std::optional<Partition>> fixed,
         const PlacementOptions &options);

  llvm::Expected<std::vector<Partition>> place();

private:
  /// A possible partition of a vertex and the layouts that follow from it.
  struct Candidate {
    Partition partition;
    LayoutId result = 0;
    llvm::SmallVector<LayoutId, 4> operands;
  };
  Candidate candidateFor(unsigned vertex, const Partition &partition);
  bool isStored(unsigned vertex) const {
    return graph.vertices[vertex].storedFor.has_value();
  }
  HomePrice homeOf(unsigned vertex, LayoutId result,
                   llvm::ArrayRef<HomeTarget> readers) {
    const model::PlanVertex &v = graph.vertices[vertex];
    llvm::SmallVector<HomeTarget, 4> targets(readers);
    for (const DevicePin &pin : v.constraints.leavesAt)
      addReader(targets,
                costs.idOf(Layout::onDevice(grid, v.shape, pin.device)));
    ElementBytes size = {v.bytesPerElement(true), v.elementBytes};
    return v.isInput ? priceOfHome(costs, result, result, targets, size)
                     : bestHome(costs, result, targets, size,
                                model::keepsResultInPlace(v));
  }
  /// What moving the result of `vertex` to its placed readers costs, in bytes,
  /// if the vertex `changed` had the partition of `candidate`.
  int64_t bytesOf(unsigned vertex, unsigned changed,
                  const Candidate *candidate);
  /// The sum of bytesOf over `vertex` and what it reads.
  int64_t bytesAround(unsigned vertex, const Candidate *candidate);
  /// No candidate leads to fewer bytes around its vertex: what the producers
  /// cost anyway, and what the candidate's own result costs anyway.
  int64_t leastBytesOfProducers(unsigned vertex);
  int64_t leastBytesOfResult(unsigned vertex, const Candidate &candidate);
  /// Partitions that repeat cuts of placed neighbours, largest tensors first.
  void forEachInherited(unsigned vertex,
                        llvm::function_ref<bool(const Partition &)> visit);
  /// What the vertex' own constraints and its layout group settle; labels that
  /// they leave open have nothing.
  std::vector<std::optional<Cut>>
  settledCuts(unsigned vertex, const ShardingConstraint *preference = nullptr);
  /// Preferences that the cut breaks, in bytes.
  int64_t penaltyOf(unsigned vertex, const Partition &partition) const;
  std::vector<std::optional<Cut>>
  cutsOfNeighbour(unsigned vertex, const model::PlanUse &use, bool isOperand);
  /// The best candidate for a vertex; nothing if the parts have no assignment.
  /// Stops as soon as `limit` candidates were compared, counting them down.
  /// Where a vertex of its form has been asked for among neighbours that lay
  /// alike, what was found then is the answer.
  std::optional<Candidate> bestFor(unsigned vertex, unsigned &limit);
  std::optional<Candidate> search(unsigned vertex, unsigned &limit);
  /// All that search() depends on, for comparison; empty where more is asked of
  /// the vertex than its form says.
  std::string situationOf(unsigned vertex, unsigned limit);
  /// Of a vertex that is no companion.
  llvm::Error placeVertex(unsigned vertex);
  llvm::Error noAssignment(unsigned vertex) const;
  bool isFixed(unsigned vertex) const {
    return !fixed.empty() && fixed[vertex];
  }
  /// Whether renaming the vertex' axes might break what was asked of it.
  bool isHeld(unsigned vertex) const {
    return isFixed(vertex) || !graph.vertices[vertex].constraints.empty() ||
           graph.vertices[vertex].cutAs || !graph.companionsOf(vertex).empty();
  }
  /// Takes a candidate for a vertex and, cut alike, for its companions.
  void choose(unsigned vertex, Candidate candidate);
  /// Takes a candidate for this vertex alone.
  void place(unsigned vertex, Candidate candidate);
  /// Moves single vertices to better axes until none is left.
  void improve();
  /// Renames the axes of whole clusters of vertices between which nothing
  /// moves, where that makes them fit a neighbour; true if any was renamed.
  bool alignClusters();
  struct Clusters;
  Clusters findClusters();
  bool renameCluster(llvm::ArrayRef<unsigned> cluster,
                     llvm::ArrayRef<unsigned> rename);

  const model::PlanGraph &graph;
  const DeviceGrid &grid;
  llvm::ArrayRef<PartVector> parts;
  llvm::ArrayRef<std::optional<Partition>> fixed;
  ReshardingCostCache costs;
  std::vector<llvm::SmallVector<model::PlanUse, 2>> uses;
  std::vector<std::vector<unsigned>> groups;
  std::vector<std::optional<Candidate>> chosen;
  /// Per vertex, by what is chosen.
  std::vector<PlacedReaders> readers;
  /// What search() found, and how many candidates it compared.
  struct Answer {
    std::optional<Candidate> best;
    unsigned compared = 0;
  };
  llvm::StringMap<Answer> answers;
  unsigned perVertex;
  /// Comparisons that are left for improve() and alignClusters().
  unsigned left;
  unsigned leftForClusters;
};

} // namespace tapestry::layout

#endif // TAPESTRY_LIB_PLANNER_LAYOUT_PLACER_H
