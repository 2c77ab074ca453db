//===- DevicePowers.cpp - Floats to powers that are no constants ----------===//
//
// Logarithm and exponential function are computed in pairs of f64, to 20 digits
// and more, so that the result is rounded once but for a thousandth of a unit.
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"
#include "tapestry/Codegen/CPU/FloatEmitter.h"
#include <limits>

using namespace mlir;

namespace tapestry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// log(2): products of the first part with exponents are exact.
constexpr double ln2High = 0x1.62e42fefa4p-1, ln2Low = -0x1.8432a1b0e2634p-43;

FloatPair sumOf(FloatEmitter &f, FloatPair x, FloatPair y) {
  FloatPair sum = f.sum(x.high, y.high);
  return f.orderedSum(sum.high, f.add(sum.low, f.add(x.low, y.low)));
}

/// The logarithm of a positive, finite number.
FloatPair emitLogPair(FloatEmitter &f, Value x) {
  ImplicitLocOpBuilder &b = f.builder();
  Value isSmall = f.less(x, f.constant(0x1p-1022));
  Value normal = f.select(isSmall, f.mul(x, f.constant(0x1p54)), x);
  // 2^whole m with sqrt(1/2) <= m < sqrt(2).
  Value bits = f.bits(normal), width = f.integer(52);
  Value whole = arith::ShRSIOp::create(
      b,
      arith::SubIOp::create(b, bits, f.bits(f.constant(0x1.6a09e667f3bcdp-1))),
      width);
  Value m = f.fromBits(
      arith::SubIOp::create(b, bits, arith::ShLIOp::create(b, whole, width)));
  Value exponent = f.toFloat(whole);
  exponent = f.select(isSmall, f.sub(exponent, f.constant(54)), exponent);

  // 2 (s + s^3 / 3 + s^5 / 5 + ...) with s = (m - 1) / (m + 1).
  Value above = f.sub(m, f.constant(1));
  FloatPair below = f.sum(f.constant(1), m);
  Value near = f.div(above, below.high);
  Value rest = f.multiplySub(above, near, below.high);
  rest = f.multiplySub(rest, near, below.low);
  FloatPair s = f.orderedSum(near, f.div(rest, below.high));
  FloatPair z = f.product(s, s);
  Value tail =
      f.polynomial({1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19,
                    1. / 21, 1. / 23, 1. / 25, 1. / 27, 1. / 29},
                   z.high);
  static constexpr double thirds[][2] = {
      {0x1.2492492492492p-3, 0x1.2492492492492p-57},
      {0x1.999999999999ap-3, -0x1.999999999999ap-57},
      {0x1.5555555555555p-2, 0x1.5555555555555p-56}};
  FloatPair series = {tail, f.constant(0)};
  for (auto [high, low] : thirds)
    series =
        sumOf(f, {f.constant(high), f.constant(low)}, f.product(z, series));
  FloatPair half = sumOf(f, s, f.product(s, f.product(z, series)));
  FloatPair log = {f.add(half.high, half.high), f.add(half.low, half.low)};
  return sumOf(f,
               {f.mul(exponent, f.constant(ln2High)),
                f.mul(exponent, f.constant(ln2Low))},
               log);
}

/// mantissa * 2^exponent with 0.7 <= mantissa < 1.42, rounded once.
Value emitScaledOnce(FloatEmitter &f, FloatPair mantissa, Value exponent) {
  ImplicitLocOpBuilder &b = f.builder();
  auto powerOf = [&](Value power) {
    return f.exponentBits(arith::AddIOp::create(b, power, f.integer(1023)));
  };
  // In two steps: one factor may be no number.
  Value half = arith::ShRSIOp::create(b, exponent, f.integer(1));
  Value first = powerOf(half);
  Value second = powerOf(arith::SubIOp::create(b, exponent, half));
  auto scaled = [&](Value x) { return f.mul(f.mul(x, first), second); };
  Value normal = scaled(mantissa.high);
  // A subnormal result: beside this number the mantissa loses what it has to.
  Value shift = powerOf(arith::SubIOp::create(
      b, f.integer(-1022),
      arith::MinSIOp::create(b, exponent, f.integer(-1022))));
  FloatPair moved = f.orderedSum(shift, mantissa.high);
  Value rounded = f.add(moved.high, f.add(moved.low, mantissa.low));
  Value tiny = scaled(f.sub(rounded, shift));
  return f.select(f.less(normal, f.constant(0x1p-1022)), tiny, normal);
}

/// exp(x), infinite or 0 where it is too large or small.
Value emitExpOfPair(FloatEmitter &f, FloatPair x) {
  ImplicitLocOpBuilder &b = f.builder();
  constexpr double most = 800;
  Value isMore = f.less(f.constant(most), f.abs(x.high));
  x.high = f.atMost(f.atLeast(x.high, -most), most);
  x.low = f.select(isMore, f.constant(0), x.low);
  Value shifter = f.constant(0x1.8p52);
  Value shifted =
      f.multiplyAdd(x.high, f.constant(0x1.71547652b82fep+0), shifter);
  Value whole = f.sub(shifted, shifter);
  Value exponent = arith::SubIOp::create(b, f.bits(shifted), f.bits(shifter));
  Value left = f.multiplySub(x.high, whole, f.constant(ln2High));
  FloatPair r = f.sum(left, f.multiplySub(x.low, whole, f.constant(ln2Low)));
  // 1 + r + r^2 (1/2 + r (1/6 + r (1/24 + ...)))
  SmallVector<double> inverses;
  double factorial = 6;
  for (int k = 4; k <= 17; ++k)
    inverses.push_back(1 / (factorial *= k));
  FloatPair series = {f.polynomial(inverses, r.high), f.constant(0)};
  series = sumOf(
      f, {f.constant(0x1.5555555555555p-3), f.constant(0x1.5555555555555p-57)},
      f.product(r, series));
  series = sumOf(f, {f.constant(0.5), f.constant(0)}, f.product(r, series));
  FloatPair minusOne = sumOf(f, r, f.product(f.product(r, r), series));
  return emitScaledOnce(f, sumOf(f, {f.constant(1), f.constant(0)}, minusOne),
                        exponent);
}

/// |x|^y where both are finite, or y is not; the rest is up to the caller.
Value emitMagnitude(FloatEmitter &f, Value size, Value y) {
  // Larger powers make no difference.
  Value power = f.atMost(f.atLeast(y, -0x1p70), 0x1p70);
  FloatPair product = f.product({power, f.constant(0)}, emitLogPair(f, size));
  return emitExpOfPair(f, f.orderedSum(product.high, product.low));
}

/// What C says of powers beside `result` = |x|^y.
Value withSpecialCases(Words &w, Value x, Value y, Value result) {
  Value zero = w.real(0), size = w.absolute(x);
  auto isWhole = [&](Value value) {
    return w.compare(arith::CmpFPredicate::OEQ, value,
                     math::FloorOp::create(w.b, value));
  };
  auto equals = [&](Value a, double c) {
    return w.compare(arith::CmpFPredicate::OEQ, a, w.real(c));
  };
  Value isEndless = w.any(equals(size, 0), equals(size, infinity));
  Value isLarge = w.make<arith::XOrIOp>(
      equals(size, infinity), w.compare(arith::CmpFPredicate::OLT, y, zero));
  result =
      w.select(isEndless, w.select(isLarge, w.real(infinity), zero), result);
  Value whole = isWhole(y);
  Value isOdd = w.make<arith::AndIOp>(
      whole,
      w.make<arith::XOrIOp>(isWhole(w.make<arith::MulFOp>(y, w.real(0.5))),
                            w.truth(true)));
  result = w.select(isOdd, math::CopySignOp::create(w.b, result, x), result);
  Value isNegative = w.make<arith::AndIOp>(
      w.compare(arith::CmpFPredicate::OLT, x, zero),
      w.compare(arith::CmpFPredicate::OGT, x, w.real(-infinity)));
  Value hasNone = w.select(whole, w.truth(false), isNegative);
  hasNone = w.any(hasNone, w.compare(arith::CmpFPredicate::UNO, x, y));
  result = w.select(hasNone, w.real(nan), result);
  // Also of what is no number, and to what is none.
  return w.select(w.any(equals(y, 0), equals(x, 1)), w.real(1), result);
}

} // namespace

Value expandPower(Operation *op) {
  auto pow = dyn_cast<math::PowFOp>(op);
  auto type = pow ? dyn_cast<FloatType>(pow.getType()) : FloatType();
  if (!type || type.getWidth() > 64)
    return nullptr;
  Words w(op);
  Value x = pow.getLhs(), y = pow.getRhs();
  if (!type.isF64()) {
    x = arith::ExtFOp::create(w.b, w.b.getF64Type(), x);
    y = arith::ExtFOp::create(w.b, w.b.getF64Type(), y);
  }
  Value result;
  if (type.isF64()) {
    FloatEmitter f(w.b, op->getLoc(), type, /*hasFMA=*/true);
    result = emitMagnitude(f, w.absolute(x), y);
  } else {
    // To more digits than the type has.
    Value log = math::Log2Op::create(w.b, w.absolute(x));
    result = math::Exp2Op::create(w.b, w.make<arith::MulFOp>(y, log));
    // 1 to an infinite power.
    result =
        w.select(w.compare(arith::CmpFPredicate::OEQ, w.absolute(x), w.real(1)),
                 w.real(1), result);
  }
  result = withSpecialCases(w, x, y, result);
  if (type.isF64())
    return result;
  return arith::TruncFOp::create(w.b, type, result);
}

} // namespace tapestry
