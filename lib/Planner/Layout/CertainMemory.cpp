//===- CertainMemory.cpp - What programs of any plan hold -----------------===//

#include "tapestry/Planner/Layout/CertainMemory.h"
#include "tapestry/Support/Streaming.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;

std::string layout::heldTensor(const PlanGraph &graph,
                               const CertainBytes &held) {
  const PlanVertex *tensor = &graph.vertices[held.vertex];
  if (held.of == CertainBytes::Of::Operand ||
      held.of == CertainBytes::Of::Fetched)
    if (const PlanVertex &read =
            graph.vertices[tensor->operands[held.operand].producer];
        read.isInput)
      tensor = &read;
  return (tensor->isInput ? "input '" : "'") + tensor->name + "'";
}

static bool reduces(const PlanVertex &vertex) {
  return llvm::any_of(vertex.labels,
                      [](const PlanLabel &label) { return label.reduced; });
}

static bool involves(const ProjectionDim &dim, unsigned label) {
  return llvm::any_of(
      dim.terms, [&](const AffineTerm &term) { return term.dim == label; });
}

static bool involves(const Projection &projection, unsigned label) {
  return llvm::any_of(projection.dims, [&](const ProjectionDim &dim) {
    return involves(dim, label);
  });
}

/// Whether the operand has a value per index point.
static bool hasValuePerPoint(const PlanVertex &vertex,
                             const Projection &projection) {
  return llvm::all_of(
      llvm::seq<unsigned>(vertex.labels.size()),
      [&](unsigned label) { return involves(projection, label); });
}

/// Whether the buffer that is read is one of the dimensions that are read:
/// neither it nor what it may be computed from in place of it has fewer.
static bool keepsDimensions(const PlanVertex &tensor) {
  return tensor.isInput || reduces(tensor) ||
         (tensor.isNest &&
          llvm::any_of(tensor.operands, [&](const PlanOperand &operand) {
            return hasValuePerPoint(tensor, operand.projection);
          }));
}

/// Whether the nest of a vertex runs by itself: row kernels refuse it.
static bool runsAlone(const PlanGraph &graph, const PlanVertex &vertex) {
  if (!vertex.isNest || !reduces(vertex) || vertex.output.dims.empty() ||
      vertex.output.dims.front().terms.size() != 1)
    return false;
  unsigned row = vertex.output.dims.front().terms.front().dim;
  bool readsMatrixAgain = false;
  for (const PlanOperand &operand : vertex.operands) {
    if (hasValuePerPoint(vertex, operand.projection))
      return false;
    readsMatrixAgain |= !involves(operand.projection, row) &&
                        llvm::count_if(operand.projection.dims,
                                       [](const ProjectionDim &dim) {
                                         return !dim.terms.empty();
                                       }) > 1 &&
                        keepsDimensions(graph.vertices[operand.producer]);
  }
  return readsMatrixAgain;
}

/// Whether an operand is read at all: a padded one may lie outside.
static bool readsAnything(const PlanGraph &graph, const PlanVertex &vertex,
                          const PlanOperand &operand) {
  ZBox points = boxOfShape(vertex.extents());
  if (!operand.guard.empty())
    points = intersect(points, operand.guard);
  ZBox tensor = boxOfShape(graph.vertices[operand.producer].shape);
  return !isEmpty(points) &&
         !isEmpty(intersect(operand.projection.image(points), tensor));
}

/// Whether a result may be computed block by block, if its readers allow it.
static bool mayBeStreamed(const PlanVertex &vertex) {
  double bytes = vertex.elementBytes, points = 1;
  for (int64_t extent : vertex.shape)
    bytes *= extent;
  for (const PlanLabel &label : vertex.labels)
    if (label.reduced)
      points *= label.extent;
  return vertex.isNest && reduces(vertex) && vertex.shape.size() >= 2 &&
         bytes >= leastStreamedBytes && points <= mostStreamedPoints;
}

namespace {

class Collector {
public:
  explicit Collector(const PlanGraph &graph)
      : graph(graph), uses(graph.vertices.size()),
        isNeeded(graph.vertices.size()), sure(graph.vertices.size()),
        mayBeOutput(graph.vertices.size()), lastSum(graph.vertices.size()) {}

  std::vector<CertainBytes> collect();

private:
  using Of = CertainBytes::Of;
  void findNeeded();
  void findSure();
  void findStreams();
  void addTensor(unsigned v);
  void addWork(unsigned v);
  unsigned lastReader(unsigned v) const { return uses[v].back().vertex; }

  const PlanGraph &graph;
  /// Those by what is needed, of what there is.
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  /// Whether an output follows from it. Lowering erases all else.
  std::vector<bool> isNeeded;
  /// Whether a result has a buffer of its own in every program.
  std::vector<bool> sure;
  /// Whether it may lie in an output's buffer, or in another operator's.
  std::vector<bool> mayBeOutput;
  /// Per result the last nest that reduces it, or what elementwise nests make
  /// of it, where nothing else reads these; 0: there is something else.
  std::vector<unsigned> lastSum;
  std::vector<CertainBytes> result;
};

} // namespace

void Collector::findNeeded() {
  auto readers = graph.uses();
  for (unsigned v = graph.vertices.size(); v-- > 0;) {
    const PlanVertex &vertex = graph.vertices[v];
    // What has no reader is there for another reason.
    isNeeded[v] = isNeeded[v] || vertex.isHandedOut() || !uses[v].empty() ||
                  readers[v].empty();
    if (!isNeeded[v])
      continue;
    if (vertex.cutAs)
      isNeeded[*vertex.cutAs] = true;
    for (auto [o, operand] : llvm::enumerate(vertex.operands))
      if (readsAnything(graph, vertex, operand))
        uses[operand.producer].push_back({v, static_cast<unsigned>(o)});
  }
  for (llvm::SmallVector<PlanUse, 2> &needed : uses)
    std::reverse(needed.begin(), needed.end());
}

void Collector::findSure() {
  for (unsigned v = graph.vertices.size(); v-- > 0;) {
    const PlanVertex &vertex = graph.vertices[v];
    mayBeOutput[v] = llvm::any_of(uses[v], [&](const PlanUse &use) {
      const PlanVertex &reader = graph.vertices[use.vertex];
      return (!reader.isNest || !reduces(reader)) &&
             (reader.isHandedOut() || mayBeOutput[use.vertex] ||
              !reader.isNest);
    });
    sure[v] = !vertex.isInput && !vertex.isHandedOut() && !uses[v].empty() &&
              !mayBeOutput[v] && runsAlone(graph, vertex);
  }
}

/// Results that are not there as a whole, and what is made of them before all
/// of it is summed up.
void Collector::findStreams() {
  for (unsigned v = graph.vertices.size(); v-- > 0;) {
    const PlanVertex &vertex = graph.vertices[v];
    if (vertex.isHandedOut())
      continue;
    for (const PlanUse &use : uses[v]) {
      const PlanVertex &reader = graph.vertices[use.vertex];
      unsigned last = !reader.isNest    ? 0
                      : reduces(reader) ? use.vertex
                                        : lastSum[use.vertex];
      lastSum[v] = last == 0 ? 0 : std::max(lastSum[v], last);
      if (last == 0)
        break;
    }
  }
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (!mayBeStreamed(graph.vertices[v]) || lastSum[v] == 0)
      continue;
    llvm::SmallDenseSet<unsigned> made = {v};
    for (unsigned u = v; u < lastSum[v]; ++u)
      if (u == v || llvm::any_of(graph.vertices[u].operands,
                                 [&](const PlanOperand &operand) {
                                   return made.contains(operand.producer);
                                 })) {
        made.insert(u);
        sure[u] = false;
      }
  }
}

void Collector::addTensor(unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  if (vertex.storedFor)
    return;
  unsigned end = stepOfHome(graph.vertices.size() - 1);
  if (vertex.isGivenAtHome() || vertex.isOutput) {
    result.push_back({Of::Home, v, 0, 0, end});
    if (vertex.isGivenAtHome() && vertex.isOutput) // What leaves is a copy.
      result.push_back({Of::Home, v, 0, 0, end});
    return;
  }
  // Its last reader may only need a part, which is counted there. What comes
  // home as a part of what was combined may be copied.
  if (!vertex.isInput && !uses[v].empty() && vertex.isNest && reduces(vertex) &&
      !mayBeOutput[v])
    result.push_back({sure[v] ? Of::Home : Of::CombinedHome, v, 0,
                      stepOfHome(v), stepOfNest(lastReader(v)) - 1});
}

void Collector::addWork(unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  llvm::SmallVector<unsigned, 4> seen;
  for (unsigned o = 0; o < vertex.operands.size(); ++o) {
    unsigned producer = vertex.operands[o].producer;
    if (graph.vertices[producer].storedFor) {
      result.push_back(
          {Of::Operand, v, o, 0, stepOfHome(graph.vertices.size() - 1)});
      continue;
    }
    if (!llvm::is_contained(uses[producer], PlanUse{v, o}))
      continue;
    bool isFirst = !llvm::is_contained(seen, producer);
    seen.push_back(producer);
    bool isLast = sure[producer] && lastReader(producer) == v;
    result.push_back({isLast && isFirst ? Of::Operand : Of::Fetched, v, o,
                      stepOfNest(v), stepOfNest(v)});
  }
  if (!vertex.isNest || !isNeeded[v])
    return;
  if (sure[v])
    result.push_back({Of::Written, v, 0, stepOfNest(v), stepOfNest(v)});
  if (!reduces(vertex))
    return;
  unsigned combining = stepOfCombining(v);
  result.push_back(
      {Of::Partial, v, 0, sure[v] ? combining : stepOfNest(v), combining});
  if (!vertex.isHandedOut()) // An output's buffer may be filled right away.
    result.push_back({Of::Combined, v, 0, combining, combining});
}

std::vector<CertainBytes> Collector::collect() {
  findNeeded();
  findSure();
  findStreams();
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    addTensor(v);
    if (!graph.vertices[v].isInput)
      addWork(v);
  }
  return std::move(result);
}

std::vector<CertainBytes> layout::certainBytes(const PlanGraph &graph) {
  return Collector(graph).collect();
}

std::vector<CertainBytes> layout::expectedBytes(const PlanGraph &graph) {
  using Of = CertainBytes::Of;
  auto uses = graph.uses();
  unsigned end = stepOfHome(graph.vertices.size() - 1);
  std::vector<CertainBytes> result;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    unsigned nest = stepOfNest(v);
    bool isKept = vertex.isGivenAtHome() || vertex.isOutput;
    if (!vertex.storedFor)
      result.push_back({Of::Home, v, 0, isKept ? 0 : nest,
                        isKept || uses[v].empty()
                            ? end
                            : stepOfNest(uses[v].back().vertex)});
    if (vertex.isInput)
      continue;
    result.push_back({Of::Partial, v, 0, nest, nest});
    for (auto [o, operand] : llvm::enumerate(vertex.operands)) {
      bool isStored = graph.vertices[operand.producer].storedFor.has_value();
      result.push_back({isStored ? Of::Operand : Of::Fetched, v, unsigned(o),
                        isStored ? 0 : nest, isStored ? end : nest});
    }
  }
  return result;
}
