//===- DoubleFunctions.cpp - Functions that are computed in f64 -----------===//
//
// Those of f32 are these, rounded once more, but for log and erf. Logarithms
// after the scheme of P. T. P. Tang (1990) with the division s = f / (2 + f);
// the polynomials are those that utils/fit-functions.py prints. What a result
// is the sum of is kept in two parts, so that it is rounded once, but for small
// fractions.
//
//===----------------------------------------------------------------------===//

#include "ElementaryFunctions.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tapestry {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// p of log(1 + f) = 2 s + s z p(z) with s = f / (2 + f), z = s^2.
constexpr double logTail[] = {0x1.5555555555592p-1, 0x1.999999997ff03p-2,
                              0x1.24924941e39ap-2,  0x1.c71c5211bc71p-3,
                              0x1.74663d9732fd8p-3, 0x1.39a1d49001a98p-3,
                              0x1.2f04a2a3fc631p-3};

/// c of erf(x) = x + x c(x^2) for |x| <= 1.
constexpr double erfTail[] = {
    0x1.06eba8214db68p-3,   -0x1.812746b0379b1p-2,  0x1.ce2f21a040829p-4,
    -0x1.b82ce311eb828p-6,  0x1.565bccf79306ap-8,   -0x1.c02db00931e4dp-11,
    0x1.f9a2b64e72422p-14,  -0x1.f4ca11164e6cfp-17, 0x1.b97db2f3ee758p-20,
    -0x1.5bfb17b7ecb79p-23, 0x1.d6cd35712309cp-27,  -0x1.aad3df1a355c3p-31};
/// exp(x^2) (1 - erf(x)) of 1 / (x + 2) for 1 <= x <= 5.95, where erf rounds
/// to 1.
constexpr double erfcRest[] = {
    -0x1.a1e09e96c2179p-19, 0x1.20f5f93a8350ep-1,   0x1.1f8f60aaa2e1dp+0,
    0x1.077607ed95aeep+1,   0x1.e632ffa7522d3p+0,   0x1.3c13b191a505dp+3,
    -0x1.48939442e594fp+5,  0x1.4228a4114a292p+7,   -0x1.fe7ba0fccd0b5p+8,
    0x1.f11cd92ca1f9cp+9,   -0x1.2019dbf11d369p+10, 0x1.75cc3fdd5cfcfp+9,
    -0x1.a80217c3d7d18p+7};

/// Constants in two parts.
struct Constant {
  double high, low;
};
constexpr Constant ln2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr Constant perLn2 = {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56};
constexpr Constant perLn10 = {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57};
/// Products of the first with exponents are exact.
constexpr Constant shortLn2 = {0x1.62e42fefa4p-1, -0x1.8432a1b0e2634p-43};
constexpr Constant shortLog2 = {0x1.34413509f8p-2, -0x1.80433b83b532ap-44};

FloatPair pairOf(FloatEmitter &f, Constant c) {
  return {f.constant(c.high), f.constant(c.low)};
}

/// A positive number as 2^exponent (1 + fraction) with sqrt(1/2) <= 1 +
/// fraction < sqrt(2), and its logarithm without the exponent.
struct Logarithm {
  Value exponent;
  /// fraction - fraction^2 / 2 in two parts, and what is missing.
  FloatPair near;
  Value rest;
};

Logarithm emitLogarithm(FloatEmitter &f, Value x) {
  ImplicitLocOpBuilder &b = f.builder();
  Value isSmall = f.less(x, f.constant(0x1p-1022));
  Value normal = f.select(isSmall, f.mul(x, f.constant(0x1p54)), x);
  // With 2048 added, exponents are positive, so that they become floats as the
  // low bits of one.
  constexpr int64_t bias = 2048;
  Value bits = f.bits(normal);
  Value above =
      arith::SubIOp::create(b, bits, f.bits(f.constant(0x1.6a09e667f3bcdp-1)));
  above = arith::AddIOp::create(b, above,
                                f.integer(std::numeric_limits<int64_t>::min()));
  Value whole = arith::ShRUIOp::create(b, above, f.integer(52));
  Value unbiased = arith::SubIOp::create(b, whole, f.integer(bias));
  Value mantissa = f.fromBits(arith::SubIOp::create(
      b, bits, arith::ShLIOp::create(b, unbiased, f.integer(52))));
  Value exponent =
      f.fromBits(arith::OrIOp::create(b, whole, f.bits(f.constant(0x1p52))));
  exponent = f.sub(exponent, f.select(isSmall, f.constant(0x1p52 + bias + 54),
                                      f.constant(0x1p52 + bias)));

  Value fraction = f.sub(mantissa, f.constant(1));
  Value s = f.div(fraction, f.add(fraction, f.constant(2)));
  Value z = f.mul(s, s);
  Value half = f.mul(f.mul(fraction, fraction), f.constant(0.5));
  Value rest = f.mul(s, f.multiplyAdd(z, f.polynomial(logTail, z), half));
  FloatPair near = f.orderedSum(fraction, f.sub(f.constant(0), half));
  // What is lost of the square is of no account beside the sum's low part.
  return {exponent, near, rest};
}

/// `result` of the logarithm where x is positive and finite.
Value emitLogarithmOf(FloatEmitter &f, Value x, Value result) {
  Value zero = f.constant(0);
  Value special =
      f.select(f.less(x, zero), f.constant(nan), f.constant(-infinity));
  result = f.select(f.less(zero, x), result, special);
  // Infinity and NaN stay what they are.
  return f.select(f.less(x, f.constant(infinity)), result, x);
}

/// log(x) * scale + exponent * (that of 2 in two parts).
Value emitScaledLog(FloatEmitter &f, Value x, Constant scale,
                    Constant ofExponent) {
  Logarithm log = emitLogarithm(f, x);
  FloatPair natural =
      f.orderedSum(log.near.high, f.add(log.near.low, log.rest));
  FloatPair scaled = f.product(natural, pairOf(f, scale));
  FloatPair sum = f.orderedSum(f.mul(log.exponent, f.constant(ofExponent.high)),
                               scaled.high);
  Value low =
      f.multiplyAdd(log.exponent, f.constant(ofExponent.low), scaled.low);
  return emitLogarithmOf(f, x, f.add(sum.high, f.add(sum.low, low)));
}

} // namespace

Value emitLog2(FloatEmitter &f, Value x) {
  return emitScaledLog(f, x, perLn2, {1, 0});
}

Value emitLog10(FloatEmitter &f, Value x) {
  return emitScaledLog(f, x, perLn10, shortLog2);
}

Value emitLog1p(FloatEmitter &f, Value x) {
  Value one = f.constant(1);
  FloatPair sum = f.sum(one, x);
  Logarithm log = emitLogarithm(f, sum.high);
  FloatPair total = f.orderedSum(f.mul(log.exponent, f.constant(shortLn2.high)),
                                 log.near.high);
  Value low = f.multiplyAdd(log.exponent, f.constant(shortLn2.low),
                            f.div(sum.low, sum.high));
  low = f.add(f.add(total.low, log.near.low), f.add(low, log.rest));
  Value result = emitLogarithmOf(f, sum.high, f.add(total.high, low));
  // Nothing is missing of what is small, nor of its sign.
  return f.select(f.less(f.abs(x), f.constant(0x1p-54)), x, result);
}

Value emitWideLog(FloatEmitter &f, Value x) {
  Logarithm log = emitLogarithm(f, x);
  FloatPair total = f.orderedSum(f.mul(log.exponent, f.constant(shortLn2.high)),
                                 log.near.high);
  Value low =
      f.multiplyAdd(log.exponent, f.constant(shortLn2.low), log.near.low);
  low = f.add(total.low, f.add(low, log.rest));
  return emitLogarithmOf(f, x, f.add(total.high, low));
}

Value emitWideErf(FloatEmitter &f, Value x) {
  Value magnitude = f.abs(x), one = f.constant(1);
  Value small = f.multiplyAdd(
      magnitude, f.polynomial(erfTail, f.mul(magnitude, magnitude)), magnitude);
  Value bounded = f.atMost(magnitude, 5.95);
  Value square = f.mul(bounded, bounded);
  Value lost = f.productError(bounded, bounded, square);
  Value power = emitExp(f, f.sub(f.constant(0), square));
  power = f.multiplySub(power, power, lost);
  Value rest =
      f.polynomial(erfcRest, f.div(one, f.add(bounded, f.constant(2))));
  Value large = f.multiplySub(one, power, rest);
  return f.copySign(f.select(f.less(magnitude, one), small, large), x);
}

Value emitExp2(FloatEmitter &f, Value x) {
  x = f.atMost(f.atLeast(x, -1100), 1030);
  Value shifter = f.constant(0x1.8p52);
  Value whole = f.sub(f.add(x, shifter), shifter);
  FloatPair rest = {f.sub(x, whole), f.constant(0)};
  return emitExpOf(f, f.product(rest, pairOf(f, ln2)), whole);
}

namespace {
/// exp(x) / 4 for x >= 0, and a sixteenth of its reciprocal.
struct Exponentials {
  FloatPair quarter, reciprocal;
};

Exponentials emitExponentials(FloatEmitter &f, Value x) {
  FloatPair quarter = emitQuarterExp(f, x);
  Value part = f.constant(0x1p-4);
  Value near = f.div(part, quarter.high);
  Value rest = f.remainder(part, near, quarter.high);
  rest = f.multiplySub(rest, near, quarter.low);
  Value low = f.mul(rest, f.mul(near, f.constant(16)));
  return {quarter, {near, low}};
}
} // namespace

Value emitCosh(FloatEmitter &f, Value x) {
  Exponentials e = emitExponentials(f, f.atMost(f.abs(x), 710.6));
  FloatPair sum = f.orderedSum(e.quarter.high, e.reciprocal.high);
  Value low = f.add(sum.low, f.add(e.quarter.low, e.reciprocal.low));
  Value result = f.add(sum.high, low);
  return f.add(result, result);
}

Value emitSinh(FloatEmitter &f, Value x) {
  Value magnitude = f.atMost(f.abs(x), 710.6);
  Exponentials e = emitExponentials(f, magnitude);
  FloatPair sum =
      f.orderedSum(e.quarter.high, f.sub(f.constant(0), e.reciprocal.high));
  Value low = f.add(sum.low, f.sub(e.quarter.low, e.reciprocal.low));
  Value large = f.add(sum.high, low);
  large = f.add(large, large);
  // (m + m / (1 + m)) / 2 with m = exp(x) - 1, where the two are near.
  FloatPair minusOne = emitExpM1Pair(f, f.atMost(magnitude, 0.34));
  FloatPair plusOne = f.sum(f.constant(1), minusOne.high);
  plusOne.low = f.add(plusOne.low, minusOne.low);
  FloatPair near = f.orderedSum(minusOne.high, f.quotient(minusOne, plusOne));
  Value small =
      f.mul(f.add(near.high, f.add(near.low, minusOne.low)), f.constant(0.5));
  Value result = f.select(f.less(magnitude, f.constant(0.34)), small, large);
  // What is squared vanishes beside the smallest, and they keep their bits.
  result = f.select(f.less(magnitude, f.constant(0x1p-30)), magnitude, result);
  return f.copySign(result, x);
}

Value emitCbrt(FloatEmitter &f, Value x) {
  ImplicitLocOpBuilder &b = f.builder();
  Value magnitude = f.abs(x);
  // By a cube of a power of two, where it, what rounding its root's cube loses
  // or three times it is no normal number.
  Value isSmall = f.less(magnitude, f.constant(0x1p-800));
  Value isLarge = f.less(f.constant(0x1p1000), magnitude);
  auto either = [&](double small, double large) {
    Value other = f.select(isLarge, f.constant(large), f.constant(1));
    return f.select(isSmall, f.constant(small), other);
  };
  Value normal = f.mul(magnitude, either(0x1p162, 0x1p-54));
  // A third of the exponent, to four bits, by a product of 32-bit integers.
  Value high = arith::ShRUIOp::create(b, f.bits(normal), f.integer(32));
  Value third = arith::ShRUIOp::create(
      b, arith::MulIOp::create(b, high, f.integer(0x55555556)), f.integer(32));
  third = arith::AddIOp::create(b, third, f.integer(715094163));
  Value root = f.fromBits(arith::ShLIOp::create(b, third, f.integer(32)));
  // Twice E. Halley's step, each of which trebles the digits.
  for (unsigned step = 0; step < 2; ++step) {
    Value cube = f.mul(f.mul(root, root), root);
    Value ratio = f.div(f.sub(normal, cube), f.add(f.add(cube, cube), normal));
    root = f.multiplyAdd(root, ratio, root);
  }
  // And once I. Newton's, from the exact cube.
  FloatPair single = {root, f.constant(0)};
  FloatPair cube = f.product(f.product(single, single), single);
  Value rest = f.sub(f.sub(normal, cube.high), cube.low);
  Value slope = f.mul(f.mul(root, root), f.constant(3));
  root = f.add(root, f.div(rest, slope));
  root = f.mul(root, either(0x1p-54, 0x1p18));
  // Zeros, infinities and NaN are their own roots.
  Value isNumber = f.less(magnitude, f.constant(infinity));
  Value isZero = f.less(magnitude, f.constant(5e-324));
  root = f.select(isNumber, root, magnitude);
  return f.copySign(f.select(isZero, magnitude, root), x);
}

} // namespace tapestry
