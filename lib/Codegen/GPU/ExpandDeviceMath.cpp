//===- ExpandDeviceMath.cpp - Functions that the host has in libm ---------===//
//
// Once before ExpandMath, which takes what comes of powers, and once behind it,
// for what it leaves.
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

struct ExpandDeviceMath : public impl::ExpandDeviceMathBase<ExpandDeviceMath> {
  using ExpandDeviceMathBase::ExpandDeviceMathBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](gpu::LaunchOp launch) {
      launch.walk([&](Operation *op) {
        if (isa<arith::RemFOp>(op) ||
            isa_and_nonnull<math::MathDialect>(op->getDialect()))
          ops.push_back(op);
      });
    });
    for (Operation *op : ops) {
      Value value;
      for (auto *expand : {expandPower, expandRemainder})
        if (!value)
          value = expand(op);
      if (!value && angles)
        value = expandLargeAngle(op);
      if (!value)
        continue;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  }
};

} // namespace
} // namespace tapestry
