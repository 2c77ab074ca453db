//===- OrderContractions.cpp - Products of many tensors, two at a time ----===//

#include "RewriteKinds.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/PlanCost.h"
#include "llvm/Support/Debug.h"

#define DEBUG_TYPE "tapestry-order-contractions"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYORDERCONTRACTIONS
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::contraction;
using namespace tapestry::plan;
using namespace tapestry::teg;

namespace {
struct TapestryOrderContractions
    : teg::impl::TapestryOrderContractionsBase<TapestryOrderContractions> {
  using Base::Base;

  void runOnOperation() override;

private:
  /// Appends how `op` is to be computed if that is another way than now.
  llvm::Error order(EinsumOp op, std::vector<model::Rewrite> &rewrites);
  llvm::Expected<double> price(EinsumOp op, const ContractionTree &tree);

  OrderOptions options;
};
} // namespace

/// What the plan of a tree costs where its operands may lie as they like.
llvm::Expected<double>
TapestryOrderContractions::price(EinsumOp op, const ContractionTree &tree) {
  OwningOpRef<GraphOp> graph = isolate(op);
  if (llvm::Error error =
          applyInPlace(*graph, orderRewrite(op.getName(), tree)))
    return std::move(error);
  return planCost(*graph, pricedPlan(devices, grid, cost, machine, threads,
                                     solver, mostWork));
}

llvm::Error
TapestryOrderContractions::order(EinsumOp op,
                                 std::vector<model::Rewrite> &rewrites) {
  llvm::Expected<ProductSum> product = matchProductSum(op, op.getMonoid());
  if (!product) {
    std::string reason = llvm::toString(product.takeError());
    LLVM_DEBUG(llvm::dbgs() << op.getName() << ": " << reason << '\n');
    return llvm::Error::success();
  }
  if (product->factors.size() < 3)
    return llvm::Error::success();
  Contraction contraction = product->getContraction();
  options.price = [&](const ContractionTree &tree) { return price(op, tree); };
  llvm::Expected<ContractionTree> tree = orderContraction(contraction, options);
  if (!tree)
    return tree.takeError();
  if (tree->flops >= contraction.naiveFlops()) {
    LLVM_DEBUG(llvm::dbgs() << op.getName() << ": no tree takes less than the "
                            << contraction.naiveFlops() << " operations\n");
    return llvm::Error::success();
  }
  ++numOrdered;
  numSteps += tree->steps.size();
  rewrites.push_back(orderRewrite(op.getName(), *tree));
  return llvm::Error::success();
}

void TapestryOrderContractions::runOnOperation() {
  std::optional<OrderObjective> wanted = parseOrderObjective(objective);
  if (!wanted) {
    emitError(getOperation().getLoc())
        << "unknown objective '" << objective
        << "' of contraction orders; there are flops, peak and planned";
    return signalPassFailure();
  }
  options.objective = *wanted;
  // No choice depends on another.
  std::vector<model::Rewrite> rewrites;
  for (auto op : operationsOf<EinsumOp>(getOperation()))
    if (llvm::Error error = order(op, rewrites)) {
      emitPlanError(op->getLoc(), std::move(error));
      return signalPassFailure();
    }
  if (llvm::Error error = applyInPlace(getOperation(), rewrites)) {
    emitPlanError(getOperation().getLoc(), std::move(error));
    return signalPassFailure();
  }
}
