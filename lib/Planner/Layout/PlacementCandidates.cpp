//===- PlacementCandidates.cpp - The cuts of a vertex worth comparing -----===//

#include "Placer.h"
#include "tapestry/Planner/Layout/Routing.h"
#include "tapestry/Planner/Model/AxisEnumerator.h"
#include "tapestry/Planner/Model/FormKey.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <limits>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;

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
Placer::settledCuts(unsigned v, const ShardingConstraint *preference) {
  const PlanVertex &vertex = graph.vertices[v];
  auto own = constrainedCuts(vertex, grid, preference, graph.companionsOf(v));
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
      auto constrained = constrainedCuts(other, grid);
      for (unsigned dim = 0; dim < vertex.output.dims.size(); ++dim) {
        const auto &mine = vertex.output.dims[dim].terms;
        const auto &theirs = other.output.dims[dim].terms;
        if (mine.empty() || theirs.empty() || cuts[mine[0].dim])
          continue;
        if (chosen[member])
          cuts[mine[0].dim] = chosen[member]->partition.cuts[theirs[0].dim];
        else
          cuts[mine[0].dim] = constrained[theirs[0].dim];
      }
    }
  }
  return cuts;
}

int64_t Placer::penaltyOf(unsigned v, const Partition &partition) const {
  const PlanVertex &vertex = graph.vertices[v];
  // Companions are cut with their lead.
  int64_t penalty = 0;
  for (unsigned k = 1; k <= graph.companionsOf(v).size(); ++k)
    penalty += penaltyOf(v + k, partition);
  if (vertex.constraints.empty())
    return penalty;
  Layout home = resultLayout(vertex, partition);
  home.partial.clear();
  double weight = brokenWeight(vertex, grid, partition);
  if (!vertex.isInput)
    weight += brokenHomeWeight(vertex, grid, home);
  double bytes = weight * preferenceUnit(vertex) * vertex.elementBytes;
  return penalty + static_cast<int64_t>(std::min(bytes, 1e17));
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
  LayoutId id = chosen[neighbour]->result;
  if (isOperand)
    id = homeOf(neighbour, id, readers[neighbour].targets(v)).layout;
  else
    id = chosen[neighbour]->operands[use.operand];
  const Layout &layout = costs.layout(id);
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
  for (const auto *constraints :
       {&vertex.constraints.work, &vertex.constraints.home})
    for (const ShardingConstraint &constraint : *constraints)
      if (!constraint.isHard)
        sources.insert(sources.begin(), {0, 0, settledCuts(v, &constraint)});
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

std::string Placer::situationOf(unsigned v, unsigned limit) {
  const PlanVertex &vertex = graph.vertices[v];
  std::string key;
  if (!vertex.constraints.empty() || !graph.companionsOf(v).empty())
    return key;
  llvm::raw_string_ostream os(key);
  auto describeReaders = [&](unsigned tensor) {
    for (const HomeTarget &target : readers[tensor].targets(v))
      os << " " << target.layout << "x" << target.readers;
  };
  os << limit << (vertex.isInput ? "i" : "");
  describeWork(os, graph, vertex);
  os << "=";
  describe(os, parts[v]);
  describeReaders(v);
  for (const PlanOperand &operand : vertex.operands) {
    unsigned producer = operand.producer;
    const PlanVertex &read = graph.vertices[producer];
    // Which operands are of one tensor, and what its home may be.
    auto *first = llvm::find_if(vertex.operands, [&](const PlanOperand &other) {
      return other.producer == producer;
    });
    os << "<" << first - vertex.operands.begin();
    if (!chosen[producer] || isStored(producer))
      continue;
    os << "@" << chosen[producer]->result << (read.isInput ? "i" : "")
       << (keepsResultInPlace(read) ? "k" : "") << read.accumulatorBytes;
    describeReaders(producer);
  }
  return key;
}

std::optional<Placer::Candidate> Placer::bestFor(unsigned v, unsigned &limit) {
  // What is not cut lies in one way.
  if (graph.vertices[v].constraints.empty() &&
      llvm::all_of(parts[v], [](int64_t count) { return count == 1; })) {
    Partition whole;
    whole.cuts.resize(parts[v].size());
    return candidateFor(v, whole);
  }
  std::string situation = situationOf(v, limit);
  if (situation.empty())
    return search(v, limit);
  auto [known, isNew] = answers.try_emplace(situation);
  Answer &answer = known->second;
  if (isNew) {
    answer.compared = limit;
    answer.best = search(v, limit);
    answer.compared -= limit;
  } else {
    limit -= answer.compared;
  }
  return answer.best;
}

std::optional<Placer::Candidate> Placer::search(unsigned v, unsigned &limit) {
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
