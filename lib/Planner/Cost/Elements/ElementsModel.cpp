//===- ElementsModel.cpp - The cost model `paper` -------------------------===//

#include "tapestry/Planner/Cost/Elements/PaperCost.h"
#include "tapestry/Planner/Cost/Elements/PaperProblem.h"
#include "tapestry/Planner/Model/Constraints.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::elements;
using namespace tapestry::model;
using namespace tapestry::optimize;

namespace {

/// Variable v is vertex v.
class ElementsProblem : public ModelProblem {
public:
  ElementsProblem(const CostContext &context, PlanProblem built)
      : graph(context.graph), grid(context.grid), built(std::move(built)) {}

  const PlanProblem &problem() const override { return built; }
  llvm::Expected<Decision>
  decode(llvm::ArrayRef<uint32_t> choice) const override;
  double penalty(llvm::ArrayRef<uint32_t> choice) const override {
    return paperPenalty(graph, grid, partsOfSolution(graph, built, choice));
  }
  std::optional<unsigned> variableOf(unsigned vertex) const override {
    // A companion's lead is explained.
    if (graph.vertices[vertex].storedFor || graph.vertices[vertex].cutAs)
      return std::nullopt;
    return vertex;
  }
  PartVector partsOf(unsigned vertex, uint32_t choice) const override {
    return (*built.variables[vertex].choices)[choice];
  }
  std::vector<std::optional<uint32_t>>
  choicesOf(const DecidedPlan &plan) const override;
  double forbidding() const override;

private:
  const PlanGraph &graph;
  const DeviceGrid &grid;
  PlanProblem built;
};

class ElementsModel : public CostModel {
public:
  llvm::StringRef name() const override { return "paper"; }
  llvm::StringRef unit() const override { return "elements"; }
  llvm::ArrayRef<CostComponent> components() const override {
    static constexpr CostComponent list[] = {{"join", "join"},
                                             {"aggregate", "aggregate"},
                                             {"repartition", "repartition"}};
    return list;
  }
  bool decidesHomes() const override { return false; }

  llvm::Expected<std::unique_ptr<ModelProblem>>
  buildProblem(const CostContext &context, int64_t memoryLimit) const override {
    auto problem = buildPaperProblem(context.graph, context.grid);
    if (!problem)
      return problem.takeError();
    limitPaperMemory(context.graph, memoryLimit, *problem);
    return std::make_unique<ElementsProblem>(context, std::move(*problem));
  }

  std::vector<VertexCost> price(const DecidedPlan &plan) const override {
    return paperCosts(plan.context.graph, plan.parts);
  }
  std::vector<VertexCost> recount(const DecidedPlan &plan) const override {
    return recountPaper(plan);
  }
  double boundVertex(const PlanGraph &graph, unsigned vertex,
                     llvm::ArrayRef<int64_t> parts) const override {
    return paperVertexBound(graph, graph.vertices[vertex], parts);
  }
};

} // namespace

const CostModel &cost::elements::elementsModel() {
  static const ElementsModel model;
  return model;
}

/// A solver that finds nothing better lets members of a group differ.
static llvm::Error checkGroups(const PlanGraph &graph,
                               llvm::ArrayRef<PartVector> parts) {
  auto resultParts = [&](unsigned v) {
    PartVector result;
    for (const ProjectionDim &dim : graph.vertices[v].output.dims)
      result.push_back(dim.terms.empty() ? 1 : parts[v][dim.terms[0].dim]);
    return result;
  };
  for (const std::vector<unsigned> &members : layoutGroups(graph))
    for (unsigned i = 1; i < members.size(); ++i) {
      const PlanVertex &a = graph.vertices[members[i - 1]];
      const PlanVertex &b = graph.vertices[members[i]];
      PartVector partsA = resultParts(members[i - 1]);
      PartVector partsB = resultParts(members[i]);
      if (partsA != partsB)
        return layoutGroupError(
            b, planError("no viable partitions give '", a.name, "' and '",
                         b.name, "' equal layouts; the nearest plan has ",
                         partsToString(partsA), " and ", partsToString(partsB),
                         " parts"));
    }
  return llvm::Error::success();
}

llvm::Expected<Decision>
ElementsProblem::decode(llvm::ArrayRef<uint32_t> choice) const {
  Decision decision;
  decision.parts = partsOfSolution(graph, built, choice);
  if (llvm::Error error = checkGroups(graph, decision.parts))
    return std::move(error);
  return decision;
}

std::vector<std::optional<uint32_t>>
ElementsProblem::choicesOf(const DecidedPlan &plan) const {
  std::vector<std::optional<uint32_t>> chosen;
  for (unsigned v = 0; v < graph.vertices.size(); ++v) {
    const std::vector<PartVector> &choices = *built.variables[v].choices;
    auto it = llvm::find(choices, plan.parts[v]);
    if (graph.vertices[v].storedFor || graph.vertices[v].cutAs)
      chosen.push_back(0);
    else if (it != choices.end())
      chosen.push_back(it - choices.begin());
    else
      chosen.push_back(std::nullopt);
  }
  return chosen;
}

/// Groups forbid by the largest entry of all, twice what a plan may cost.
double ElementsProblem::forbidding() const {
  double least = ModelProblem::forbidding();
  if (layoutGroups(graph).empty())
    return least;
  for (const PlanProblem::Edge &edge : built.edges)
    for (double value : edge.table->values)
      if (value >= forbiddenCost)
        least = std::isinf(least) ? value / 2 : std::max(least, value / 2);
  return least;
}
