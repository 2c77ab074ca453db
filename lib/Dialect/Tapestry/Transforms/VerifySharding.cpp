//===- VerifySharding.cpp - Proves a graph to be a sharding of another ----===//

#include "ShardingProof.h"
#include "mlir/Parser/Parser.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Support/Counted.h"

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
    OwningOpRef<ModuleOp> file;
    if (!wholeFile.empty()) {
      file = parseSourceFile<ModuleOp>(wholeFile, &getContext());
      if (!file)
        return signalPassFailure();
    }
    GraphOp first = find(file ? *file : getOperation(), whole, 0);
    GraphOp second = find(getOperation(), sharded, file ? 0 : 1);
    if (!first || !second)
      return signalPassFailure();
    OwningOpRef<GraphOp> copy = second.clone();
    FailureOr<int64_t> proved = proveSharding(first, *copy);
    if (failed(proved))
      return signalPassFailure();
    numShards += *proved;
  }

private:
  /// The graph of this name or, without one, at this place.
  GraphOp find(ModuleOp module, StringRef name, size_t place) {
    auto graphs = llvm::to_vector(module.getOps<GraphOp>());
    if (name.empty() && place < graphs.size())
      return graphs[place];
    for (GraphOp graph : graphs)
      if (!name.empty() && graph.getSymName() == name)
        return graph;
    auto diagnostic = module.emitError();
    if (!name.empty())
      diagnostic << "the module has no graph @" << name;
    else if (!wholeFile.empty())
      diagnostic << "the module has no graph";
    else
      diagnostic << "the module has "
                 << tapestry::countOf(graphs.size(), "graph")
                 << ", expected a whole one and its sharding (or "
                    "whole-file=, where the whole one is in another file)";
    return {};
  }
};
} // namespace
