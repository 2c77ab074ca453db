//===- Prune.cpp - Erases what no root of visibility observes -------------===//

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYPRUNE
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry::teg;

namespace {

struct TapestryPrunePass
    : public tapestry::teg::impl::TapestryPruneBase<TapestryPrunePass> {
  void runOnOperation() override {
    // Uses follow definitions in a graph, so going backwards an op is visible
    // exactly if a use of it is left.
    Block &body = getOperation().getBody().front();
    bool changed = false;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
      if (!isOpTriviallyDead(&op))
        continue;
      op.erase();
      ++numErased;
      changed = true;
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
