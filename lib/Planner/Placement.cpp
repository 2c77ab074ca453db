//===- Placement.cpp - Over which grid axes the labels are cut ------------===//

#include "tapestry/Planner/Placement.h"
#include "AxisEnumerator.h"
#include "Traffic.h"
#include "tapestry/Planner/Constraints.h"
#include "tapestry/Planner/PaperCost.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>
#include <numeric>

using namespace tapestry;

namespace {

class Placer {
public:
  Placer(const PlanGraph &graph, const DeviceGrid &grid,
         llvm::ArrayRef<PartVector> parts,
         llvm::ArrayRef<std::optional<Partition>> fixed,
         const PlacementOptions &options);

  llvm::Expected<std::vector<Partition>> place();

private:
  /// A possible partition of a vertex and the layouts that follow from it.
  struct Candidate {
    Partition partition;
    Traffic::Id result = 0;
    llvm::SmallVector<Traffic::Id, 4> operands;
  };
  Candidate candidateFor(unsigned vertex, const Partition &partition);
  bool isStored(unsigned vertex) const {
    return isStoredAsConsumed(graph.vertices[vertex], uses[vertex]);
  }
  Traffic::Home homeOf(unsigned vertex, Traffic::Id result,
                       llvm::ArrayRef<Traffic::Id> targets) {
    const PlanVertex &v = graph.vertices[vertex];
    Traffic::ElementBytes size = {v.bytesPerElement(true), v.elementBytes};
    return v.isInput
               ? traffic.priceOf(result, result, targets, size)
               : traffic.bestHome(result, targets, size, keepsResultInPlace(v));
  }
  /// The layouts that placed readers want of the result of `vertex`, one each.
  llvm::SmallVector<Traffic::Id, 4> targetsOf(unsigned vertex) const;
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
  /// What the vertex' own pins and its layout group settle; labels that they
  /// leave open have nothing.
  std::vector<std::optional<Cut>>
  settledCuts(unsigned vertex, const CutRequest *preference = nullptr);
  /// Preferences that the cut breaks, in bytes.
  int64_t penaltyOf(unsigned vertex, const Partition &partition) const;
  std::vector<std::optional<Cut>>
  cutsOfNeighbour(unsigned vertex, const PlanUse &use, bool isOperand);
  /// The best candidate for a vertex; nothing if the parts have no assignment.
  /// Stops as soon as `limit` candidates were compared, counting them down.
  std::optional<Candidate> bestFor(unsigned vertex, unsigned &limit);
  llvm::Error placeVertex(unsigned vertex);
  llvm::Error noAssignment(unsigned vertex) const;
  bool isFixed(unsigned vertex) const {
    return !fixed.empty() && fixed[vertex];
  }
  /// Whether renaming the vertex' axes might break what was asked of it.
  bool isHeld(unsigned vertex) const {
    return isFixed(vertex) || !graph.vertices[vertex].constraints.empty();
  }
  /// Moves single vertices to better axes until none is left.
  void improve();
  /// Renames the axes of whole clusters of vertices between which nothing
  /// moves, where that makes them fit a neighbour; true if any was renamed.
  bool alignClusters();
  std::vector<unsigned> findClusters();
  bool renameCluster(llvm::ArrayRef<unsigned> cluster,
                     llvm::ArrayRef<unsigned> rename);

  const PlanGraph &graph;
  const DeviceGrid &grid;
  llvm::ArrayRef<PartVector> parts;
  llvm::ArrayRef<std::optional<Partition>> fixed;
  Traffic traffic;
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  std::vector<std::vector<unsigned>> groups;
  std::vector<std::optional<Candidate>> chosen;
  unsigned perVertex;
  /// Comparisons that are left for improve() and alignClusters().
  unsigned left;
  unsigned leftForClusters;
};

} // namespace

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

/// Comparing one assignment passes over all devices: about this many passes are
/// spent on a vertex.
static constexpr int64_t deviceStepsPerVertex = 300'000;

Placer::Placer(const PlanGraph &graph, const DeviceGrid &grid,
               llvm::ArrayRef<PartVector> parts,
               llvm::ArrayRef<std::optional<Partition>> fixed,
               const PlacementOptions &options)
    : graph(graph), grid(grid), parts(parts), fixed(fixed), traffic(grid),
      uses(graph.uses()), groups(layoutGroups(graph)),
      chosen(graph.vertices.size()) {
  left = leftForClusters = options.maxImprovements;
  perVertex = std::clamp<int64_t>(deviceStepsPerVertex / grid.numDevices(), 16,
                                  std::max(16u, options.maxAssignments));
}

Placer::Candidate Placer::candidateFor(unsigned v, const Partition &partition) {
  Candidate candidate;
  candidate.partition = partition;
  const PlanVertex &vertex = graph.vertices[v];
  candidate.result = traffic.idOf(resultLayout(vertex, partition));
  for (unsigned operand = 0; operand < vertex.operands.size(); ++operand)
    candidate.operands.push_back(
        traffic.idOf(operandLayout(graph, vertex, operand, partition)));
  return candidate;
}

int64_t Placer::bytesOf(unsigned v, unsigned changed,
                        const Candidate *candidate) {
  auto placedAs = [&](unsigned u) -> const Candidate * {
    if (u == changed)
      return candidate;
    return chosen[u] ? &*chosen[u] : nullptr;
  };
  const Candidate *self = placedAs(v);
  if (!self || isStored(v))
    return 0;
  llvm::SmallVector<Traffic::Id, 4> targets;
  for (const PlanUse &use : uses[v])
    if (const Candidate *reader = placedAs(use.vertex))
      targets.push_back(reader->operands[use.operand]);
  return homeOf(v, self->result, targets).bytes;
}

/// Calls `visit` for every vertex that `v` reads, each once.
static void forEachProducer(const PlanVertex &vertex,
                            llvm::function_ref<void(unsigned)> visit) {
  llvm::SmallVector<unsigned, 4> seen;
  for (const PlanOperand &operand : vertex.operands) {
    if (llvm::is_contained(seen, operand.producer))
      continue;
    seen.push_back(operand.producer);
    visit(operand.producer);
  }
}

int64_t Placer::bytesAround(unsigned v, const Candidate *candidate) {
  int64_t bytes = bytesOf(v, v, candidate);
  forEachProducer(graph.vertices[v], [&](unsigned producer) {
    bytes += bytesOf(producer, v, candidate);
  });
  return bytes;
}

int64_t Placer::leastBytesOfResult(unsigned v, const Candidate &candidate) {
  bool isRead = llvm::any_of(uses[v], [&](const PlanUse &use) {
    return chosen[use.vertex].has_value();
  });
  if (!isRead)
    return bytesOf(v, v, &candidate);
  return traffic.leastElements(candidate.result) *
         graph.vertices[v].bytesPerElement(/*isPartial=*/true);
}

int64_t Placer::leastBytesOfProducers(unsigned v) {
  int64_t bytes = 0;
  forEachProducer(graph.vertices[v], [&](unsigned producer) {
    if (!chosen[producer] || isStored(producer))
      return;
    Traffic::Id result = chosen[producer]->result;
    // One more reader makes no plain tensor cheaper; partial values must at
    // least be scattered.
    bytes += traffic.layout(result).partial.empty()
                 ? bytesOf(producer, v, nullptr)
                 : traffic.leastElements(result) *
                       graph.vertices[producer].bytesPerElement(true);
  });
  return bytes;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Takes over cuts of labels that have none yet, as far as axes are free.
static void adopt(const DeviceGrid &grid,
                  llvm::ArrayRef<std::optional<Cut>> from,
                  std::vector<std::optional<Cut>> &into) {
  llvm::SmallVector<bool, 16> used(grid.axes.size(), false);
  for (const std::optional<Cut> &cut : into)
    for (unsigned axis : cut.value_or(Cut()))
      used[axis] = true;
  for (auto [label, cut] : llvm::zip_equal(into, from)) {
    if (label || !cut ||
        llvm::any_of(*cut, [&](unsigned axis) { return used[axis]; }))
      continue;
    label = cut;
    for (unsigned axis : *cut)
      used[axis] = true;
  }
}

std::vector<std::optional<Cut>>
Placer::settledCuts(unsigned v, const CutRequest *preference) {
  const PlanVertex &vertex = graph.vertices[v];
  auto own = pinnedCuts(vertex, grid, preference);
  std::vector<std::optional<Cut>> cuts(own.begin(), own.end());
  if (vertex.constraints.layoutGroup.empty())
    return cuts;
  // The cut that another member of the group has, or will have, in a dimension.
  for (const std::vector<unsigned> &members : groups) {
    if (!llvm::is_contained(members, v))
      continue;
    for (unsigned member : members) {
      if (member == v)
        continue;
      const PlanVertex &other = graph.vertices[member];
      auto pinned = pinnedCuts(other, grid);
      for (unsigned dim = 0; dim < vertex.output.dims.size(); ++dim) {
        const auto &mine = vertex.output.dims[dim].terms;
        const auto &theirs = other.output.dims[dim].terms;
        if (mine.empty() || theirs.empty() || cuts[mine[0].dim])
          continue;
        if (chosen[member])
          cuts[mine[0].dim] = chosen[member]->partition.cuts[theirs[0].dim];
        else
          cuts[mine[0].dim] = pinned[theirs[0].dim];
      }
    }
  }
  return cuts;
}

int64_t Placer::penaltyOf(unsigned v, const Partition &partition) const {
  const PlanVertex &vertex = graph.vertices[v];
  if (vertex.constraints.empty())
    return 0;
  Layout home = resultLayout(vertex, partition);
  home.partial.clear();
  double weight = brokenWeight(vertex, grid, partition);
  if (!vertex.isInput)
    weight += brokenHomeWeight(vertex, grid, home);
  double bytes = weight * preferenceUnit(vertex) * vertex.elementBytes;
  return std::min(bytes, 1e17);
}

/// The cuts that the labels of `v` take over from one neighbour: where it reads
/// (isOperand: use is an operand of v itself) or from who reads it.
std::vector<std::optional<Cut>>
Placer::cutsOfNeighbour(unsigned v, const PlanUse &use, bool isOperand) {
  const PlanVertex &vertex = graph.vertices[v];
  std::vector<std::optional<Cut>> cuts(vertex.labels.size());
  unsigned neighbour =
      isOperand ? vertex.operands[use.operand].producer : use.vertex;
  if (!chosen[neighbour] || (isOperand && isStored(neighbour)))
    return cuts;
  Traffic::Id id = chosen[neighbour]->result;
  if (isOperand) {
    llvm::SmallVector<Traffic::Id, 4> targets;
    for (const PlanUse &other : uses[neighbour])
      if (other.vertex != v && chosen[other.vertex])
        targets.push_back(chosen[other.vertex]->operands[other.operand]);
    id = homeOf(neighbour, id, targets).layout;
  } else {
    id = chosen[neighbour]->operands[use.operand];
  }
  const Layout &layout = traffic.layout(id);
  const Projection &projection =
      isOperand ? vertex.operands[use.operand].projection : vertex.output;
  for (auto [dim, placed] : llvm::zip_equal(projection.dims, layout.dims)) {
    if (!dim.isPlainDim() || !placed.isPlain())
      continue;
    unsigned label = dim.terms[0].dim;
    if (partsOf(grid, placed.cut()) == parts[v][label])
      cuts[label] = Cut(placed.cut());
  }
  return cuts;
}

void Placer::forEachInherited(
    unsigned v, llvm::function_ref<bool(const Partition &)> visit) {
  const PlanVertex &vertex = graph.vertices[v];
  struct Source {
    int64_t bytes = 0;
    unsigned number = 0;
    std::vector<std::optional<Cut>> cuts;
  };
  std::vector<Source> sources;
  for (unsigned operand = 0; operand < vertex.operands.size(); ++operand) {
    const PlanVertex &read = graph.vertices[vertex.operands[operand].producer];
    sources.push_back({read.elements() * read.elementBytes,
                       unsigned(sources.size()),
                       cutsOfNeighbour(v, {v, operand}, true)});
  }
  for (const PlanUse &use : uses[v])
    sources.push_back({vertex.elements() * vertex.elementBytes,
                       unsigned(sources.size()),
                       cutsOfNeighbour(v, use, false)});
  llvm::sort(sources, [](const Source &a, const Source &b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.number < b.number;
  });

  // All neighbours together, the larger ones first, as far as axes are free;
  // then each by itself. What is settled comes before them all.
  std::vector<std::optional<Cut>> settled = settledCuts(v);
  Source together;
  together.cuts = settled;
  for (const Source &source : sources)
    adopt(grid, source.cuts, together.cuts);
  for (Source &source : sources) {
    std::vector<std::optional<Cut>> cuts = settled;
    adopt(grid, source.cuts, cuts);
    source.cuts = std::move(cuts);
  }
  sources.insert(sources.begin(), together);
  for (const auto *requests :
       {&vertex.constraints.work, &vertex.constraints.home})
    for (const CutRequest &request : *requests)
      if (!request.isHard)
        sources.insert(sources.begin(), {0, 0, settledCuts(v, &request)});
  bool goOn = true;
  for (const Source &source : sources) {
    if (!goOn || llvm::none_of(source.cuts, [](const std::optional<Cut> &cut) {
          return cut.has_value();
        }))
      continue;
    AxisEnumerator(grid, parts[v])
        .forEach(source.cuts, [&](const Partition &partition) {
          goOn = visit(partition);
          return false;
        });
  }
}

std::optional<Placer::Candidate> Placer::bestFor(unsigned v, unsigned &limit) {
  std::optional<Candidate> best;
  int64_t bestBytes = std::numeric_limits<int64_t>::max();
  int64_t least = leastBytesOfProducers(v);
  auto consider = [&](const Partition &partition) {
    Candidate candidate = candidateFor(v, partition);
    int64_t bytes = bytesAround(v, &candidate) + penaltyOf(v, partition);
    bool isLeast = bytes <= least + leastBytesOfResult(v, candidate);
    if (bytes < bestBytes) {
      bestBytes = bytes;
      best = std::move(candidate);
    }
    if (limit > 0)
      --limit;
    return limit > 0 && !isLeast;
  };
  bool goOn = true;
  forEachInherited(v, [&](const Partition &partition) {
    return goOn = consider(partition);
  });
  if (goOn)
    AxisEnumerator(grid, parts[v]).forEach(settledCuts(v), consider);
  return best;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

llvm::Error Placer::noAssignment(unsigned v) const {
  const PlanVertex &vertex = graph.vertices[v];
  std::string axes, labels;
  for (const DeviceGrid::Axis &axis : grid.axes)
    axes += (axes.empty() ? "" : ", ") + axis.name + " = " +
            std::to_string(axis.size);
  for (auto [label, count] : llvm::zip_equal(vertex.labels, parts[v]))
    if (count != 1)
      labels += (labels.empty() ? "'" : ", '") + label.name + "' in " +
                std::to_string(count);
  return planError("vertex '", vertex.name, "': cutting ", labels,
                   " parts is no product of distinct axes of the grid (",
                   axes.empty() ? "one device" : axes, ")",
                   vertex.constraints.empty() ? "" : " beside its pins");
}

llvm::Error Placer::placeVertex(unsigned v) {
  if (isFixed(v)) {
    chosen[v] = candidateFor(v, *fixed[v]);
    return llvm::Error::success();
  }
  unsigned limit = perVertex;
  chosen[v] = bestFor(v, limit);
  return chosen[v] ? llvm::Error::success() : noAssignment(v);
}

void Placer::improve() {
  for (bool moved = true; moved && left > 0;) {
    moved = false;
    for (unsigned v = 0; v < graph.vertices.size() && left > 0; ++v) {
      if (!chosen[v] || isStored(v) || isFixed(v))
        continue;
      int64_t now =
          bytesAround(v, &*chosen[v]) + penaltyOf(v, chosen[v]->partition);
      if (now <= leastBytesOfProducers(v) + leastBytesOfResult(v, *chosen[v]))
        continue;
      unsigned limit = std::min(left, perVertex);
      left -= limit;
      std::optional<Candidate> best = bestFor(v, limit);
      left += limit;
      if (best &&
          bytesAround(v, &*best) + penaltyOf(v, best->partition) < now) {
        chosen[v] = std::move(best);
        moved = true;
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

llvm::SmallVector<Traffic::Id, 4> Placer::targetsOf(unsigned v) const {
  llvm::SmallVector<Traffic::Id, 4> targets;
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
    Traffic::Id home = homeOf(v, chosen[v]->result, targetsOf(v)).layout;
    for (const PlanUse &use : uses[v]) {
      if (traffic.elementsMoved(home,
                                chosen[use.vertex]->operands[use.operand]))
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
  auto tryToFit = [&](unsigned mover, Traffic::Id from, Traffic::Id to) {
    auto rename =
        renamingBetween(grid, traffic.layout(from), traffic.layout(to));
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
      Traffic::Id home = homeOf(v, chosen[v]->result, targetsOf(v)).layout;
      Traffic::Id target = chosen[use.vertex]->operands[use.operand];
      if (traffic.elementsMoved(home, target) == 0)
        continue;
      if (tryToFit(use.vertex, target, home) || tryToFit(v, home, target)) {
        anyRenamed = true;
        clusterOf = findClusters();
      }
    }
  }
  return anyRenamed;
}

llvm::Expected<std::vector<Partition>> Placer::place() {
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (graph.vertices[v].isInput)
      continue;
    if (llvm::Error error = placeVertex(v))
      return error;
    // An input that several vertices read follows the first of them; the others
    // then see where it is.
    for (const PlanOperand &operand : graph.vertices[v].operands)
      if (graph.vertices[operand.producer].isInput &&
          !isStored(operand.producer) && !chosen[operand.producer])
        if (llvm::Error error = placeVertex(operand.producer))
          return error;
  }
  do
    improve();
  while (alignClusters());
  std::vector<Partition> partitions;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (!chosen[v] && !isStored(v))
      if (llvm::Error error = placeVertex(v))
        return error;
    partitions.push_back(chosen[v] ? chosen[v]->partition : Partition());
  }
  return partitions;
}

llvm::Expected<Placement>
tapestry::placeGraph(const PlanGraph &graph, const DeviceGrid &grid,
                     llvm::ArrayRef<PartVector> parts,
                     llvm::ArrayRef<std::optional<Partition>> fixed,
                     const PlacementOptions &options) {
  auto partitions = Placer(graph, grid, parts, fixed, options).place();
  if (!partitions)
    return partitions.takeError();
  return routeGraph(graph, grid, *partitions);
}
