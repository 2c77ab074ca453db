//===- ReplayPlanFile.cpp - The graph that a plan file is of --------------===//

#include "ReplayPlanFile.h"
#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"

using namespace mlir;
using namespace tapestry;

namespace {
struct ReplayPlanFile
    : public PassWrapper<ReplayPlanFile, OperationPass<teg::GraphOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReplayPlanFile)

  explicit ReplayPlanFile(const plan::PlanRequest &request)
      : request(request) {}

  StringRef getName() const override { return "ReplayPlanFile"; }

  void runOnOperation() override {
    teg::GraphOp graph = getOperation();
    OwningOpRef<teg::GraphOp> before(cast<teg::GraphOp>(graph->clone()));
    llvm::Error error = teg::replayPlanFile(graph, request);
    if (!error)
      return;
    llvm::consumeError(std::move(error));
    graph.getBody().takeBody(before->getBody());
    graph->setAttrs(before->getOperation()->getAttrDictionary());
  }

  plan::PlanRequest request;
};
} // namespace

std::unique_ptr<Pass>
tapestry::createReplayPlanFile(const plan::PlanRequest &request) {
  return std::make_unique<ReplayPlanFile>(request);
}
