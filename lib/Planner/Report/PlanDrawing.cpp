//===- PlanDrawing.cpp - What a picture of a plan shows -------------------===//

#include "PlanDrawing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <map>

using namespace tapestry;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::report;

namespace {

/// A run of equal blocks of vertices with work; `first` is a rank among those.
struct Run {
  unsigned first = 0;
  unsigned period = 0;
  unsigned repetitions = 0;
};

class Drawer {
public:
  Drawer(const PlanGraph &graph, const Plan &plan)
      : graph(graph), plan(plan), uses(graph.uses()),
        nodeOf(graph.vertices.size()) {
    for (unsigned v = 0; v < graph.vertices.size(); ++v)
      if (!graph.vertices[v].isInput)
        working.push_back(v);
  }
  PlanDrawing draw(unsigned foldFrom);

private:
  Run longestRun() const;
  void makeNodes(const Run &run);
  void makeEdges();

  const PlanGraph &graph;
  const Plan &plan;
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  /// All vertices but inputs.
  std::vector<unsigned> working;
  /// Per vertex its node; nothing for an input that only folded vertices read.
  std::vector<std::optional<unsigned>> nodeOf;
  PlanDrawing drawing;
};

} // namespace

/// The longest stretch of vertices with work in which each is like the one a
/// period later: cuts, index space and where operands come from.
Run Drawer::longestRun() const {
  std::vector<unsigned> rank(graph.vertices.size(), 0), kind;
  llvm::StringMap<unsigned> kinds;
  for (auto [number, v] : llvm::enumerate(working)) {
    const PlanVertex &vertex = graph.vertices[v];
    rank[v] = number;
    std::string key;
    llvm::raw_string_ostream os(key);
    for (auto [label, parts] :
         llvm::zip_equal(vertex.labels, plan.vertices[v].parts))
      os << label.extent << (label.reduced ? "r" : "") << "/" << parts << " ";
    for (const PlanOperand &operand : vertex.operands) {
      // How far up, not which: inputs are numbered before all work.
      if (graph.vertices[operand.producer].isInput)
        os << "input ";
      else
        os << rank[v] - rank[operand.producer] << " ";
      for (const ProjectionDim &dim : operand.projection.dims)
        for (const AffineTerm &term : dim.terms)
          os << term.dim << "*" << term.coefficient << "+";
    }
    kind.push_back(kinds.try_emplace(key, kinds.size()).first->second);
  }
  Run best;
  unsigned longest = 0;
  for (unsigned period = 1; period <= working.size() / 3; ++period) {
    unsigned length = 0;
    for (unsigned i = 0; i + period < working.size(); ++i) {
      length = kind[i] == kind[i + period] ? length + 1 : 0;
      unsigned repetitions = length / period + 1;
      // Longer runs of shorter periods first.
      if (repetitions >= 3 && repetitions * period > longest) {
        longest = repetitions * period;
        best = {i + 1 - length, period, repetitions};
      }
    }
  }
  return best;
}

void Drawer::makeNodes(const Run &run) {
  std::vector<bool> isFolded(graph.vertices.size(), false);
  unsigned lastFolded = graph.vertices.size();
  for (unsigned i = run.period; i < run.period * run.repetitions; ++i) {
    lastFolded = working[run.first + i];
    isFolded[lastFolded] = true;
  }
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (graph.vertices[v].isInput)
      isFolded[v] =
          !uses[v].empty() && llvm::all_of(uses[v], [&](const PlanUse &use) {
            return isFolded[use.vertex];
          });
  DrawnNode box;
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (isFolded[v])
      box.folded.push_back(v);
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (v == lastFolded) {
      box.repetitions = run.repetitions - 1;
      for (unsigned folded : box.folded)
        nodeOf[folded] = drawing.nodes.size();
      drawing.nodes.push_back(box);
    }
    if (isFolded[v])
      continue;
    nodeOf[v] = drawing.nodes.size();
    drawing.nodes.emplace_back().vertex = v;
  }
}

void Drawer::makeEdges() {
  std::map<std::pair<unsigned, unsigned>, unsigned> known;
  auto edgeBetween = [&](unsigned producer, unsigned reader) -> DrawnEdge * {
    std::optional<unsigned> from = nodeOf[producer], to = nodeOf[reader];
    if (!from || !to || *from >= *to)
      return nullptr;
    auto [it, isNew] = known.try_emplace({*from, *to}, drawing.edges.size());
    if (isNew)
      drawing.edges.push_back({*from, *to, {}});
    return &drawing.edges[it->second];
  };
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    for (const PlanOperand &operand : graph.vertices[v].operands)
      edgeBetween(operand.producer, v);
  for (auto [number, moved] : llvm::enumerate(plan.placement.collectives)) {
    if (moved.reader != moved.vertex) {
      if (DrawnEdge *edge = edgeBetween(moved.vertex, moved.reader)) {
        edge->collectives.push_back(number);
        continue;
      }
    }
    if (nodeOf[moved.reader])
      drawing.nodes[*nodeOf[moved.reader]].collectives.push_back(number);
  }
}

PlanDrawing Drawer::draw(unsigned foldFrom) {
  makeNodes(graph.vertices.size() > foldFrom ? longestRun() : Run());
  makeEdges();
  return std::move(drawing);
}

PlanDrawing report::drawPlan(const PlanGraph &graph, const Plan &plan,
                             unsigned foldFrom) {
  return Drawer(graph, plan).draw(foldFrom);
}
