//===- Prune.cpp - Erases what no root of visibility observes -------------===//

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYPRUNE
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry::teg;

/// Adds to the names that the graph has of erased sources.
static void recordUnread(GraphOp graph, ArrayRef<Attribute> erased) {
  SmallVector<Attribute> names;
  if (auto earlier = graph->getAttrOfType<ArrayAttr>(unreadInputsAttrName))
    llvm::append_range(names, earlier);
  llvm::append_range(names, erased);
  graph->setAttr(unreadInputsAttrName,
                 Builder(graph.getContext()).getArrayAttr(names));
}

namespace {

struct TapestryPrunePass
    : public tapestry::teg::impl::TapestryPruneBase<TapestryPrunePass> {
  void runOnOperation() override {
    // Uses follow definitions in a graph, so going backwards an op is visible
    // exactly if a use of it is left.
    Block &body = getOperation().getBody().front();
    bool changed = false;
    SmallVector<Attribute> unread;
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body))) {
      if (!isOpTriviallyDead(&op))
        continue;
      if (auto source = dyn_cast<SourceOp>(op))
        unread.insert(unread.begin(), source.getNameAttr());
      op.erase();
      ++numErased;
      changed = true;
    }
    if (!unread.empty())
      recordUnread(getOperation(), unread);
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
