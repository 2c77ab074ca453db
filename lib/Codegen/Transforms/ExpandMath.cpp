//===- ExpandMath.cpp - Math operations to vector arithmetic --------------===//
//
// Polynomial approximations for f32, f32 arithmetic for the narrow types.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tapestry/Codegen/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_EXPANDMATH
#include "tapestry/Codegen/Passes.h.inc"

namespace {

struct ExpandMath : public impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    auto approximated = [](StringRef name) {
      static const llvm::StringSet<> names{"math.exp", "math.tanh", "math.erf",
                                           "math.log"};
      return names.contains(name);
    };
    populateMathF32ExpansionPatterns(set, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(set, approximated);
    math::populateExpansionPatterns(set, {"rsqrt"});
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    bool any = false;
    getOperation().walk([&](Operation *op) {
      any |= isa<math::MathDialect>(op->getDialect());
    });
    if (any && failed(applyPatternsGreedily(getOperation(), patterns)))
      signalPassFailure();
  }

  FrozenRewritePatternSet patterns;
};

} // namespace
} // namespace tapestry
