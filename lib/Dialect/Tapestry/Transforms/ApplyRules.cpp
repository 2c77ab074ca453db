//===- ApplyRules.cpp - The pass that applies rules to a fixed point ------===//

#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYAPPLYRULES
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {
struct TapestryApplyRules
    : teg::impl::TapestryApplyRulesBase<TapestryApplyRules> {
  using Base::Base;

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    addRuleDialects(registry);
  }

  void runOnOperation() override {
    auto done = applyRules(getOperation(), llvm::to_vector(rules), most);
    if (!done) {
      emitPlanError(getOperation().getLoc(), done.takeError());
      return signalPassFailure();
    }
    numApplied += done->size();
  }
};
} // namespace
