//===- DeferMaxima.cpp - Sums relative to a device's own maxima -----------===//

#include "DeferJoins.h"
#include "tapestry/Dialect/TRA/Transforms/Passes.h"

namespace tapestry::tra {
#define GEN_PASS_DEF_DEFERMAXIMA
#include "tapestry/Dialect/TRA/Transforms/Passes.h.inc"
} // namespace tapestry::tra

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

namespace {
struct DeferMaxima : tra::impl::DeferMaximaBase<DeferMaxima> {
  using Base::Base;

  void runOnOperation() override {
    // Those that are looked at, null where they are no more.
    SmallVector<Operation *> joins;
    for (JoinOp join : getOperation().getOps<JoinOp>())
      joins.push_back(join);
    for (Operation *&join : joins)
      while (join && defer(cast<JoinOp>(join), joins))
        ++numDeferred;
  }

private:
  /// Whether a join no longer waits for a maximum.
  bool defer(JoinOp join, MutableArrayRef<Operation *> joins) {
    for (unsigned input = 0; input < join.getInputs().size(); ++input) {
      std::optional<RelativeJoins> found =
          findRelativeJoins(join, input, leastBytes);
      if (!found)
        continue;
      SmallVector<Operation *> erased;
      if (!deferJoins(*found, erased))
        continue;
      for (Operation *op : erased)
        llvm::replace(joins, op, static_cast<Operation *>(nullptr));
      return true;
    }
    return false;
  }
};
} // namespace
