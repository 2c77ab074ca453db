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
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "llvm/ADT/StringSet.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_EXPANDMATH
#include "tapestry/Codegen/CPU/Passes.h.inc"

namespace {

/// A constant of the type of `like`, in all lanes.
Value constantLike(PatternRewriter &rewriter, Value like, double value) {
  Type type = like.getType();
  TypedAttr attr = rewriter.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, attr);
  return arith::ConstantOp::create(rewriter, like.getLoc(), attr);
}

/// The attribute of logarithms whose argument is known not to be subnormal.
constexpr StringLiteral normalArgument = "tapestry.normal_argument";

/// The approximation of the logarithm takes subnormal numbers for the smallest
/// normal one: scale them up, and subtract the scale's logarithm.
template <typename LogOp>
struct ScaleSubnormals : public OpRewritePattern<LogOp> {
  ScaleSubnormals(MLIRContext *context, double logOfScale)
      : OpRewritePattern<LogOp>(context, /*benefit=*/10),
        logOfScale(logOfScale) {}

  LogicalResult matchAndRewrite(LogOp op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getType();
    if (op->hasAttr(normalArgument) || !getElementTypeOrSelf(type).isF32())
      return rewriter.notifyMatchFailure(op, "not f32, or scaled already");
    Location loc = op.getLoc();
    Value x = op.getOperand();
    auto constant = [&](double value) {
      return constantLike(rewriter, x, value);
    };
    Value small = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::OLT, x, constant(0x1p-126));
    Value scaled = arith::MulFOp::create(rewriter, loc, x, constant(0x1p24));
    Value argument = arith::SelectOp::create(rewriter, loc, small, scaled, x);
    auto log = LogOp::create(rewriter, loc, argument);
    log->setAttr(normalArgument, rewriter.getUnitAttr());
    Value shift = arith::SelectOp::create(rewriter, loc, small,
                                          constant(logOfScale), constant(0));
    rewriter.replaceOpWithNewOp<arith::SubFOp>(op, log, shift);
    return success();
  }

  double logOfScale;
};

/// expm1 in f64: (u - 1) x / log(u) with u = exp(x), in which the rounding
/// errors of u cancel (W. Kahan). Upstream's exp(x) - 1 loses all digits of
/// small results.
struct ExpandExpM1 : public OpRewritePattern<math::ExpM1Op> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpM1Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF64())
      return rewriter.notifyMatchFailure(op, "not f64");
    Location loc = op.getLoc();
    Value x = op.getOperand();
    auto equals = [&](Value a, double b) -> Value {
      return arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OEQ, a,
                                   constantLike(rewriter, a, b));
    };
    Value u = math::ExpOp::create(rewriter, loc, x);
    Value difference =
        arith::SubFOp::create(rewriter, loc, u, constantLike(rewriter, x, 1.0));
    Value log = math::LogOp::create(rewriter, loc, u);
    Value quotient = arith::DivFOp::create(rewriter, loc, x, log);
    Value value = arith::MulFOp::create(rewriter, loc, difference, quotient);
    value = arith::SelectOp::create(rewriter, loc, equals(u, 1.0), x, value);
    Value extreme = arith::OrIOp::create(
        rewriter, loc, equals(difference, -1.0),
        equals(u, std::numeric_limits<double>::infinity()));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, extreme, difference,
                                                 value);
    return success();
  }
};

/// The f32 functions whose approximations are accurate on all arguments; what
/// is missing here becomes calls of libm.
bool isApproximated(StringRef name) {
  static const llvm::StringSet<> names{
      "math.exp",  "math.expm1", "math.log",  "math.log1p", "math.log2",
      "math.tanh", "math.erf",   "math.erfc", "math.asin",  "math.acos"};
  return names.contains(name);
}

struct ExpandMath : public impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateMathF32ExpansionPatterns(set, [](StringRef) { return true; });
    populateMathPolynomialApproximationPatterns(set, isApproximated);
    math::populateExpansionPatterns(set, {"rsqrt"});
    set.add<ExpandExpM1>(context);
    set.add<ScaleSubnormals<math::LogOp>>(context, 24 * std::log(2.0));
    set.add<ScaleSubnormals<math::Log2Op>>(context, 24.0);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    if (!isDeviceCode(getOperation()))
      return;
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
