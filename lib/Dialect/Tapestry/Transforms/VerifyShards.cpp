//===- VerifyShards.cpp - Proves every op's shards ------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Dialect/Tapestry/Transforms/ShardCoverage.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYVERIFYSHARDS
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

struct TapestryVerifyShardsPass
    : public tapestry::teg::impl::TapestryVerifyShardsBase<
          TapestryVerifyShardsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    index::GridAttr grid = getOperation().getGridAttr();
    for (auto op : getOperation().getBody().getOps<BlockOpInterface>()) {
      if (op.hasPartition() && !grid) {
        op->emitError() << "shards of \"" << op.getVertexName()
                        << "\": it has a partition, but the graph @"
                        << getOperation().getSymName() << " names no grid";
        return signalPassFailure();
      }
      DeviceGrid devices = grid ? grid.getDeviceGrid() : DeviceGrid();
      if (failed(verifyShards(op, devices)))
        return signalPassFailure();
      numProved += op.hasPartition();
      for (unsigned result = 0; result < op->getNumResults(); ++result)
        numProved += op.getHomeLayout(result).has_value();
    }
  }
};

} // namespace
