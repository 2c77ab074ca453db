//===- SecondsModel.cpp - The cost model `spmd` ---------------------------===//

#include "tapestry/Planner/Cost/Seconds/SpmdCost.h"
#include "tapestry/Planner/Cost/Seconds/SpmdProblem.h"
#include "tapestry/Planner/Cost/Seconds/SpmdRelaxation.h"
#include "tapestry/Planner/Model/CutEnumerator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tapestry;
using namespace tapestry::cost;
using namespace tapestry::cost::seconds;
using namespace tapestry::layout;
using namespace tapestry::machine;
using namespace tapestry::model;
using namespace tapestry::optimize;

namespace {

class SecondsProblem : public ModelProblem {
public:
  SecondsProblem(const CostContext &context, SpmdProblem built)
      : context(context), built(std::move(built)) {}

  const PlanProblem &problem() const override { return built.problem; }
  bool isComplete() const override { return built.isComplete; }
  llvm::Expected<Decision>
  decode(llvm::ArrayRef<uint32_t> choice) const override {
    return Decision{{}, built.placementOf(choice).vertices};
  }
  double penalty(llvm::ArrayRef<uint32_t> choice) const override {
    return built.penalty(choice);
  }
  std::vector<Builder> others() const override;
  std::optional<unsigned> variableOf(unsigned vertex) const override {
    // A companion's lead is explained.
    return context.graph.vertices[vertex].cutAs
               ? std::nullopt
               : built.variables()[vertex].work;
  }
  PartVector partsOf(unsigned vertex, uint32_t choice) const override {
    PartVector parts;
    for (const Cut &cut : built.partitionsOf(vertex)[choice].cuts)
      parts.push_back(tapestry::partsOf(context.grid, cut));
    return parts;
  }
  std::vector<std::optional<uint32_t>>
  choicesOf(const DecidedPlan &plan) const override;

private:
  CostContext context;
  SpmdProblem built;
};

class SecondsModel : public CostModel {
public:
  llvm::StringRef name() const override { return "spmd"; }
  llvm::StringRef unit() const override { return "seconds"; }
  llvm::ArrayRef<CostComponent> components() const override {
    // The keys are those of version 1 of plan.json.
    static constexpr CostComponent list[] = {{"join", "work"},
                                             {"aggregate", "aggregate"},
                                             {"repartition", "repartition"}};
    return list;
  }
  bool isWhole() const override { return false; }
  std::string format(double cost) const override {
    return cost == 0 ? "0" : llvm::formatv("{0:e5}", cost).str();
  }

  bool needsMachine() const override { return true; }
  bool mayIdle() const override { return true; }
  bool decidesHomes() const override { return true; }

  llvm::Expected<std::unique_ptr<ModelProblem>>
  buildProblem(const CostContext &context, int64_t memoryLimit) const override {
    SpmdOptions options;
    options.memoryLimit = memoryLimit;
    return build(context, options);
  }
  static llvm::Expected<std::unique_ptr<ModelProblem>>
  build(const CostContext &context, const SpmdOptions &options) {
    auto problem =
        buildSpmdProblem(context.graph, context.grid, context.machine, options);
    if (!problem)
      return problem.takeError();
    return std::make_unique<SecondsProblem>(context, std::move(*problem));
  }

  double independentBound(const PlanGraph &graph, const Machine &machine,
                          int64_t devices) const override {
    return independentSeconds(graph, machine, devices);
  }
  double lowerBound(const CostContext &context, Effort effort,
                    double enough) const override {
    RelaxationOptions options;
    if (effort == Effort::Little) {
      options.rounds = 2;
      options.mostChoices = 3000;
    }
    return spmdLowerBound(context.graph, context.grid, context.machine, enough,
                          options);
  }

  std::vector<VertexCost> price(const DecidedPlan &plan) const override {
    return spmdCosts(plan.context.graph, plan.context.grid,
                     plan.context.machine, plan.placement);
  }
  std::vector<VertexCost> recount(const DecidedPlan &plan) const override {
    return recountSpmd(plan);
  }
};

} // namespace

const CostModel &cost::seconds::secondsModel() {
  static const SecondsModel model;
  return model;
}

/// Those that merge axes in other ways.
std::vector<ModelProblem::Builder> SecondsProblem::others() const {
  std::vector<Builder> builders;
  if (built.isComplete)
    return builders;
  SpmdOptions options;
  options.memoryLimit = built.problem.memoryLimit;
  for (std::vector<Cut> &groups : otherGroupings(context.grid, built.groups)) {
    options.groups = std::move(groups);
    builders.push_back(
        [this, options] { return SecondsModel::build(context, options); });
  }
  return builders;
}

std::vector<std::optional<uint32_t>>
SecondsProblem::choicesOf(const DecidedPlan &plan) const {
  auto indexOf = [](const auto &list,
                    const auto &entry) -> std::optional<uint32_t> {
    for (const auto &[number, known] : llvm::enumerate(list))
      if (known == entry)
        return number;
    return std::nullopt;
  };
  std::vector<std::optional<uint32_t>> chosen(built.problem.variables.size());
  std::vector<bool> isKnown(chosen.size(), false);
  for (unsigned v = 0; v < context.graph.vertices.size(); ++v) {
    auto [work, home] = built.variables()[v];
    const VertexPlacement &placed = plan.placement.vertices[v];
    if (work && placed.partition)
      chosen[*work] = indexOf(built.partitionsOf(v), *placed.partition);
    if (!home)
      continue;
    std::optional<uint32_t> own = indexOf(built.homesOf(v), placed.home);
    // Members of a layout group share a variable: they may disagree.
    std::optional<uint32_t> &known = chosen[*home];
    known = isKnown[*home] && known != own ? std::nullopt : own;
    isKnown[*home] = true;
  }
  return chosen;
}
