//===- ChoosePhases.cpp - Windows in phases where plans are cheaper -------===//

#include "RewriteKinds.h"
#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/PlanCost.h"
#include <map>

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYCHOOSEPHASES
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::plan;
using namespace tapestry::teg;

/// The rewrites that are planned at most, each time one is taken: a plan takes
/// as long as all that is done otherwise.
static constexpr size_t mostPriced = 4;
/// What moves cost of a plan for which others are tried, at least. A rewrite
/// saves moves alone, and makes copies.
static constexpr double leastMoved = 0.1;

namespace {
struct TapestryChoosePhases
    : teg::impl::TapestryChoosePhasesBase<TapestryChoosePhases> {
  using Base::Base;

  void runOnOperation() override;
};
} // namespace

/// Those that take most einsums along: chains are what it pays for.
static std::vector<Rewrite> listPhases(GraphOp graph) {
  std::vector<Rewrite> rewrites;
  for (auto op : operationsOf<EinsumOp>(graph))
    phaseKind.list(op, rewrites);
  std::multimap<size_t, Rewrite *, std::greater<>> byLength;
  for (Rewrite &rewrite : rewrites)
    byLength.insert({rewrite.arguments.size(), &rewrite});
  std::vector<Rewrite> longest;
  for (auto &[length, rewrite] : byLength)
    if (longest.size() < mostPriced)
      longest.push_back(std::move(*rewrite));
  return longest;
}

namespace {
/// What a plan costs, and what of it is for moves.
struct PlanPrice {
  double cost = 0;
  double moved = 0;
};
} // namespace

/// What the plan of a copy costs; nothing where there is none.
static std::optional<PlanPrice>
priceOf(GraphOp graph, ArrayRef<Rewrite> rewrites, const PlanRequest &request) {
  OwningOpRef<GraphOp> copy(cast<GraphOp>(graph->clone()));
  if (llvm::Error error = applyRewrites(*copy, rewrites)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  llvm::Expected<PartitionedGraph> planned = partitionGraph(*copy, request);
  if (!planned) {
    llvm::consumeError(planned.takeError());
    return std::nullopt;
  }
  PlanPrice price{planned->plan.cost};
  for (const PlannedVertex &vertex : planned->plan.vertices)
    // The first component is what is computed, or read for that.
    for (double component : llvm::drop_begin(vertex.cost.components))
      price.moved += component;
  return price;
}

/// The rewrite by which the plan costs least, if that is less than `cost`,
/// which is then what it costs.
static std::optional<Rewrite>
cheapest(GraphOp graph, const PlanRequest &request, double &cost) {
  std::optional<Rewrite> found;
  for (Rewrite &rewrite : listPhases(graph))
    if (auto price = priceOf(graph, rewrite, request);
        price && price->cost < cost) {
      cost = price->cost;
      found = std::move(rewrite);
    }
  return found;
}

void TapestryChoosePhases::runOnOperation() {
  GraphOp graph = getOperation();
  PlanRequest request =
      pricedPlan(devices, grid, cost, machine, threads, solver, mostWork);
  if (auto asked = resolveRequest(request); !asked) {
    emitPlanError(graph.getLoc(), asked.takeError());
    return signalPassFailure();
  }
  if ((devices <= 1 && grid.empty()) || listPhases(graph).empty())
    return markAllAnalysesPreserved();
  // What is wrong with the graph its planning will say.
  std::optional<PlanPrice> price = priceOf(graph, {}, request);
  if (!price || price->moved < leastMoved * price->cost)
    return;
  while (auto rewrite = cheapest(graph, request, price->cost)) {
    llvm::cantFail(applyRewrites(graph, *rewrite));
    ++numPhased;
  }
}
