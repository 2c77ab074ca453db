//===- ExpandOperators.cpp - The pass that expands operators --------------===//

#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/PlanCost.h"
#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYEXPAND
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::plan;
using namespace tapestry::teg;

namespace {
struct TapestryExpand : teg::impl::TapestryExpandBase<TapestryExpand> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    addRuleDialects(registry);
  }

  void runOnOperation() override {
    PlanRequest request =
        pricedPlan(devices, grid, cost, machine, threads, solver, mostWork);
    // A price that cannot be told is none; what is wrong here is the user's.
    if (auto asked = resolveRequest(request); !asked) {
      emitPlanError(getOperation().getLoc(), asked.takeError());
      return signalPassFailure();
    }
    auto price = [&](GraphOp graph) { return planCost(graph, request); };
    bool isPriced = devices > 1 || !grid.empty();
    auto done = expandOperators(getOperation(), llvm::to_vector(prefer),
                                isPriced ? GraphPrice(price) : nullptr);
    if (!done) {
      emitPlanError(getOperation().getLoc(), done.takeError());
      return signalPassFailure();
    }
    numExpanded += done->size();
    if (done->empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
