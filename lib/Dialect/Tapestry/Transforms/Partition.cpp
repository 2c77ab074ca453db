//===- Partition.cpp - The pass that cuts a graph over devices ------------===//

#include "tapestry/Dialect/Tapestry/Transforms/PartitionGraph.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYPARTITION
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {
struct TapestryPartition : teg::impl::TapestryPartitionBase<TapestryPartition> {
  using Base::Base;

  void runOnOperation() override {
    PartitionRequest request;
    request.devices = devices;
    request.grid = grid;
    request.solver = solver;
    request.costModel = cost;
    request.planFile = plan;
    llvm::Expected<PartitionedGraph> partitioned =
        partitionGraph(getOperation(), request);
    if (!partitioned) {
      // At the place alone: printing the whole graph would bury the message.
      emitError(getOperation().getLoc())
          << llvm::toString(partitioned.takeError());
      return signalPassFailure();
    }
    numVertices += partitioned->plan.vertices.size();
    numCollectives += partitioned->plan.placement.collectives.size();
  }
};
} // namespace
