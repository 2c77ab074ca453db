//===- Placement.cpp - Over which grid axes the labels are cut ------------===//

#include "tapestry/Planner/Layout/Placement.h"
#include "Placer.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;

int64_t Placement::totalBytes() const {
  int64_t total = 0;
  for (const PlannedCollective &collective : collectives)
    total += collective.bytes;
  return total;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

void PlacedReaders::add(LayoutId layout, PlanUse use) {
  auto *known = llvm::find_if(
      wanted, [&](const Wanted &each) { return each.layout == layout; });
  if (known == wanted.end()) {
    wanted.push_back({layout, {}});
    known = &wanted.back();
  }
  std::pair<unsigned, unsigned> key(use.vertex, use.operand);
  known->uses.insert(llvm::lower_bound(known->uses, key), key);
}

void PlacedReaders::remove(LayoutId layout, PlanUse use) {
  auto *known = llvm::find_if(
      wanted, [&](const Wanted &each) { return each.layout == layout; });
  std::pair<unsigned, unsigned> key(use.vertex, use.operand);
  known->uses.erase(llvm::lower_bound(known->uses, key));
  if (known->uses.empty())
    wanted.erase(known);
}

llvm::SmallVector<HomeTarget, 4>
PlacedReaders::targets(std::optional<unsigned> without) const {
  llvm::SmallVector<std::pair<std::pair<unsigned, unsigned>, HomeTarget>, 4>
      found;
  for (const Wanted &each : wanted) {
    auto first = each.uses.begin(), last = each.uses.end();
    int64_t count = each.uses.size();
    if (without) {
      auto *from = llvm::lower_bound(each.uses, std::pair(*without, 0u));
      auto *to = std::find_if(
          from, last, [&](const auto &use) { return use.first != *without; });
      count -= to - from;
      if (from == first)
        first = to;
    }
    if (count > 0)
      found.push_back({*first, {each.layout, count}});
  }
  llvm::sort(found, llvm::less_first());
  llvm::SmallVector<HomeTarget, 4> result;
  for (const auto &[use, target] : found)
    result.push_back(target);
  return result;
}

/// Comparing one assignment passes over all devices: about this many passes are
/// spent on a vertex.
static constexpr int64_t deviceStepsPerVertex = 300'000;

Placer::Placer(const PlanGraph &graph, const DeviceGrid &grid,
               llvm::ArrayRef<PartVector> parts,
               llvm::ArrayRef<std::optional<Partition>> fixed,
               const PlacementOptions &options)
    : graph(graph), grid(grid), parts(parts), fixed(fixed), costs(grid),
      uses(graph.uses()), groups(layoutGroups(graph)),
      chosen(graph.vertices.size()), readers(graph.vertices.size()) {
  left = leftForClusters = options.maxImprovements;
  perVertex = std::clamp<int64_t>(deviceStepsPerVertex / grid.numDevices(), 16,
                                  std::max(16u, options.maxAssignments));
}

Placer::Candidate Placer::candidateFor(unsigned v, const Partition &partition) {
  Candidate candidate;
  candidate.partition = partition;
  const PlanVertex &vertex = graph.vertices[v];
  candidate.result = costs.idOf(resultLayout(vertex, partition));
  for (unsigned operand = 0; operand < vertex.operands.size(); ++operand)
    candidate.operands.push_back(
        costs.idOf(operandLayout(graph, vertex, operand, partition)));
  return candidate;
}

int64_t Placer::bytesOf(unsigned v, unsigned changed,
                        const Candidate *candidate) {
  const Candidate *self = chosen[v] ? &*chosen[v] : nullptr;
  if (v == changed)
    self = candidate;
  if (!self || isStored(v))
    return 0;
  llvm::SmallVector<HomeTarget, 4> targets = readers[v].targets(changed);
  if (candidate)
    for (auto [operand, layout] :
         llvm::zip_equal(graph.vertices[changed].operands, candidate->operands))
      if (operand.producer == v)
        addReader(targets, layout);
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
  for (unsigned k = 1; k <= graph.companionsOf(v).size() && candidate; ++k) {
    Candidate companion = candidateFor(v + k, candidate->partition);
    bytes += bytesOf(v + k, v + k, &companion);
  }
  forEachProducer(graph.vertices[v], [&](unsigned producer) {
    bytes += bytesOf(producer, v, candidate);
  });
  return bytes;
}

int64_t Placer::leastBytesOfResult(unsigned v, const Candidate &candidate) {
  if (readers[v].empty())
    return bytesOf(v, v, &candidate);
  return costs.scatteredElements(candidate.result) *
         graph.vertices[v].bytesPerElement(/*isPartial=*/true);
}

int64_t Placer::leastBytesOfProducers(unsigned v) {
  int64_t bytes = 0;
  forEachProducer(graph.vertices[v], [&](unsigned producer) {
    if (!chosen[producer] || isStored(producer))
      return;
    LayoutId result = chosen[producer]->result;
    // One more reader makes no plain tensor cheaper; partial values must at
    // least be scattered.
    bytes += costs.layout(result).partial.empty()
                 ? bytesOf(producer, v, nullptr)
                 : costs.scatteredElements(result) *
                       graph.vertices[producer].bytesPerElement(true);
  });
  return bytes;
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

void Placer::place(unsigned v, Candidate candidate) {
  for (auto [number, operand] : llvm::enumerate(graph.vertices[v].operands)) {
    PlanUse use = {v, unsigned(number)};
    if (chosen[v])
      readers[operand.producer].remove(chosen[v]->operands[number], use);
    readers[operand.producer].add(candidate.operands[number], use);
  }
  chosen[v] = std::move(candidate);
}

void Placer::choose(unsigned v, Candidate candidate) {
  for (unsigned k = 1; k <= graph.companionsOf(v).size(); ++k)
    place(v + k, candidateFor(v + k, isFixed(v + k) ? *fixed[v + k]
                                                    : candidate.partition));
  place(v, std::move(candidate));
}

llvm::Error Placer::placeVertex(unsigned v) {
  if (isFixed(v)) {
    choose(v, candidateFor(v, *fixed[v]));
    return llvm::Error::success();
  }
  unsigned limit = perVertex;
  std::optional<Candidate> best = bestFor(v, limit);
  if (!best)
    return noAssignment(v);
  choose(v, std::move(*best));
  return llvm::Error::success();
}

void Placer::improve() {
  for (bool moved = true; moved && left > 0;) {
    moved = false;
    for (unsigned v = 0; v < graph.vertices.size() && left > 0; ++v) {
      if (!chosen[v] || isStored(v) || isFixed(v) || graph.vertices[v].cutAs)
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
        choose(v, std::move(*best));
        moved = true;
      }
    }
  }
}

llvm::Expected<std::vector<Partition>> Placer::place() {
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (!graph.vertices[v].hasWork())
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
layout::placeGraph(const PlanGraph &graph, const DeviceGrid &grid,
                   llvm::ArrayRef<PartVector> parts,
                   llvm::ArrayRef<std::optional<Partition>> fixed,
                   const PlacementOptions &options) {
  auto partitions = Placer(graph, grid, parts, fixed, options).place();
  if (!partitions)
    return partitions.takeError();
  return routeGraph(graph, grid, *partitions);
}
