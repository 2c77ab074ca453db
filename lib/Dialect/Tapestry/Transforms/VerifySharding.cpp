//===- VerifySharding.cpp - Proves a graph to be a sharding of another ----===//

#include "ShardingProof.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYVERIFYSHARDING
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry::teg;

namespace {
struct TapestryVerifySharding
    : tapestry::teg::impl::TapestryVerifyShardingBase<TapestryVerifySharding> {
  using Base::Base;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto graphs = llvm::to_vector(getOperation().getOps<GraphOp>());
    GraphOp first = find(graphs, whole, 0), second = find(graphs, sharded, 1);
    if (!first || !second)
      return signalPassFailure();
    FailureOr<int64_t> proved = proveSharding(first, second);
    if (failed(proved))
      return signalPassFailure();
    numShards += *proved;
  }

private:
  /// The graph of this name or, without one, at this place.
  GraphOp find(ArrayRef<GraphOp> graphs, StringRef name, size_t place) {
    if (name.empty() && place < graphs.size())
      return graphs[place];
    for (GraphOp graph : graphs)
      if (!name.empty() && graph.getSymName() == name)
        return graph;
    auto diagnostic = getOperation().emitError();
    if (name.empty())
      diagnostic << "the module has " << graphs.size()
                 << " graphs, expected a whole one and its sharding";
    else
      diagnostic << "the module has no graph @" << name;
    return {};
  }
};
} // namespace
