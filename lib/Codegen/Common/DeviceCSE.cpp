//===- DeviceCSE.cpp - Compute equal values once --------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/CSE.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_DEVICECSE
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

struct DeviceCSE : public impl::DeviceCSEBase<DeviceCSE> {
  using DeviceCSEBase::DeviceCSEBase;

  void runOnOperation() override {
    if (!isDeviceCode(getOperation()))
      return;
    IRRewriter rewriter(&getContext());
    eliminateCommonSubExpressions(rewriter, getAnalysis<DominanceInfo>(),
                                  getOperation());
    // Bufferization copies to where things are already, by another name.
    getOperation().walk([](Operation *op) {
      if (auto copy = dyn_cast<memref::CopyOp>(op);
          copy && copy.getSource() == copy.getTarget())
        copy.erase();
    });
  }
};

} // namespace
} // namespace tapestry
