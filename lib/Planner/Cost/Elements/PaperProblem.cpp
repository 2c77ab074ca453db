//===- PaperProblem.cpp - From a graph to the paper's problem -------------===//
//
// Vertices of the same form (extents, projections, operand shapes) share their
// choices, costs and interface classes, and edges between the same lists of
// layouts share their table, so that a model of many equal layers costs hardly
// more to set up than one layer.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "tapestry/Planner/Model/FormKey.h"
#include "tapestry/Support/Counted.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include <algorithm>
#include <map>
#include <set>

using namespace tapestry;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::optimize;

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
  /// The results of its companions.
  std::vector<Interface> companions;
};

class Builder {
public:
  Builder(const PlanGraph &graph, const DeviceGrid &grid)
      : graph(graph), grid(grid), devices(grid.numDevices()),
        uses(graph.uses()), groups(layoutGroups(graph)) {}

  llvm::Expected<PlanProblem> build();

private:
  llvm::Expected<const VertexForm *> formOf(unsigned v);
  llvm::Expected<const VertexForm *> formOfSharedInput(unsigned input);
  llvm::Expected<std::shared_ptr<VertexForm>>
  makeForm(unsigned v, const std::vector<PartVector> &demands);
  /// What the choices of a vertex, or of its lead, make of its result.
  const Interface &outputOf(unsigned v) const {
    unsigned lead = graph.leadOf(v);
    return v == lead ? formOfVertex[v]->output
                     : formOfVertex[lead]->companions[v - lead - 1];
  }
  llvm::Expected<std::vector<PartVector>> constraintsOf(unsigned v);
  std::vector<double> penaltiesOf(const PlanVertex &vertex,
                                  const std::vector<PartVector> &choices);
  /// Plain cuts of an input that its readers ask for.
  void addWanted(unsigned input, std::set<PartVector> &wanted);
  void addGroupEdges(PlanProblem &problem);
  Interface interfaceOf(const PlanVertex &vertex,
                        const std::vector<PartVector> &choices,
                        const Projection &projection,
                        llvm::ArrayRef<int64_t> shape,
                        llvm::ArrayRef<ZRange> guard = {});
  SharedTable tableOf(const Interface &from, const Interface &to,
                      int64_t trips);

  const PlanGraph &graph;
  const DeviceGrid &grid;
  int64_t devices;
  std::vector<llvm::SmallVector<PlanUse, 2>> uses;
  std::vector<std::vector<unsigned>> groups;
  llvm::StringMap<std::shared_ptr<VertexForm>> forms;
  std::vector<const VertexForm *> formOfVertex;
  std::map<std::vector<TensorParts>, unsigned> layoutIds;
  std::map<std::vector<uint32_t>, SharedClasses> classMaps;
  std::map<std::tuple<unsigned, unsigned, int64_t>, SharedTable> tables;
  std::map<std::pair<unsigned, unsigned>, SharedTable> equalities;
};

} // namespace

Interface Builder::interfaceOf(const PlanVertex &vertex,
                               const std::vector<PartVector> &choices,
                               const Projection &projection,
                               llvm::ArrayRef<int64_t> shape,
                               llvm::ArrayRef<ZRange> guard) {
  Interface result;
  ClassMap map;
  std::map<TensorParts, uint32_t> numbers;
  llvm::SmallVector<int64_t, 4> extents = vertex.extents();
  for (const PartVector &parts : choices) {
    TensorParts layout =
        projectedParts(projection, extents, parts, shape, guard);
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

/// The parts that constraints fix, then those that each preference fixes
/// besides; nothing for a vertex of which nothing is asked.
llvm::Expected<std::vector<PartVector>> Builder::constraintsOf(unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  llvm::ArrayRef<PlanVertex> companions = graph.companionsOf(v);
  std::vector<PartVector> demands;
  if (vertex.constraints.empty() &&
      llvm::all_of(companions, [](const PlanVertex &companion) {
        return companion.constraints.empty();
      }))
    return demands;
  auto hard = constrainedParts(vertex, grid, companions);
  if (!hard)
    return hard.takeError();
  demands.push_back(std::move(*hard));
  for (const auto *constraints :
       {&vertex.constraints.work, &vertex.constraints.home})
    for (const ShardingConstraint &constraint : *constraints)
      if (!constraint.isHard)
        if (auto parts = preferredParts(vertex, grid, constraint))
          demands.push_back(std::move(*parts));
  return demands;
}

std::vector<double>
Builder::penaltiesOf(const PlanVertex &vertex,
                     const std::vector<PartVector> &choices) {
  std::vector<double> penalties(choices.size(), 0.0);
  if (!vertex.constraints.empty())
    for (auto [penalty, parts] : llvm::zip_equal(penalties, choices))
      penalty = brokenPartsWeight(vertex, grid, parts) * preferenceUnit(vertex);
  return penalties;
}

static llvm::Error tooManyChoices(const PlanVertex &vertex, double count,
                                  int64_t devices) {
  return planError("vertex '", vertex.name, "' has ",
                   llvm::format("%.0f", count), " viable partitions for ",
                   countOf(devices, "device"),
                   ", the most that can be planned is ", maxChoicesPerVariable);
}

llvm::Expected<std::shared_ptr<VertexForm>>
Builder::makeForm(unsigned v, const std::vector<PartVector> &demands) {
  const PlanVertex &vertex = graph.vertices[v];
  llvm::SmallVector<int64_t, 4> extents = vertex.extents();
  std::vector<PartVector> choices;
  double count = 0;
  for (unsigned set = 0; set < std::max<size_t>(1, demands.size()); ++set) {
    llvm::ArrayRef<int64_t> fixed;
    if (!demands.empty())
      fixed = demands[set];
    count += countViablePartitions(extents, devices, fixed);
    if (count > maxChoicesPerVariable)
      return tooManyChoices(vertex, count, devices);
    for (PartVector &parts : viablePartitions(extents, devices, fixed))
      if (set == 0 || !llvm::is_contained(choices, parts))
        choices.push_back(std::move(parts));
  }
  auto form = std::make_shared<VertexForm>();
  std::vector<double> costs = penaltiesOf(vertex, choices);
  for (auto [cost, parts] : llvm::zip_equal(costs, choices))
    cost += joinCost(graph, vertex, parts) + aggregateCost(vertex, parts) +
            borderCost(vertex, parts);
  for (const PlanVertex &companion : graph.companionsOf(v)) {
    std::vector<double> penalties = penaltiesOf(companion, choices);
    for (auto [cost, parts, penalty] :
         llvm::zip_equal(costs, choices, penalties))
      cost += aggregateCost(companion, parts) + borderCost(companion, parts) +
              penalty;
    form->companions.push_back(
        interfaceOf(companion, choices, companion.output, companion.shape));
  }
  form->output = interfaceOf(vertex, choices, vertex.output, vertex.shape);
  for (const PlanOperand &operand : vertex.operands)
    form->operands.push_back(interfaceOf(vertex, choices, operand.projection,
                                         graph.vertices[operand.producer].shape,
                                         operand.guard));
  form->choices =
      std::make_shared<const std::vector<PartVector>>(std::move(choices));
  form->costs = std::make_shared<const std::vector<double>>(std::move(costs));
  return form;
}

llvm::Expected<const VertexForm *> Builder::formOf(unsigned v) {
  const PlanVertex &vertex = graph.vertices[v];
  auto demands = constraintsOf(v);
  if (!demands)
    return demands.takeError();
  llvm::SmallString<256> key;
  llvm::raw_svector_ostream os(key);
  describe(os, vertex.extents());
  describe(os, vertex.output);
  os << "t" << vertex.trips;
  for (const PlanOperand &operand : vertex.operands) {
    os << "<";
    describe(os, graph.vertices[operand.producer].shape);
    describe(os, operand);
  }
  for (const PlanVertex &companion : graph.companionsOf(v)) {
    os << "+";
    describe(os, companion.shape);
    describe(os, companion.output);
    describeConstraints(os, companion, ConstraintsOf::Preferences);
  }
  for (const PartVector &parts : *demands) {
    os << "@";
    describe(os, parts);
  }
  describeConstraints(os, vertex, ConstraintsOf::Preferences);
  std::shared_ptr<VertexForm> &form = forms[key];
  if (!form) {
    auto made = makeForm(v, *demands);
    if (!made)
      return made.takeError();
    form = *made;
  }
  return form.get();
}

/// Counts that no assignment of devices to dimensions can give (a diagonal read
/// cuts two dimensions by one label) are left out.
void Builder::addWanted(unsigned input, std::set<PartVector> &wanted) {
  const PlanVertex &vertex = graph.vertices[input];
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

/// The form of an input that is not stored as its consumer wants it: every cut
/// into plain blocks whose counts a viable partition of a consumer, or another
/// member of its layout group, asks for and its constraints admit, and the cuts
/// that constraints and preferences ask for.
llvm::Expected<const VertexForm *> Builder::formOfSharedInput(unsigned input) {
  const PlanVertex &vertex = graph.vertices[input];
  auto demands = constraintsOf(input);
  if (!demands)
    return demands.takeError();
  std::set<PartVector> all;
  if (uses[input].size() > 1 || !demands->empty())
    addWanted(input, all);
  for (const std::vector<unsigned> &members : groups)
    if (llvm::is_contained(members, input))
      for (unsigned member : members) {
        if (graph.vertices[member].isInput) {
          addWanted(member, all);
          continue;
        }
        for (const TensorParts &layout : formOfVertex[member]->output.layouts) {
          PartVector parts;
          for (const PartDim &dim : layout)
            parts.push_back(dim.count);
          all.insert(parts);
        }
      }
  std::set<PartVector, std::greater<PartVector>> wanted;
  auto isConstrained = [&](const PartVector &parts) {
    return llvm::all_of(llvm::zip_equal(demands->front(), parts),
                        [](auto entry) {
                          return std::get<0>(entry) == 0 ||
                                 std::get<0>(entry) == std::get<1>(entry);
                        });
  };
  for (const PartVector &parts : all)
    if (demands->empty() || isConstrained(parts))
      wanted.insert(parts);
  for (const PartVector &fixed : *demands) {
    double count = countViablePartitions(vertex.shape, devices, fixed);
    if (count > maxChoicesPerVariable)
      return tooManyChoices(vertex, count, devices);
    for (const PartVector &parts :
         viablePartitions(vertex.shape, devices, fixed))
      wanted.insert(parts);
    PartVector others = fixed;
    for (int64_t &count : others)
      count = std::max<int64_t>(count, 1);
    wanted.insert(others);
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
  describeConstraints(os, vertex, ConstraintsOf::Preferences);
  std::shared_ptr<VertexForm> &form = forms[key];
  if (!form) {
    form = std::make_shared<VertexForm>();
    std::vector<PartVector> choices(wanted.begin(), wanted.end());
    form->output = interfaceOf(vertex, choices, vertex.output, vertex.shape);
    std::vector<double> costs = penaltiesOf(vertex, choices);
    for (auto [cost, parts] : llvm::zip_equal(costs, choices))
      cost += borderCost(vertex, parts);
    form->costs = std::make_shared<const std::vector<double>>(std::move(costs));
    form->choices =
        std::make_shared<const std::vector<PartVector>>(std::move(choices));
  }
  return form.get();
}

/// A cost above any solution's, whatever its tensors' sizes.
static double costToForbid(const PlanProblem &problem) {
  auto largest = [](const std::vector<double> &values) {
    return values.empty() ? 0 : *llvm::max_element(values);
  };
  double sum = 0;
  for (const PlanProblem::Variable &variable : problem.variables)
    sum += largest(*variable.costs);
  for (const PlanProblem::Edge &edge : problem.edges)
    sum += largest(edge.table->values);
  return std::max(forbiddenCost, 2 * sum);
}

/// Neighbours in a layout group have equal layouts or pay more than anything
/// else could cost.
void Builder::addGroupEdges(PlanProblem &problem) {
  if (groups.empty())
    return;
  const double forbidding = costToForbid(problem);
  for (const std::vector<unsigned> &members : groups)
    for (unsigned i = 1; i < members.size(); ++i) {
      const Interface &from = formOfVertex[members[i - 1]]->output;
      const Interface &to = formOfVertex[members[i]]->output;
      SharedTable &shared = equalities[{from.layoutsId, to.layoutsId}];
      if (!shared) {
        CostTable table;
        table.rows = from.layouts.size();
        table.columns = to.layouts.size();
        for (const TensorParts &a : from.layouts)
          for (const TensorParts &b : to.layouts)
            table.values.push_back(a == b ? 0 : forbidding);
        shared = std::make_shared<const CostTable>(std::move(table));
      }
      problem.edges.push_back(
          {members[i - 1], members[i], from.classes, to.classes, shared});
    }
}

SharedTable Builder::tableOf(const Interface &from, const Interface &to,
                             int64_t trips) {
  SharedTable &shared = tables[{from.layoutsId, to.layoutsId, trips}];
  if (shared)
    return shared;
  CostTable table;
  table.rows = from.layouts.size();
  table.columns = to.layouts.size();
  table.values.reserve(size_t(table.rows) * table.columns);
  for (const TensorParts &producer : from.layouts)
    for (const TensorParts &consumer : to.layouts)
      table.values.push_back(trips * repartitionCost(producer, consumer));
  shared = std::make_shared<const CostTable>(std::move(table));
  return shared;
}

llvm::Expected<PlanProblem> Builder::build() {
  formOfVertex.resize(graph.vertices.size());
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    if (!graph.vertices[v].hasWork())
      continue;
    auto form = formOf(v);
    if (!form)
      return form.takeError();
    formOfVertex[v] = *form;
  }
  // What a shared input may choose depends on its consumers.
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    if (graph.vertices[v].isInput) {
      auto form = formOfSharedInput(v);
      if (!form)
        return form.takeError();
      formOfVertex[v] = *form;
    }

  PlanProblem problem;
  auto onlyChoice = std::make_shared<const std::vector<PartVector>>(1);
  auto noCost = std::make_shared<const std::vector<double>>(1, 0.0);
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const PlanVertex &vertex = graph.vertices[v];
    if (vertex.cutAs) {
      // Its lead chooses for it: what reads it is joined to the lead.
      problem.variables.push_back({vertex.name, onlyChoice, noCost, false});
      continue;
    }
    const VertexForm &form = *formOfVertex[v];
    problem.variables.push_back(
        {vertex.name, form.choices, form.costs, !vertex.isInput});
    for (unsigned o = 0; o < vertex.operands.size(); ++o) {
      unsigned producer = vertex.operands[o].producer;
      if (graph.vertices[producer].storedFor)
        continue;
      const Interface &from = outputOf(producer);
      const Interface &to = form.operands[o];
      problem.edges.push_back({graph.leadOf(producer), v, from.classes,
                               to.classes,
                               tableOf(from, to, vertex.operands[o].trips)});
    }
  }
  addGroupEdges(problem);
  return problem;
}

llvm::Expected<PlanProblem>
cost::elements::buildPaperProblem(const PlanGraph &graph,
                                  const DeviceGrid &grid) {
  if (llvm::Error error = checkConstraints(graph, grid))
    return std::move(error);
  return Builder(graph, grid).build();
}

llvm::Expected<PlanProblem>
cost::elements::buildPaperProblem(const PlanGraph &graph, int64_t devices) {
  if (devices < 1)
    return planError("a plan for ", devices, " devices, the least is 1");
  return buildPaperProblem(graph, DeviceGrid::ofPrimes(devices));
}

double cost::elements::paperPenalty(const PlanGraph &graph,
                                    const DeviceGrid &grid,
                                    llvm::ArrayRef<PartVector> parts) {
  double penalty = 0;
  for (auto [vertex, counts] : llvm::zip_equal(graph.vertices, parts))
    if (!vertex.constraints.empty())
      penalty +=
          brokenPartsWeight(vertex, grid, counts) * preferenceUnit(vertex);
  return penalty;
}

std::vector<PartVector>
cost::elements::partsOfSolution(const PlanGraph &graph,
                                const PlanProblem &problem,
                                llvm::ArrayRef<uint32_t> choice) {
  std::vector<PartVector> parts;
  for (auto [variable, number] : llvm::zip_equal(problem.variables, choice))
    parts.push_back((*variable.choices)[number]);
  for (unsigned v = 0; v < graph.vertices.size(); ++v)
    parts[v] = parts[graph.leadOf(v)];
  setStoredParts(graph, parts);
  return parts;
}
