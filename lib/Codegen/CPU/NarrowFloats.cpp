//===- NarrowFloats.cpp - Rounding to the 16-bit floats once --------------===//
//
// Rounding to nearest twice can go wrong where the first lands on a tie of the
// second. The first is therefore to odd (Boldo and Melquiond, "Emulation of FMA
// and correctly rounded sums", 2008): an inexact result with an even last bit
// steps to its odd neighbour on the other side of the exact value, which is no
// tie of a format with at least two bits less.
//
//===----------------------------------------------------------------------===//

#include "NarrowFloats.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace {

struct NarrowDouble : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    Value wide = op.getIn();
    if (!getElementTypeOrSelf(wide.getType()).isF64() ||
        !(to.isF16() || to.isBF16()))
      return rewriter.notifyMatchFailure(op, "not from f64 to 16 bits");
    if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "not to nearest");
    Location loc = op.getLoc();
    auto shaped = dyn_cast<VectorType>(wide.getType());
    auto like = [&](Type element) -> Type {
      return shaped ? shaped.clone(element) : element;
    };
    Type bitsType = like(rewriter.getI32Type());
    auto bitsConstant = [&](int32_t value) -> Value {
      TypedAttr attr = rewriter.getI32IntegerAttr(value);
      if (shaped)
        attr = DenseElementsAttr::get(cast<VectorType>(bitsType), attr);
      return arith::ConstantOp::create(rewriter, loc, attr);
    };

    Value near = arith::TruncFOp::create(rewriter, loc,
                                         like(rewriter.getF32Type()), wide);
    Value back = arith::ExtFOp::create(rewriter, loc, wide.getType(), near);
    Value bits = arith::BitcastOp::create(rewriter, loc, bitsType, near);
    // Ordered comparisons leave NaN alone.
    Value inexact = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::ONE, back, wide);
    Value even = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq,
        arith::AndIOp::create(rewriter, loc, bits, bitsConstant(1)),
        bitsConstant(0));
    Value away =
        arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT,
                              math::AbsFOp::create(rewriter, loc, back),
                              math::AbsFOp::create(rewriter, loc, wide));
    Value step = arith::SelectOp::create(rewriter, loc, away, bitsConstant(-1),
                                         bitsConstant(1));
    Value odd = arith::AddIOp::create(rewriter, loc, bits, step);
    Value change = arith::AndIOp::create(rewriter, loc, inexact, even);
    bits = arith::SelectOp::create(rewriter, loc, change, odd, bits);
    Value rounded =
        arith::BitcastOp::create(rewriter, loc, near.getType(), bits);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), rounded);
    return success();
  }
};

/// bf16 to what is wider than f32, by way of f32.
struct WidenBF16 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!getElementTypeOrSelf(from).isBF16() ||
        getElementTypeOrSelf(op.getType()).getIntOrFloatBitWidth() <= 32)
      return rewriter.notifyMatchFailure(op, "not from bf16 past f32");
    Type middle = rewriter.getF32Type();
    if (auto shaped = dyn_cast<VectorType>(from))
      middle = shaped.clone(middle);
    Value wide =
        arith::ExtFOp::create(rewriter, op.getLoc(), middle, op.getIn());
    rewriter.replaceOpWithNewOp<arith::ExtFOp>(op, op.getType(), wide);
    return success();
  }
};

/// Integers that f32 does not hold to bf16, by way of f64.
template <typename Op> struct NarrowInteger : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getIn();
    Type from = getElementTypeOrSelf(value.getType());
    unsigned width = from.getIntOrFloatBitWidth();
    if (!getElementTypeOrSelf(op.getType()).isBF16() ||
        (width != 32 && width != 64))
      return rewriter.notifyMatchFailure(op, "not rounded twice otherwise");
    Type wide = rewriter.getF64Type();
    if (auto shaped = dyn_cast<VectorType>(value.getType()))
      wide = shaped.clone(wide);
    if (width == 64)
      value = roundToOdd(rewriter, op.getLoc(), value);
    value = Op::create(rewriter, op.getLoc(), wide, value);
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), value);
    return success();
  }

private:
  /// f64 has all integers below 2^40. From there on the low 16 bits belong to
  /// no bf16 and to no tie of two, so that one bit stands for all of them.
  static Value roundToOdd(PatternRewriter &b, Location loc, Value value) {
    auto constant = [&](int64_t number) -> Value {
      TypedAttr attr = b.getI64IntegerAttr(number);
      if (auto shaped = dyn_cast<VectorType>(value.getType()))
        attr = DenseElementsAttr::get(shaped, attr);
      return arith::ConstantOp::create(b, loc, attr);
    };
    constexpr int64_t exact = int64_t(1) << 40, low = 0xffff;
    int64_t least = std::is_same_v<Op, arith::SIToFPOp> ? -exact : 0;
    Value distance = arith::SubIOp::create(b, loc, value, constant(least));
    Value isLarge = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge,
                                          distance, constant(exact - least));
    // Carries into bit 16 where any is set.
    Value rest = arith::AndIOp::create(b, loc, value, constant(low));
    Value sticky = arith::AddIOp::create(b, loc, rest, constant(low));
    Value odd = arith::OrIOp::create(b, loc, value, sticky);
    odd = arith::AndIOp::create(b, loc, odd, constant(~low));
    return arith::SelectOp::create(b, loc, isLarge, odd, value);
  }
};

} // namespace

void tapestry::populateNarrowIntegerPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowInteger<arith::SIToFPOp>, NarrowInteger<arith::UIToFPOp>>(
      patterns.getContext(), /*benefit=*/2);
}

void tapestry::populateNarrowFloatPatterns(RewritePatternSet &patterns) {
  patterns.add<NarrowDouble, WidenBF16>(patterns.getContext());
}
