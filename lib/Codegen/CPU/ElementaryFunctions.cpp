//===- ElementaryFunctions.cpp - exp, log, tanh and others ----------------===//
//
// Reductions of the argument after W. J. Cody and W. Waite (Software Manual for
// the Elementary Functions, 1980); the polynomials are those that
// utils/fit-functions.py prints. What a result is the sum or the quotient of is
// kept in two parts, so that it is rounded once, but for small fractions; in
// f32 not everywhere, where that would be felt (docs/Accuracy.md).
//
//===----------------------------------------------------------------------===//

#include "ElementaryFunctions.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tapestry {
namespace {

/// q of exp(r) = 1 + r + r^2 q(r) for |r| <= log(2) / 2.
constexpr double expTailSingle[] = {0x1.fffffcp-2, 0x1.555492p-3, 0x1.5558bp-5,
                                    0x1.12399cp-7, 0x1.6a4d88p-10};
constexpr double expTailDouble[] = {0x1p-1,
                                    0x1.555555555555ap-3,
                                    0x1.555555555553p-5,
                                    0x1.111111110f166p-7,
                                    0x1.6c16c16c275c4p-10,
                                    0x1.a01a01b1e49ecp-13,
                                    0x1.a01a01502ec7ap-16,
                                    0x1.71ddf38813cbfp-19,
                                    0x1.27e5927e8e53ep-22,
                                    0x1.af66ba08ce1bfp-26,
                                    0x1.1e5de808b7e67p-29};

/// p of log(1 + f) = f - f^2 / 2 + f^3 p(f) for sqrt(1/2) <= 1 + f <= sqrt(2).
constexpr double logTail[] = {0x1.555548p-2, -0x1.000008p-2, 0x1.99a47ap-3,
                              -0x1.555b9p-3, 0x1.233abap-3,  -0x1.fc3d0cp-4,
                              0x1.e6e022p-4, -0x1.dda352p-4, 0x1.13c3dap-4};

/// c of erf(x) = x + x c(x^2) for |x| <= 1.1.
constexpr double erfTail[] = {0x1.06eba8p-3, -0x1.812734p-2, 0x1.ce2aa6p-4,
                              -0x1.b7cdep-6, 0x1.52ac24p-8,  -0x1.9a3ddep-11,
                              0x1.2f80a2p-14};
/// (1 - erf(x))^(1/4) for 1.1 <= x <= 4, where erf rounds to 1.
constexpr double erfcRoot[] = {0x1.0150f4p+0,  -0x1.3abcaep-2, -0x1.0d97f4p-4,
                               -0x1.8b9ad2p-5, 0x1.0a04ccp-4,  -0x1.65dc52p-6,
                               0x1.9f8e4p-9,   -0x1.6ecdc4p-13};

/// exp of something, in parts: exp(rest + low) = 1 + r + r^2 q times a power of
/// two, where r is the rounded sum.
struct Exponential {
  Value rest, low, r, q, shifted;
  /// The power, where it is a normal number.
  Value power(FloatEmitter &f) const { return f.exponentBits(f.bits(shifted)); }
  /// What is added to 1.
  FloatPair tail(FloatEmitter &f) const {
    return {rest, f.multiplyAdd(f.mul(r, r), q, low)};
  }
  /// The same in one number, with the error of r.
  Value roundedTail(FloatEmitter &f) const {
    return f.multiplyAdd(f.mul(r, r), q, r);
  }
};

} // namespace

/// What, added to a number, leaves the nearest integer plus `shift` in the
/// lowest bits, as the exponent of a float.
static Value emitShifter(FloatEmitter &f, double shift) {
  return f.isDouble() ? f.constant(0x1.8p52 + 1023 + shift)
                      : f.constant(0x1.8p23 + 127 + shift);
}

/// exp(x) * 2^shift for the shift of the shifter.
static Exponential emitExponential(FloatEmitter &f, Value x, Value shifter) {
  // log(2) in two parts; products of the first with exponents are exact.
  double ln2High = f.isDouble() ? 0x1.62e42fefa4p-1 : 0x1.62e4p-1;
  double ln2Low = f.isDouble() ? -0x1.8432a1b0e2634p-43 : 0x1.7f7d1cp-20;
  double log2e = f.isDouble() ? 0x1.71547652b82fep+0 : 0x1.715476p+0;
  Value shifted = f.multiplyAdd(x, f.constant(log2e), shifter);
  Value whole = f.sub(shifted, shifter);
  Value rest = f.multiplyAdd(whole, f.constant(-ln2High), x);
  Value r = f.multiplyAdd(whole, f.constant(-ln2Low), rest);
  Value low = f.mul(whole, f.constant(-ln2Low));
  Value q = f.isDouble() ? f.polynomial(expTailDouble, r)
                         : f.polynomial(expTailSingle, r);
  return {rest, low, r, q, shifted};
}

/// A number times the power of two of which `shifted` is the exponent, on a
/// shifter by the bias. In two factors, since the power may be no normal
/// number: of k + 2 bias, each takes a half.
static Value emitScaled(FloatEmitter &f, Value mantissa, Value shifted) {
  ImplicitLocOpBuilder &b = f.builder();
  double bias = f.isDouble() ? 1023 : 127;
  Value both =
      arith::SubIOp::create(b, f.bits(shifted), f.bits(emitShifter(f, -bias)));
  Value half = arith::ShRSIOp::create(b, both, f.integer(1));
  Value rest = arith::SubIOp::create(b, both, half);
  return f.mul(f.mul(mantissa, f.exponentBits(half)), f.exponentBits(rest));
}

Value emitExp(FloatEmitter &f, Value x) {
  // Beyond these it is 0 and infinite.
  x = f.atLeast(x, f.isDouble() ? -800 : -110);
  x = f.atMost(x, f.isDouble() ? 720 : 95);
  double bias = f.isDouble() ? 1023 : 127;
  Exponential value = emitExponential(f, x, emitShifter(f, bias));
  FloatPair tail = value.tail(f);
  Value mantissa = f.add(f.constant(1), f.add(tail.high, tail.low));
  return emitScaled(f, mantissa, value.shifted);
}

Value emitExpOf(FloatEmitter &f, FloatPair x, Value exponent) {
  Value q = f.polynomial(expTailDouble, x.high);
  Value tail = f.multiplyAdd(f.mul(x.high, x.high), q, x.low);
  Value mantissa = f.add(f.constant(1), f.add(x.high, tail));
  return emitScaled(f, mantissa, f.add(exponent, emitShifter(f, 1023)));
}

FloatPair emitQuarterExp(FloatEmitter &f, Value x) {
  Exponential value = emitExponential(f, x, emitShifter(f, -2));
  FloatPair tail = value.tail(f);
  FloatPair mantissa = f.orderedSum(f.constant(1), tail.high);
  mantissa = f.orderedSum(mantissa.high, f.add(mantissa.low, tail.low));
  Value power = value.power(f);
  return {f.mul(mantissa.high, power), f.mul(mantissa.low, power)};
}

FloatPair emitExpM1Pair(FloatEmitter &f, Value x) {
  Exponential value = emitExponential(f, x, emitShifter(f, 0));
  FloatPair tail = value.tail(f);
  Value power = value.power(f);
  // 2^k - 1, which may have one digit too many, is 0 or at least as large as
  // the other term.
  FloatPair base = f.sum(power, f.constant(-1));
  FloatPair sum = f.orderedSum(base.high, f.mul(power, tail.high));
  Value low = f.add(sum.low, f.add(base.low, f.mul(power, tail.low)));
  return f.orderedSum(sum.high, low);
}

Value emitExpM1(FloatEmitter &f, Value x) {
  // Beyond `large` the 1 is lost.
  double large = 60;
  FloatPair pair = emitExpM1Pair(f, f.atMost(f.atLeast(x, -large), large));
  Value value = f.add(pair.high, pair.low);
  value = f.select(f.less(f.constant(large), x), emitExp(f, x), value);
  // The sum has lost the sign of a zero.
  return f.select(f.less(f.abs(x), f.constant(0x1p-60)), x, value);
}

Value emitTanh(FloatEmitter &f, Value x) {
  // (e - 1) / (e + 1) with e = exp(2 |x|), which is 1 beyond the bound.
  Value magnitude = f.atMost(f.abs(x), f.isDouble() ? 20 : 10);
  Value twice = f.add(magnitude, magnitude);
  if (f.isDouble()) {
    FloatPair minusOne = emitExpM1Pair(f, twice);
    FloatPair plusOne = f.sum(minusOne.high, f.constant(2));
    plusOne.low = f.add(plusOne.low, minusOne.low);
    return f.copySign(f.quotient(minusOne, plusOne), x);
  }
  // Faster, with an error below two units: only the quotient is corrected.
  Exponential value = emitExponential(f, twice, emitShifter(f, 0));
  Value power = value.power(f);
  Value minusOne =
      f.multiplyAdd(power, value.roundedTail(f), f.sub(power, f.constant(1)));
  Value reciprocal = f.div(f.constant(1), f.add(minusOne, f.constant(2)));
  Value near = f.mul(minusOne, reciprocal);
  Value rest = f.multiplyAdd(near, f.constant(-2),
                             f.remainder(minusOne, near, minusOne));
  return f.copySign(f.multiplyAdd(rest, reciprocal, near), x);
}

Value emitSigmoid(FloatEmitter &f, Value x) {
  // e / (1 + e) for negative x, else 1 / (1 + e), with e = exp(-|x|), which may
  // be no normal number: its exponent is moved by one factor and back by
  // another.
  Value zero = f.constant(0), one = f.constant(1);
  Value negative = f.atLeast(f.sub(zero, f.abs(x)), f.isDouble() ? -800 : -110);
  double shift = f.isDouble() ? 512 : 64;
  Value back = f.constant(std::ldexp(1.0, -shift));
  Exponential value = emitExponential(f, negative, emitShifter(f, shift));
  Value power = value.power(f);
  Value isNegative = f.less(x, zero);
  if (!f.isDouble()) {
    // Faster, with an error below two units: e is rounded.
    Value mantissa = f.add(one, value.roundedTail(f));
    Value e = f.mul(f.mul(mantissa, power), back);
    FloatPair sum = f.orderedSum(one, e);
    Value near = f.div(f.select(isNegative, e, one), sum.high);
    return f.multiplySub(near, near, sum.low);
  }
  FloatPair tail = value.tail(f);
  FloatPair mantissa = f.orderedSum(one, tail.high);
  mantissa = f.orderedSum(mantissa.high, f.add(mantissa.low, tail.low));
  FloatPair sum = f.orderedSum(one, f.mul(f.mul(mantissa.high, power), back));
  sum.low = f.add(sum.low, f.mul(f.mul(mantissa.low, power), back));
  FloatPair numerator = {f.select(isNegative, mantissa.high, one),
                         f.select(isNegative, mantissa.low, zero)};
  power = f.select(isNegative, power, f.constant(std::ldexp(1.0, shift)));
  return f.mul(f.mul(f.quotient(numerator, sum), power), back);
}

Value emitReciprocalRoot(FloatEmitter &f, Value x) {
  Value one = f.constant(1);
  Value near = f.div(one, f.sqrt(x));
  // One step of Newton's, 1 - x near^2 being exact but for a small fraction.
  Value first = f.mul(x, near), firstError = f.productError(x, near, first);
  Value rest = f.remainder(one, first, near);
  rest = f.multiplySub(rest, firstError, near);
  Value result = f.multiplyAdd(f.mul(near, f.constant(0.5)), rest, near);
  // Of 0 and infinity there is no rest.
  return f.select(f.isNaN(result), near, result);
}

Value emitPower(FloatEmitter &f, Value x, int64_t exponent) {
  FloatPair base = {x, f.constant(0)};
  if (exponent < 0) {
    // The reciprocal first: the power itself may overflow.
    Value near = f.div(f.constant(1), x);
    base = {near, f.mul(near, f.remainder(f.constant(1), near, x))};
  }
  std::optional<FloatPair> result;
  for (uint64_t rest = std::abs(exponent); rest > 0; rest /= 2) {
    if (rest % 2 != 0)
      result = result ? f.product(*result, base) : base;
    if (rest > 1)
      base = f.product(base, base);
  }
  // Infinities have no errors, and zeros would lose their signs.
  Value sum = f.add(result->high, result->low);
  Value isNumber = arith::CmpFOp::create(f.builder(), arith::CmpFPredicate::ONE,
                                         sum, f.constant(0));
  return f.select(isNumber, sum, result->high);
}

Value emitLog(FloatEmitter &f, Value x) {
  if (f.isDouble())
    return emitWideLog(f, x);
  ImplicitLocOpBuilder &b = f.builder();
  Value isSmall = f.less(x, f.constant(0x1p-126));
  Value normal = f.select(isSmall, f.mul(x, f.constant(0x1p23)), x);
  // x = 2^exponent m with sqrt(1/2) <= m < sqrt(2).
  Value fraction = f.integer(f.fractionBits());
  Value bits = f.bits(normal);
  Value above =
      arith::SubIOp::create(b, bits, f.bits(f.constant(0x1.6a09e6p-1)));
  Value whole = arith::ShRSIOp::create(b, above, fraction);
  Value mantissa = f.fromBits(arith::SubIOp::create(
      b, bits, arith::ShLIOp::create(b, whole, fraction)));
  Value exponent = f.toFloat(whole);
  exponent = f.select(isSmall, f.sub(exponent, f.constant(23)), exponent);

  Value rest = f.sub(mantissa, f.constant(1));
  Value square = f.mul(rest, rest);
  FloatPair sum = f.orderedSum(f.mul(exponent, f.constant(0x1.62e4p-1)), rest);
  Value tail = f.multiplyAdd(f.mul(square, rest), f.polynomial(logTail, rest),
                             f.mul(exponent, f.constant(0x1.7f7d1cp-20)));
  tail = f.multiplyAdd(square, f.constant(-0.5), tail);
  Value result = f.add(sum.high, f.add(sum.low, tail));

  double infinity = std::numeric_limits<double>::infinity();
  double nan = std::numeric_limits<double>::quiet_NaN();
  Value zero = f.constant(0);
  Value isPositive = f.less(zero, x);
  Value finite = f.less(x, f.constant(infinity));
  Value special =
      f.select(f.less(x, zero), f.constant(nan), f.constant(-infinity));
  result = f.select(isPositive, result, special);
  // Infinity and NaN stay what they are.
  return f.select(finite, result, x);
}

Value emitErf(FloatEmitter &f, Value x) {
  if (f.isDouble())
    return emitWideErf(f, x);
  Value magnitude = f.abs(x);
  Value square = f.mul(magnitude, magnitude);
  Value small =
      f.multiplyAdd(magnitude, f.polynomial(erfTail, square), magnitude);

  // An error of 1.3 units where the two meet; exp(log(1 - erf(x))) has less,
  // but takes half as long again.
  Value root = f.polynomial(erfcRoot, f.atMost(magnitude, 4));
  root = f.mul(root, root);
  Value large = f.multiplySub(f.constant(1), root, root);

  Value isSmall = f.less(magnitude, f.constant(1.1));
  return f.copySign(f.select(isSmall, small, large), x);
}

} // namespace tapestry
