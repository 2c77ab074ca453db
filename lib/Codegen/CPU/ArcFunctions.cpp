//===- ArcFunctions.cpp - asin, acos, atan and atan2 ----------------------===//
//
// In f64; the polynomials are those that utils/fit-functions.py prints. Angles
// are sums of a multiple of pi / 4 in two parts and what the polynomial gives.
//
//===----------------------------------------------------------------------===//

#include "ElementaryFunctions.h"
#include <limits>

using namespace mlir;

namespace tapestry {
namespace {

/// p of atan(t) = t + t z p(z) with z = t^2 for |t| <= tan(pi / 8).
constexpr double atanTail[] = {
    -0x1.5555555555554p-2, 0x1.999999999958ep-3,  -0x1.249249246fef1p-3,
    0x1.c71c71b4bf7cfp-4,  -0x1.745d146259796p-4, 0x1.3b1366d0363c9p-4,
    -0x1.110c0acf7822bp-4, 0x1.e16a61124f9a7p-5,  -0x1.ab4e6d1af70dep-5,
    0x1.703548f5fe7a3p-5,  -0x1.109b54181268ep-5, 0x1.eb992da17d403p-7};
/// p of asin(t) = t + t z p(z) with z = t^2 for |t| <= 1/2.
constexpr double asinTail[] = {
    0x1.5555555555578p-3, 0x1.333333332df3bp-4, 0x1.6db6db7228843p-5,
    0x1.f1c71a8d01276p-6, 0x1.6e8bdfb87ab2dp-6, 0x1.1c49e1a27d70fp-6,
    0x1.ca20e55a315d5p-7, 0x1.757ace41816cp-7,  0x1.6177654ca5a03p-7,
    0x1.e28e43bedf2adp-9, 0x1.64a07aeb4de14p-6, -0x1.59670c3ffff9ep-6,
    0x1.0bb5f162cd336p-5};

/// pi / 4 in two parts; its multiples by powers of two are exact.
constexpr double quarterHigh = 0x1.921fb54442d18p-1;
constexpr double quarterLow = 0x1.1a62633145c07p-55;

/// What asin and acos share: asin(t) = t + rest, where t is |x|, or the root of
/// (1 - |x|) / 2, whose asin is half of acos(|x|).
struct Arc {
  Value isSmall, t, rest;
};

Arc emitArc(FloatEmitter &f, Value magnitude) {
  Value isSmall = f.less(magnitude, f.constant(0.5));
  Value half = f.mul(f.sub(f.constant(1), magnitude), f.constant(0.5));
  Value root = f.sqrt(half);
  Value z = f.select(isSmall, f.mul(magnitude, magnitude), half);
  Value t = f.select(isSmall, magnitude, root);
  // What the root has lost; nothing of 0.
  Value lost = f.div(f.remainder(half, root, root), f.add(root, root));
  Value hasLost = f.less(f.constant(0), root);
  lost =
      f.select(isSmall, f.constant(0), f.select(hasLost, lost, f.constant(0)));
  Value tail = f.mul(f.mul(t, z), f.polynomial(asinTail, z));
  return {isSmall, t, f.add(lost, tail)};
}

/// quarters * pi / 4 + high + low, the first 0 or larger than the others.
Value emitAngle(FloatEmitter &f, double quarters, Value high, Value low) {
  FloatPair sum = f.orderedSum(f.constant(quarters * quarterHigh), high);
  low = f.add(f.constant(quarters * quarterLow), low);
  return f.add(sum.high, f.add(sum.low, low));
}

Value negated(FloatEmitter &f, Value x) { return f.sub(f.constant(0), x); }

/// atan(n / d) in two parts, of numbers 0 <= n <= d.
FloatPair emitAtanOfRatio(FloatEmitter &f, Value n, Value d) {
  Value zero = f.constant(0);
  // atan(n / d) = pi / 4 + atan((n - d) / (n + d)).
  Value isMiddle = f.less(f.mul(d, f.constant(0x1.a827999fcef32p-2)), n);
  FloatPair difference = f.sum(n, negated(f, d)), sum = f.sum(n, d);
  FloatPair numerator = {f.select(isMiddle, difference.high, n),
                         f.select(isMiddle, difference.low, zero)};
  FloatPair denominator = {f.select(isMiddle, sum.high, d),
                           f.select(isMiddle, sum.low, zero)};
  Value t = f.div(numerator.high, denominator.high);
  Value lost = f.remainder(numerator.high, t, denominator.high);
  lost = f.add(lost, f.multiplySub(numerator.low, t, denominator.low));
  lost = f.div(lost, denominator.high);
  // Where it is subnormal or none, as beside infinity, t says all.
  Value isPlain = f.less(f.constant(0x1p-900), f.abs(t));
  lost = f.select(isPlain, lost, zero);
  Value z = f.mul(t, t);
  Value tail = f.multiplyAdd(f.mul(t, z), f.polynomial(atanTail, z), lost);
  Value base = f.select(isMiddle, f.constant(quarterHigh), zero);
  Value baseLow = f.select(isMiddle, f.constant(quarterLow), zero);
  FloatPair angle = f.orderedSum(base, t);
  return f.orderedSum(angle.high, f.add(angle.low, f.add(baseLow, tail)));
}

/// quarters * pi / 4 - angle where `condition` holds.
FloatPair emitReflected(FloatEmitter &f, Value condition, double quarters,
                        FloatPair angle) {
  FloatPair other =
      f.orderedSum(f.constant(quarters * quarterHigh), negated(f, angle.high));
  other.low =
      f.add(other.low, f.sub(f.constant(quarters * quarterLow), angle.low));
  return {f.select(condition, other.high, angle.high),
          f.select(condition, other.low, angle.low)};
}

} // namespace

Value emitAsin(FloatEmitter &f, Value x) {
  Arc arc = emitArc(f, f.abs(x));
  // pi / 2 - 2 asin(t)
  Value large = emitAngle(f, 2, f.mul(arc.t, f.constant(-2)),
                          f.mul(arc.rest, f.constant(-2)));
  return f.copySign(f.select(arc.isSmall, f.add(arc.t, arc.rest), large), x);
}

Value emitAcos(FloatEmitter &f, Value x) {
  Arc arc = emitArc(f, f.abs(x));
  Value two = f.constant(2);
  Value isNegative = f.less(x, f.constant(0));
  Value t = f.select(isNegative, arc.t, negated(f, arc.t));
  Value rest = f.select(isNegative, arc.rest, negated(f, arc.rest));
  Value small = emitAngle(f, 2, t, rest);
  Value positive = f.mul(f.add(arc.t, arc.rest), two);
  Value negative = emitAngle(f, 4, f.mul(arc.t, f.constant(-2)),
                             f.mul(arc.rest, f.constant(-2)));
  return f.select(arc.isSmall, small, f.select(isNegative, negative, positive));
}

Value emitAtan(FloatEmitter &f, Value x) {
  Value magnitude = f.abs(x), one = f.constant(1);
  Value isSteep = f.less(one, magnitude);
  FloatPair angle = emitAtanOfRatio(f, f.select(isSteep, one, magnitude),
                                    f.select(isSteep, magnitude, one));
  angle = emitReflected(f, isSteep, 2, angle);
  return f.copySign(f.add(angle.high, angle.low), x);
}

Value emitAtan2(FloatEmitter &f, Value y, Value x) {
  Value height = f.abs(y), width = f.abs(x);
  Value zero = f.constant(0), one = f.constant(1);
  Value isSteep = f.less(width, height);
  Value n = f.select(isSteep, width, height);
  Value d = f.select(isSteep, height, width);
  // Powers of two keep sums below infinity and remainders above 0.
  Value scale =
      f.select(f.less(d, f.constant(0x1p-400)), f.constant(0x1p600), one);
  scale = f.select(f.less(f.constant(0x1p1000), d), f.constant(0x1p-2), scale);
  n = f.mul(n, scale);
  d = f.mul(d, scale);
  // Two zeros are as 0 and 1, two infinities as 1 and 1.
  Value infinity = f.constant(std::numeric_limits<double>::infinity());
  Value areInfinite = arith::CmpFOp::create(
      f.builder(), arith::CmpFPredicate::OEQ, n, infinity);
  Value areZero =
      arith::CmpFOp::create(f.builder(), arith::CmpFPredicate::OEQ, d, zero);
  n = f.select(areInfinite, one, n);
  d = f.select(areInfinite, one, f.select(areZero, one, d));
  FloatPair angle = emitReflected(f, isSteep, 2, emitAtanOfRatio(f, n, d));
  Value isBehind = f.less(f.copySign(one, x), zero);
  angle = emitReflected(f, isBehind, 4, angle);
  Value result = f.copySign(f.add(angle.high, angle.low), y);
  Value isNaN =
      arith::CmpFOp::create(f.builder(), arith::CmpFPredicate::UNO, x, y);
  return f.select(isNaN, f.add(x, y), result);
}

} // namespace tapestry
