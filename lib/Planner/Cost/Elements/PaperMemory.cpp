//===- PaperMemory.cpp - Bytes of the choices of the paper's problem ------===//
//
// What programs certainly hold (Planner/Layout/CertainMemory.h), as far as it
// follows from parts: the cost model `paper` knows neither axes nor homes. A
// home lies as its result does, combined, or as one of its readers wants it.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Layout/CertainMemory.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <map>

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::layout;
using namespace tapestry::model;
using namespace tapestry::optimize;

namespace {

class MemoryTerms {
public:
  MemoryTerms(const PlanGraph &graph, PlanProblem &problem)
      : graph(graph), problem(problem), uses(graph.uses()) {}

  void add();

private:
  /// The terms of what is certain, or of what is expected.
  std::vector<PlanProblem::MemoryTerm>
  termsOf(llvm::ArrayRef<CertainBytes> held, bool isCertain);
  using Of = CertainBytes::Of;
  SharedBytes operandBytes(unsigned v, unsigned operand);
  SharedBytes largestOperandBytes(unsigned v, unsigned producer);
  SharedBytes writtenBytes(unsigned v, bool onlyPartial);
  SharedBytes homeBytes(unsigned v, bool onlyCombined, bool isCertain);
  SharedBytes fetchedBytes(unsigned v, unsigned operand, bool besideHome);
  SharedBytes copiedBytes(unsigned v, unsigned operand);
  int64_t leastRead(unsigned v);
  TensorParts writtenParts(unsigned v, llvm::ArrayRef<int64_t> parts) {
    const PlanVertex &vertex = graph.vertices[v];
    return projectedParts(vertex.output, vertex.extents(), parts, vertex.shape);
  }
  SharedBytes share(std::vector<int64_t> bytes) {
    SharedBytes &known = distinct[bytes];
    if (!known)
      known = std::make_shared<const std::vector<int64_t>>(std::move(bytes));
    return known;
  }

  const PlanGraph &graph;
  PlanProblem &problem;
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  /// Per vertex and operand, its edge.
  std::vector<llvm::SmallVector<unsigned, 2>> edgeOf;
  std::vector<std::optional<int64_t>> leastReads;
  /// Solvers recognise repeated structure by pointer.
  std::map<std::vector<int64_t>, SharedBytes> distinct;
};

} // namespace

/// The part that device 0 reads: of the first block of every cut, whichever
/// axes it is over.
static ZBox firstPart(const PlanVertex &vertex, const PlanOperand &operand,
                      llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> parts) {
  std::vector<DeviceGrid::Axis> axes;
  Partition partition;
  for (int64_t count : parts) {
    partition.cuts.push_back(count > 1 ? Cut{unsigned(axes.size())} : Cut());
    if (count > 1)
      axes.push_back({"d" + std::to_string(axes.size()), count});
  }
  DeviceGrid grid = llvm::cantFail(DeviceGrid::ofAxes(axes));
  return Layout::ofProjection(operand.projection, vertex.extents(), partition,
                              shape, operand.guard)
      .box(grid, /*device=*/0);
}

static bool isCombined(const PlanVertex &vertex,
                       llvm::ArrayRef<int64_t> parts) {
  return llvm::any_of(llvm::zip_equal(vertex.labels, parts), [](auto each) {
    return std::get<0>(each).reduced && std::get<1>(each) > 1;
  });
}

/// Per choice of `v`, the operand as it is read.
SharedBytes MemoryTerms::operandBytes(unsigned v, unsigned operand) {
  const PlanVertex &vertex = graph.vertices[v];
  const PlanOperand &read = vertex.operands[operand];
  const PlanVertex &tensor = graph.vertices[read.producer];
  const SharedChoices &choices = problem.variables[v].choices;
  std::vector<int64_t> bytes;
  for (const PartVector &parts : *choices)
    bytes.push_back(volume(firstPart(vertex, read, tensor.shape, parts)) *
                    tensor.elementBytes);
  return share(std::move(bytes));
}

/// The same of all operands of one tensor, which may be parts of one buffer:
/// the largest.
SharedBytes MemoryTerms::largestOperandBytes(unsigned v, unsigned producer) {
  std::vector<int64_t> largest;
  for (auto [o, operand] : llvm::enumerate(graph.vertices[v].operands)) {
    if (operand.producer != producer)
      continue;
    SharedBytes bytes = operandBytes(v, o);
    largest.resize(bytes->size(), 0);
    for (auto [most, each] : llvm::zip_equal(largest, *bytes))
      most = std::max(most, each);
  }
  return share(std::move(largest));
}

/// Per choice of `v`'s lead, what its nest writes.
SharedBytes MemoryTerms::writtenBytes(unsigned v, bool onlyPartial) {
  const PlanVertex &vertex = graph.vertices[v];
  std::vector<int64_t> bytes;
  for (const PartVector &parts : *problem.variables[graph.leadOf(v)].choices) {
    bool isPartial = isCombined(vertex, parts);
    bytes.push_back(isPartial || !onlyPartial
                        ? int64_t(partElements(writtenParts(v, parts))) *
                              vertex.bytesPerElement(isPartial)
                        : 0);
  }
  return share(std::move(bytes));
}

/// The least that a reader may want of a tensor.
int64_t MemoryTerms::leastRead(unsigned v) {
  if (leastReads[v])
    return *leastReads[v];
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const PlanUse &use : uses[v])
    least = std::min(
        least, *llvm::min_element(*operandBytes(use.vertex, use.operand)));
  leastReads[v] = least;
  return least;
}

/// Per choice of `v`'s lead, what the home takes at least, or (not `isCertain`)
/// where results stay as they are made.
SharedBytes MemoryTerms::homeBytes(unsigned v, bool onlyCombined,
                                   bool isCertain) {
  const PlanVertex &vertex = graph.vertices[v];
  int64_t least = vertex.isGivenAtHome() || !isCertain
                      ? std::numeric_limits<int64_t>::max()
                      : leastRead(v);
  std::vector<int64_t> bytes;
  for (const PartVector &parts : *problem.variables[graph.leadOf(v)].choices)
    bytes.push_back(
        onlyCombined && !isCombined(vertex, parts)
            ? 0
            : std::min(least, int64_t(partElements(writtenParts(v, parts))) *
                                  vertex.elementBytes));
  return share(std::move(bytes));
}

/// Per entry of an edge's table, what a reader holds that wants more of some
/// dimension than its device has made; `besideHome` counts the home apart.
SharedBytes MemoryTerms::fetchedBytes(unsigned v, unsigned operand,
                                      bool besideHome) {
  const PlanOperand &read = graph.vertices[v].operands[operand];
  const PlanVertex &tensor = graph.vertices[read.producer];
  const PlanProblem::Edge &edge = problem.edges[edgeOf[v][operand]];
  std::vector<TensorParts> made(edge.table->rows);
  for (auto [choice, parts] :
       llvm::enumerate(*problem.variables[edge.from].choices))
    made[edge.fromClasses->classOf[choice]] =
        writtenParts(read.producer, parts);
  // Choices of one class may differ in what device 0 has of a window.
  std::vector<llvm::SmallVector<int64_t, 4>> wanted(edge.table->columns);
  for (auto [choice, parts] : llvm::enumerate(*problem.variables[v].choices)) {
    ZBox box = firstPart(graph.vertices[v], read, tensor.shape, parts);
    auto &sizes = wanted[edge.toClasses->classOf[choice]];
    if (sizes.empty())
      sizes.assign(box.size(), std::numeric_limits<int64_t>::max());
    for (auto [size, range] : llvm::zip_equal(sizes, box))
      size = std::min(size, range.size());
  }
  std::vector<int64_t> bytes;
  for (const TensorParts &from : made) {
    int64_t home = 0;
    if (besideHome)
      home = std::min(leastRead(read.producer),
                      int64_t(partElements(from)) * tensor.elementBytes);
    for (const auto &to : wanted) {
      int64_t elements = 1;
      bool grows = false;
      for (auto [size, part] : llvm::zip_equal(to, from)) {
        elements *= size;
        grows |= size > part.size;
      }
      bytes.push_back(
          grows ? std::max<int64_t>(elements * tensor.elementBytes - home, 0)
                : 0);
    }
  }
  return share(std::move(bytes));
}

/// Per entry of an edge's table, the copy of a reader that wants other parts
/// than those that were made.
SharedBytes MemoryTerms::copiedBytes(unsigned v, unsigned operand) {
  const PlanVertex &vertex = graph.vertices[v];
  const PlanOperand &read = vertex.operands[operand];
  const PlanVertex &tensor = graph.vertices[read.producer];
  const PlanProblem::Edge &edge = problem.edges[edgeOf[v][operand]];
  std::vector<TensorParts> made(edge.table->rows), wanted(edge.table->columns);
  for (auto [choice, parts] :
       llvm::enumerate(*problem.variables[edge.from].choices))
    made[edge.fromClasses->classOf[choice]] =
        writtenParts(read.producer, parts);
  for (auto [choice, parts] :
       llvm::enumerate(*problem.variables[edge.to].choices))
    wanted[edge.toClasses->classOf[choice]] = projectedParts(
        read.projection, vertex.extents(), parts, tensor.shape, read.guard);
  std::vector<int64_t> bytes;
  for (const TensorParts &from : made)
    for (const TensorParts &to : wanted)
      bytes.push_back(
          from == to ? 0 : int64_t(partElements(to)) * tensor.elementBytes);
  return share(std::move(bytes));
}

std::vector<PlanProblem::MemoryTerm>
MemoryTerms::termsOf(llvm::ArrayRef<CertainBytes> held, bool isCertain) {
  std::vector<PlanProblem::MemoryTerm> terms;
  /// Until when homes of results are counted.
  std::vector<unsigned> homeEnds(graph.vertices.size(), 0);
  for (const CertainBytes &each : held)
    if (each.of == Of::Home || each.of == Of::CombinedHome)
      homeEnds[each.vertex] = each.last;
  for (const CertainBytes &each : held) {
    unsigned v = each.vertex;
    PlanProblem::MemoryTerm term = {false,     graph.leadOf(v),
                                    nullptr,   each.first,
                                    each.last, heldTensor(graph, each)};
    switch (each.of) {
    case Of::Home:
    case Of::CombinedHome:
    case Of::Combined: // Right into the home, or where the nest wrote.
      term.bytes =
          homeBytes(v, /*onlyCombined=*/each.of != Of::Home, isCertain);
      break;
    case Of::Written:
    case Of::Partial:
      term.bytes = writtenBytes(v, each.of == Of::Partial);
      break;
    case Of::Operand:
      term.bytes = largestOperandBytes(
          v, graph.vertices[v].operands[each.operand].producer);
      break;
    case Of::Fetched: {
      llvm::ArrayRef<PlanOperand> operands = graph.vertices[v].operands;
      unsigned producer = operands[each.operand].producer;
      term.ofEdge = true;
      term.owner = edgeOf[v][each.operand];
      if (!isCertain) {
        term.bytes = copiedBytes(v, each.operand);
        break;
      }
      // What several operands of a result are read from may be its home.
      if (!graph.vertices[producer].isGivenAtHome() &&
          llvm::any_of(operands.take_front(each.operand),
                       [&](const PlanOperand &other) {
                         return other.producer == producer;
                       }))
        continue;
      term.bytes = fetchedBytes(v, each.operand,
                                !graph.vertices[producer].isGivenAtHome() &&
                                    homeEnds[producer] >= each.first);
      break;
    }
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

void MemoryTerms::add() {
  unsigned edges = 0;
  edgeOf.resize(graph.vertices.size());
  leastReads.resize(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    for (const PlanOperand &operand : graph.vertices[v].operands)
      edgeOf[v].push_back(graph.vertices[operand.producer].storedFor ? ~0u
                                                                     : edges++);
  problem.memory = termsOf(certainBytes(graph), /*isCertain=*/true);
  problem.expected = termsOf(expectedBytes(graph), /*isCertain=*/false);
}

void cost::elements::limitPaperMemory(const PlanGraph &graph, int64_t limit,
                                      PlanProblem &problem) {
  problem.memoryLimit = limit;
  if (limit > 0 && !graph.vertices.empty())
    MemoryTerms(graph, problem).add();
}
