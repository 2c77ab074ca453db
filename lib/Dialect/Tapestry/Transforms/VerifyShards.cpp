//===- VerifyShards.cpp - Proves every op's shards ------------------------===//

#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
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
    if (failed(forEachVertex(getOperation(), [&](BlockOpInterface op) {
          return verify(op, grid);
        })))
      signalPassFailure();
  }

private:
  LogicalResult verify(BlockOpInterface op, index::GridAttr grid) {
    if (op.hasPartition() && !grid)
      return op->emitError() << "shards of \"" << op.getVertexName()
                             << "\": it has a partition, but the graph @"
                             << getOperation().getSymName() << " names no grid";
    DeviceGrid devices = grid ? grid.getDeviceGrid() : DeviceGrid();
    if (failed(verifyShards(op, devices)))
      return failure();
    numProved += op.hasPartition();
    for (unsigned result = 0; result < op->getNumResults(); ++result)
      numProved += op.getHomeLayout(result).has_value();
    return success();
  }
};

} // namespace
