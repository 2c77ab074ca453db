//===- PaperMemory.cpp - Bytes of the choices of the paper's problem ------===//
//
// The cost model `paper` knows parts, not devices: results are reckoned to stay
// where they are made until their last reader, and a reader that wants other
// parts to hold its own copy while it works.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::optimize;

namespace {

class MemoryTerms {
public:
  MemoryTerms(const PlanGraph &graph, PlanProblem &problem)
      : graph(graph), problem(problem), uses(graph.uses()),
        end(graph.vertices.size() - 1) {}

  void add();

private:
  enum class Of { Result, Partial, Operand };
  TensorParts layout(unsigned v, const Projection &projection,
                     llvm::ArrayRef<int64_t> parts,
                     llvm::ArrayRef<int64_t> shape,
                     llvm::ArrayRef<ZRange> guard = {}) {
    return projectedParts(projection, graph.vertices[v].extents(), parts, shape,
                          guard);
  }
  SharedBytes bytesPerChoice(unsigned v, Of what, unsigned operand);
  SharedBytes bytesPerEntry(unsigned v, unsigned operand, unsigned edge);

  const PlanGraph &graph;
  PlanProblem &problem;
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  unsigned end;
  std::map<std::tuple<const void *, Of, unsigned, int64_t>, SharedBytes> known;
  std::map<std::tuple<const void *, const void *, const void *, int64_t>,
           SharedBytes>
      knownEntries;
};

} // namespace

/// Per choice of a vertex: its result, its partial values where a reduced label
/// is cut, or one of its operands.
SharedBytes MemoryTerms::bytesPerChoice(unsigned v, Of what, unsigned operand) {
  const PlanVertex &vertex = graph.vertices[v];
  const PlanVertex &tensor =
      what == Of::Operand ? graph.vertices[vertex.operands[operand].producer]
                          : vertex;
  int64_t elementBytes = tensor.bytesPerElement(what == Of::Partial);
  const Projection &projection =
      what == Of::Operand ? vertex.operands[operand].projection : vertex.output;
  llvm::ArrayRef<ZRange> guard;
  if (what == Of::Operand)
    guard = vertex.operands[operand].guard;
  // Results of one cut are told apart by how far they are behind the lead.
  unsigned lead = graph.leadOf(v);
  if (what != Of::Operand)
    operand = v - lead;
  const SharedChoices &choices = problem.variables[lead].choices;
  SharedBytes &shared = known[{choices.get(), what, operand, elementBytes}];
  if (shared)
    return shared;
  auto bytes = std::make_shared<std::vector<int64_t>>();
  for (const PartVector &parts : *choices) {
    bool isHeld = what != Of::Partial;
    for (auto [label, count] : llvm::zip_equal(vertex.labels, parts))
      isHeld = isHeld || (label.reduced && count > 1);
    bytes->push_back(isHeld ? int64_t(partElements(layout(
                                  v, projection, parts, tensor.shape, guard))) *
                                  elementBytes
                            : 0);
  }
  return shared = bytes;
}

/// Per entry of an edge's table: the reader's copy where its parts differ.
SharedBytes MemoryTerms::bytesPerEntry(unsigned v, unsigned operand,
                                       unsigned edge) {
  const PlanProblem::Edge &e = problem.edges[edge];
  const PlanOperand &read = graph.vertices[v].operands[operand];
  const PlanVertex &tensor = graph.vertices[read.producer];
  SharedBytes &shared = knownEntries[{e.table.get(), e.fromClasses.get(),
                                      e.toClasses.get(), tensor.elementBytes}];
  if (shared)
    return shared;
  std::vector<TensorParts> from(e.table->rows), to(e.table->columns);
  for (auto [choice, parts] :
       llvm::enumerate(*problem.variables[e.from].choices))
    from[e.fromClasses->classOf[choice]] =
        layout(e.from, tensor.output, parts, tensor.shape);
  for (auto [choice, parts] : llvm::enumerate(*problem.variables[e.to].choices))
    to[e.toClasses->classOf[choice]] =
        layout(v, read.projection, parts, tensor.shape, read.guard);
  auto bytes = std::make_shared<std::vector<int64_t>>();
  for (const TensorParts &a : from)
    for (const TensorParts &b : to)
      bytes->push_back(a == b ? 0
                              : int64_t(partElements(b)) * tensor.elementBytes);
  return shared = bytes;
}

void MemoryTerms::add() {
  unsigned edge = 0;
  for (unsigned v = 0; v <= end; ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    unsigned lead = graph.leadOf(v);
    if (!vertex.storedFor) {
      bool throughout = vertex.isInput || vertex.isOutput || uses[v].empty();
      problem.memory.push_back({false, lead, bytesPerChoice(v, Of::Result, 0),
                                vertex.isInput || vertex.isOutput ? 0 : lead,
                                throughout ? end : uses[v].back().vertex});
      if (vertex.isInput && vertex.isOutput) // What leaves is a copy.
        problem.memory.push_back(
            {false, v, bytesPerChoice(v, Of::Result, 0), 0, end});
    }
    if (vertex.isInput)
      continue;
    problem.memory.push_back(
        {false, lead, bytesPerChoice(v, Of::Partial, 0), lead, lead});
    for (unsigned o = 0; o < vertex.operands.size(); ++o) {
      unsigned producer = vertex.operands[o].producer;
      if (graph.vertices[producer].storedFor) {
        problem.memory.push_back(
            {false, v, bytesPerChoice(v, Of::Operand, o), 0, end});
        continue;
      }
      problem.memory.push_back({true, edge, bytesPerEntry(v, o, edge), v, v});
      ++edge;
    }
  }
}

void cost::elements::limitPaperMemory(const PlanGraph &graph, int64_t limit,
                                      PlanProblem &problem) {
  problem.memoryLimit = limit;
  if (limit > 0 && !graph.vertices.empty())
    MemoryTerms(graph, problem).add();
}
