//===- ChoosePhases.cpp - Windows in phases where plans are cheaper -------===//

#include "RewriteKinds.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/PlanCost.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYCHOOSEPHASES
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::teg;

/// The rewrites that are planned at most, each time one is taken.
static constexpr size_t mostPriced = 32;

namespace {
struct TapestryChoosePhases
    : teg::impl::TapestryChoosePhasesBase<TapestryChoosePhases> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

/// Chains come first: they are what it pays for.
static std::vector<Rewrite> listPhases(GraphOp graph) {
  std::vector<Rewrite> rewrites, chains, others;
  for (auto op : operationsOf<EinsumOp>(graph))
    phaseKind.list(op, rewrites);
  for (Rewrite &rewrite : rewrites)
    (rewrite.arguments.size() > 2 ? chains : others)
        .push_back(std::move(rewrite));
  llvm::append_range(chains, others);
  chains.resize(std::min(chains.size(), mostPriced));
  return chains;
}

/// What the plan of a copy costs; nothing where there is none.
static std::optional<double> costOf(GraphOp graph, ArrayRef<Rewrite> rewrites,
                                    const PlanRequest &request) {
  OwningOpRef<GraphOp> copy(cast<GraphOp>(graph->clone()));
  if (llvm::Error error = applyRewrites(*copy, rewrites)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  llvm::Expected<double> cost = planCost(*copy, request);
  if (cost)
    return *cost;
  llvm::consumeError(cost.takeError());
  return std::nullopt;
}

/// The rewrite by which the plan costs least, if that is less than `cost`,
/// which is then what it costs.
static std::optional<Rewrite>
cheapest(GraphOp graph, const PlanRequest &request, double &cost) {
  std::optional<Rewrite> found;
  for (Rewrite &rewrite : listPhases(graph))
    if (auto price = costOf(graph, rewrite, request); price && *price < cost) {
      cost = *price;
      found = std::move(rewrite);
    }
  return found;
}

void TapestryChoosePhases::runOnOperation() {
  GraphOp graph = getOperation();
  PlanRequest request =
      pricedPlan(devices, grid, cost, machine, threads, solver);
  if (auto asked = resolveRequest(request); !asked) {
    emitPlanError(graph.getLoc(), asked.takeError());
    return signalPassFailure();
  }
  if ((devices <= 1 && grid.empty()) || listPhases(graph).empty())
    return markAllAnalysesPreserved();
  // What is wrong with the graph its planning will say.
  std::optional<double> price = costOf(graph, {}, request);
  if (!price)
    return;
  while (auto rewrite = cheapest(graph, request, *price)) {
    llvm::cantFail(applyRewrites(graph, *rewrite));
    ++numPhased;
  }
}
