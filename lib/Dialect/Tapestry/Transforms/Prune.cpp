//===- Prune.cpp - Erases what no root of visibility observes -------------===//

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
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

static bool isSourceShard(Operation *op) {
  auto shard = dyn_cast<ShardOp>(op);
  return shard && isa<SourceOp>(shard.getWholeOp());
}

/// Erases what nobody observes and returns how many operations that was.
static unsigned prune(GraphOp graph, llvm::function_ref<bool()> isCalled) {
  // Uses follow definitions in a graph, so going backwards an op is visible
  // exactly if a use of it is left. A source is an argument, which its effect
  // keeps.
  unsigned erased = 0;
  SmallVector<Attribute> unread;
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(graph.getBody().front()))) {
    bool isUnseen = isa<SourceOp>(op)    ? op.use_empty() && !isCalled()
                    : isSourceShard(&op) ? op.use_empty()
                                         : isOpTriviallyDead(&op);
    if (!isUnseen)
      continue;
    if (auto source = dyn_cast<SourceOp>(op))
      unread.insert(unread.begin(), source.getNameAttr());
    op.erase();
    ++erased;
  }
  if (!unread.empty())
    recordUnread(graph, unread);
  return erased;
}

namespace {

struct TapestryPrunePass
    : public tapestry::teg::impl::TapestryPruneBase<TapestryPrunePass> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    // Only unread sources are worth a look at all symbols.
    std::optional<SymbolUserMap> users;
    unsigned erased = 0;
    for (auto graph : getOperation().getOps<GraphOp>())
      erased += prune(graph, [&]() {
        if (!users)
          users.emplace(tables, getOperation());
        return !users->useEmpty(graph);
      });
    numErased += erased;
    if (erased == 0)
      markAllAnalysesPreserved();
  }
};

} // namespace
