//===- Partition.cpp - The pass that cuts a graph over devices ------------===//

#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/RewriteRules.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYPARTITION
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::plan;
using namespace tapestry::teg;

namespace {
struct TapestryPartition : teg::impl::TapestryPartitionBase<TapestryPartition> {
  using Base::Base;
  TapestryPartition(const PlanRequest &request, PeakFinder findPeak,
                    void (*addDialects)(DialectRegistry &))
      : request(request), findPeak(std::move(findPeak)),
        addDialects(addDialects) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    Base::getDependentDialects(registry);
    addRuleDialects(registry);
    if (addDialects)
      addDialects(registry);
  }

  void runOnOperation() override {
    PlanRequest wanted = request;
    llvm::Error error = readOptions(wanted);
    if (error)
      return fail(std::move(error));
    wanted.fillIn();
    llvm::Expected<PartitionedGraph> partitioned =
        partitionGraph(getOperation(), wanted, findPeak);
    if (!partitioned)
      return fail(partitioned.takeError());
    numVertices += partitioned->plan.vertices.size();
    numCollectives += partitioned->plan.placement.collectives.size();
  }

private:
  /// What the pass' own options say comes before `request`.
  llvm::Error readOptions(PlanRequest &wanted) {
    const std::pair<StringRef, const Option<std::string> &> own[] = {
        {"devices", devices}, {"grid", grid},     {"machine", machine},
        {"threads", threads}, {"solver", solver}, {"cost", cost},
        {"memory", memory},   {"plan", plan},
    };
    for (const PlanOption &option : planOptions())
      for (const auto &[name, value] : own)
        if (option.name == name && !value.getValue().empty())
          if (llvm::Error error = option.set(wanted, value.getValue()))
            return error;
    return llvm::Error::success();
  }

  void fail(llvm::Error error) {
    // At the place alone: printing the whole graph would bury the message.
    emitPlanError(getOperation().getLoc(), std::move(error));
    signalPassFailure();
  }

  PlanRequest request;
  PeakFinder findPeak;
  void (*addDialects)(DialectRegistry &) = nullptr;
};
} // namespace

std::unique_ptr<Pass>
tapestry::teg::createPartitionPass(const PlanRequest &request,
                                   PeakFinder findPeak,
                                   void (*addDialects)(DialectRegistry &)) {
  return std::make_unique<TapestryPartition>(request, std::move(findPeak),
                                             addDialects);
}
