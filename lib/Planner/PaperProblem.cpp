//===- PaperProblem.cpp - From a graph to the paper's problem -------------===//
//
// Vertices of the same form (extents, projections, operand shapes) share their
// choices, costs and interface classes, and edges between the same lists of
// layouts share their table, so that a model of many equal layers costs hardly
// more to set up than one layer.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/PaperCost.h"
#include "tapestry/Planner/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <set>

using namespace tapestry;

namespace {

/// The layouts of a tensor that the choices of one vertex lead to.
struct Interface {
  SharedClasses classes;
  /// The layout of every class.
  std::vector<TensorParts> layouts;
  /// Stands for `layouts`: equal lists have equal numbers.
  unsigned layoutsId = 0;
};

/// What vertices of the same form have in common.
struct VertexForm {
  SharedChoices choices;
  SharedCosts costs;
  Interface output;
  std::vector<Interface> operands;
};

class Builder {
public:
  Builder(const PlanGraph &graph, int64_t devices)
      : graph(graph), devices(devices), uses(graph.uses()) {}

  llvm::Expected<PlanProblem> build();

private:
  llvm::Expected<const VertexForm *> formOf(const PlanVertex &vertex);
  const VertexForm *formOfSharedInput(unsigned input);
  llvm::Expected<std::shared_ptr<VertexForm>>
  makeForm(const PlanVertex &vertex);
  Interface interfaceOf(const PlanVertex &vertex,
                        const std::vector<PartVector> &choices,
                        const Projection &projection,
                        llvm::ArrayRef<int64_t> shape);
  SharedTable tableOf(const Interface &from, const Interface &to);

  const PlanGraph &graph;
  int64_t devices;
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  llvm::StringMap<std::shared_ptr<VertexForm>> forms;
  std::vector<const VertexForm *> formOfVertex;
  std::map<std::vector<TensorParts>, unsigned> layoutIds;
  std::map<std::vector<uint32_t>, SharedClasses> classMaps;
  std::map<std::pair<unsigned, unsigned>, SharedTable> tables;
};

} // namespace

static void describe(llvm::raw_ostream &os, const Projection &projection) {
  for (const ProjectionDim &dim : projection.dims) {
    os << "|" << dim.constant << "," << dim.size << "," << dim.stride;
    for (const AffineTerm &term : dim.terms)
      os << ";" << term.dim << "*" << term.coefficient;
  }
}

static void describe(llvm::raw_ostream &os, llvm::ArrayRef<int64_t> numbers) {
  for (int64_t number : numbers)
    os << number << ",";
}

Interface Builder::interfaceOf(const PlanVertex &vertex,
                               const std::vector<PartVector> &choices,
                               const Projection &projection,
                               llvm::ArrayRef<int64_t> shape) {
  Interface result;
  ClassMap map;
  std::map<TensorParts, uint32_t> numbers;
  llvm::SmallVector<int64_t, 4> extents = vertex.extents();
  for (const PartVector &parts : choices) {
    TensorParts layout = projectedParts(projection, extents, parts, shape);
    auto [it, isNew] = numbers.try_emplace(layout, numbers.size());
    if (isNew)
      result.layouts.push_back(layout);
    map.classOf.push_back(it->second);
  }
  map.numClasses = result.layouts.size();
  SharedClasses &shared = classMaps[map.classOf];
  if (!shared)
    shared = std::make_shared<const ClassMap>(std::move(map));
  result.classes = shared;
  result.layoutsId =
      layoutIds.try_emplace(result.layouts, layoutIds.size()).first->second;
  return result;
}

llvm::Expected<std::shared_ptr<VertexForm>>
Builder::makeForm(const PlanVertex &vertex) {
  llvm::SmallVector<int64_t, 4> extents = vertex.extents();
  double count = countViablePartitions(extents, devices);
  if (count > maxChoicesPerVariable)
    return planError("vertex '", vertex.name, "' has ",
                     llvm::format("%.0f", count), " viable partitions for ",
                     devices, " devices, the most that can be planned is ",
                     maxChoicesPerVariable);
  auto form = std::make_shared<VertexForm>();
  std::vector<PartVector> choices = viablePartitions(extents, devices);
  std::vector<double> costs;
  for (const PartVector &parts : choices)
    costs.push_back(joinCost(graph, vertex, parts) +
                    aggregateCost(vertex, parts));
  form->output = interfaceOf(vertex, choices, vertex.output, vertex.shape);
  for (const PlanOperand &operand : vertex.operands)
    form->operands.push_back(
        interfaceOf(vertex, choices, operand.projection,
                    graph.vertices[operand.producer].shape));
  form->choices =
      std::make_shared<const std::vector<PartVector>>(std::move(choices));
  form->costs = std::make_shared<const std::vector<double>>(std::move(costs));
  return form;
}

llvm::Expected<const VertexForm *> Builder::formOf(const PlanVertex &vertex) {
  llvm::SmallString<256> key;
  llvm::raw_svector_ostream os(key);
  describe(os, vertex.extents());
  describe(os, vertex.output);
  for (const PlanOperand &operand : vertex.operands) {
    os << "<";
    describe(os, graph.vertices[operand.producer].shape);
    describe(os, operand.projection);
  }
  std::shared_ptr<VertexForm> &form = forms[key];
  if (!form) {
    auto made = makeForm(vertex);
    if (!made)
      return made.takeError();
    form = *made;
  }
  return form.get();
}

/// The form of an input that is not stored as its consumer wants it: every cut
/// into plain blocks whose counts a viable partition of a consumer asks for.
/// Counts that no assignment of devices to dimensions can give (a diagonal read
/// cuts two dimensions by one label) are left out.
const VertexForm *Builder::formOfSharedInput(unsigned input) {
  const PlanVertex &vertex = graph.vertices[input];
  std::set<PartVector, std::greater<PartVector>> wanted;
  if (uses[input].size() > 1) {
    for (const PlanUse &use : uses[input])
      for (const TensorParts &layout :
           formOfVertex[use.vertex]->operands[use.operand].layouts) {
        PartVector parts;
        int64_t product = 1;
        bool isPossible = true;
        for (auto [dim, extent] : llvm::zip_equal(layout, vertex.shape)) {
          parts.push_back(dim.count);
          product *= dim.count;
          isPossible &= dim.count <= extent && devices % product == 0;
        }
        if (isPossible)
          wanted.insert(parts);
      }
  }
  if (wanted.empty())
    wanted.insert(PartVector(vertex.shape.size(), 1));

  llvm::SmallString<256> key("input:");
  llvm::raw_svector_ostream os(key);
  describe(os, vertex.shape);
  for (const PartVector &parts : wanted) {
    os << "|";
    describe(os, parts);
  }
  std::shared_ptr<VertexForm> &form = forms[key];
  if (!form) {
    form = std::make_shared<VertexForm>();
    std::vector<PartVector> choices(wanted.begin(), wanted.end());
    form->output = interfaceOf(vertex, choices, vertex.output, vertex.shape);
    form->costs =
        std::make_shared<const std::vector<double>>(choices.size(), 0.0);
    form->choices =
        std::make_shared<const std::vector<PartVector>>(std::move(choices));
  }
  return form.get();
}

SharedTable Builder::tableOf(const Interface &from, const Interface &to) {
  SharedTable &shared = tables[{from.layoutsId, to.layoutsId}];
  if (shared)
    return shared;
  CostTable table;
  table.rows = from.layouts.size();
  table.columns = to.layouts.size();
  table.values.reserve(size_t(table.rows) * table.columns);
  for (const TensorParts &producer : from.layouts)
    for (const TensorParts &consumer : to.layouts)
      table.values.push_back(repartitionCost(producer, consumer));
  shared = std::make_shared<const CostTable>(std::move(table));
  return shared;
}

llvm::Expected<PlanProblem> Builder::build() {
  formOfVertex.resize(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (graph.vertices[v].isInput)
      continue;
    auto form = formOf(graph.vertices[v]);
    if (!form)
      return form.takeError();
    formOfVertex[v] = *form;
  }
  // What a shared input may choose depends on its consumers.
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (graph.vertices[v].isInput)
      formOfVertex[v] = formOfSharedInput(v);

  PlanProblem problem;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    const VertexForm &form = *formOfVertex[v];
    problem.variables.push_back(
        {vertex.name, form.choices, form.costs, !vertex.isInput});
    for (unsigned o = 0; o < vertex.operands.size(); ++o) {
      unsigned producer = vertex.operands[o].producer;
      if (isStoredAsConsumed(graph.vertices[producer], uses[producer]))
        continue;
      const Interface &from = formOfVertex[producer]->output;
      const Interface &to = form.operands[o];
      problem.edges.push_back(
          {producer, v, from.classes, to.classes, tableOf(from, to)});
    }
  }
  return problem;
}

llvm::Expected<PlanProblem> tapestry::buildPaperProblem(const PlanGraph &graph,
                                                        int64_t devices) {
  if (devices < 1)
    return planError("a plan for ", devices, " devices, the least is 1");
  return Builder(graph, devices).build();
}

PartVector tapestry::partsOfOperand(const PlanVertex &vertex, unsigned operand,
                                    llvm::ArrayRef<int64_t> parts) {
  PartVector result;
  for (const ProjectionDim &dim : vertex.operands[operand].projection.dims) {
    int64_t count = 1;
    for (const AffineTerm &term : dim.terms)
      count *= parts[term.dim];
    result.push_back(count);
  }
  return result;
}

std::vector<PartVector>
tapestry::partsOfSolution(const PlanGraph &graph, const PlanProblem &problem,
                          llvm::ArrayRef<uint32_t> choice) {
  std::vector<PartVector> parts;
  for (auto [variable, number] : llvm::zip_equal(problem.variables, choice))
    parts.push_back((*variable.choices)[number]);
  auto uses = graph.uses();
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (isStoredAsConsumed(graph.vertices[v], uses[v])) {
      PlanUse use = uses[v].front();
      parts[v] = partsOfOperand(graph.vertices[use.vertex], use.operand,
                                parts[use.vertex]);
    }
  return parts;
}
