//===- ElementaryFunctions.cpp - exp, log, tanh and others ----------------===//
//
// Reductions of the argument after W. J. Cody and W. Waite (Software Manual for
// the Elementary Functions, 1980); the polynomials are those that
// utils/fit-functions.py prints. What a result is the sum or the quotient of is
// kept in two parts, so that it is rounded once, but for small fractions.
//
//===----------------------------------------------------------------------===//

#include "ElementaryFunctions.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace tapestry {
namespace {

/// q of exp(r) = 1 + r + r^2 q(r) for |r - 3/32| <= log(2) / 2.
constexpr double expTailSingle[] = {0x1.00000ap-1, 0x1.55555ep-3, 0x1.553ad2p-5,
                                    0x1.1163dcp-7, 0x1.8d21dcp-10};
constexpr double expTailDouble[] = {0x1p-1,
                                    0x1.555555555554ep-3,
                                    0x1.555555555555bp-5,
                                    0x1.111111111403ap-7,
                                    0x1.6c16c16bfd988p-10,
                                    0x1.a01a01866e6a3p-13,
                                    0x1.a01a0329d4f17p-16,
                                    0x1.71de93cda6478p-19,
                                    0x1.27dd08be9410ap-22,
                                    0x1.adbb5ee4ac5b8p-26,
                                    0x1.39959b3b1c2f8p-29};

/// p of log(1 + f) = f - f^2 / 2 + f^3 p(f) for sqrt(1/2) <= 1 + f <= sqrt(2).
constexpr double logTail[] = {0x1.555548p-2, -0x1.000008p-2, 0x1.99a47ap-3,
                              -0x1.555b9p-3, 0x1.233abap-3,  -0x1.fc3d0cp-4,
                              0x1.e6e022p-4, -0x1.dda352p-4, 0x1.13c3dap-4};

/// c of erf(x) = x + x c(x^2) for |x| <= 1.
constexpr double erfTail[] = {0x1.06eba8p-3,  -0x1.81273ep-2, 0x1.ce2cecp-4,
                              -0x1.b7f7eep-6, 0x1.53fbb4p-8,  -0x1.a3aac6p-11,
                              0x1.4896a6p-14};
/// log(1 - erf(x)) for 3/4 <= x <= 4, where erf rounds to 1.
constexpr double logErfc[] = {0x1.ffd84ep-14, -0x1.211646p+0, -0x1.449174p-1,
                              -0x1.b8c722p-4, 0x1.941ba8p-6,  -0x1.057ecap-8,
                              0x1.9eac9ep-12, -0x1.270db2p-16};

/// exp of something, in parts: exp(r + error) = 1 + r + error + r^2 q times a
/// power of two.
struct Exponential {
  Value r, error, q, shifted;
  /// The power, where it is a normal number.
  Value power(FloatEmitter &f) const { return f.exponentBits(f.bits(shifted)); }
  /// What is added to 1.
  FloatPair tail(FloatEmitter &f) const {
    return {r, f.multiplyAdd(f.mul(r, r), q, error)};
  }
};

} // namespace

/// Where exponents are moved to by one factor and back by another, so that both
/// are normal numbers though the exponential may not be.
static double exponentShift(FloatEmitter &f) { return f.isDouble() ? 512 : 64; }

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
  // Off the middle, since 1 + r is rounded to smaller steps below 1.
  Value shifted =
      f.multiplyAdd(f.sub(x, f.constant(3.0 / 32)), f.constant(log2e), shifter);
  Value whole = f.sub(shifted, shifter);
  Value rest = f.multiplyAdd(whole, f.constant(-ln2High), x);
  Value r = f.multiplyAdd(whole, f.constant(-ln2Low), rest);
  Value error = f.multiplyAdd(whole, f.constant(-ln2Low), f.sub(rest, r));
  Value q = f.isDouble() ? f.polynomial(expTailDouble, r)
                         : f.polynomial(expTailSingle, r);
  return {r, error, q, shifted};
}

Value emitExp(FloatEmitter &f, Value x) {
  // Beyond these it is 0 and infinite.
  x = f.atLeast(x, f.isDouble() ? -800 : -110);
  x = f.atMost(x, f.isDouble() ? 720 : 95);
  // In two factors, since 2^k may be no normal number: of k + 2 bias, each
  // takes a half.
  ImplicitLocOpBuilder &b = f.builder();
  double bias = f.isDouble() ? 1023 : 127;
  Exponential value = emitExponential(f, x, emitShifter(f, bias));
  Value both = arith::SubIOp::create(b, f.bits(value.shifted),
                                     f.bits(emitShifter(f, -bias)));
  Value half = arith::ShRSIOp::create(b, both, f.integer(1));
  Value rest = arith::SubIOp::create(b, both, half);
  FloatPair tail = value.tail(f);
  Value mantissa = f.add(f.constant(1), f.add(tail.high, tail.low));
  return f.mul(f.mul(mantissa, f.exponentBits(half)), f.exponentBits(rest));
}

/// exp(x) - 1 for x that keeps exp(x) a normal number.
static FloatPair emitExpM1Pair(FloatEmitter &f, Value x) {
  Exponential value = emitExponential(f, x, emitShifter(f, 0));
  FloatPair tail = value.tail(f);
  Value power = value.power(f);
  // 2^k - 1 is 0 or at least as large as the other term.
  FloatPair sum =
      f.orderedSum(f.sub(power, f.constant(1)), f.mul(power, tail.high));
  return f.orderedSum(sum.high, f.add(sum.low, f.mul(power, tail.low)));
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
  FloatPair minusOne = emitExpM1Pair(f, f.add(magnitude, magnitude));
  FloatPair plusOne = f.sum(minusOne.high, f.constant(2));
  plusOne.low = f.add(plusOne.low, minusOne.low);
  return f.copySign(f.quotient(minusOne, plusOne), x);
}

Value emitSigmoid(FloatEmitter &f, Value x) {
  // e / (1 + e) for negative x, else 1 / (1 + e), with e = exp(-|x|).
  Value zero = f.constant(0), one = f.constant(1);
  Value negative = f.atLeast(f.sub(zero, f.abs(x)), f.isDouble() ? -800 : -110);
  double shift = exponentShift(f);
  Value back = f.constant(std::ldexp(1.0, -shift));
  Exponential value = emitExponential(f, negative, emitShifter(f, shift));
  FloatPair tail = value.tail(f);
  Value power = value.power(f);
  FloatPair mantissa = f.orderedSum(one, tail.high);
  mantissa = f.orderedSum(mantissa.high, f.add(mantissa.low, tail.low));
  FloatPair sum = f.orderedSum(one, f.mul(f.mul(mantissa.high, power), back));
  sum.low = f.add(sum.low, f.mul(f.mul(mantissa.low, power), back));
  Value isNegative = f.less(x, zero);
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
  Value second = f.mul(first, near);
  Value rest = f.sub(f.sub(one, second), f.productError(first, near, second));
  rest = f.sub(rest, f.mul(firstError, near));
  Value result = f.multiplyAdd(f.mul(near, f.constant(0.5)), rest, near);
  // Of 0 and infinity there is no rest.
  return f.select(f.isNaN(result), near, result);
}

Value emitPower(FloatEmitter &f, Value x, int64_t exponent) {
  FloatPair base = {x, f.constant(0)};
  if (exponent < 0) {
    // The reciprocal first: the power itself may overflow.
    Value near = f.div(f.constant(1), x);
    Value product = f.mul(near, x);
    Value rest =
        f.sub(f.sub(f.constant(1), product), f.productError(near, x, product));
    base = {near, f.mul(near, rest)};
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
  Value magnitude = f.abs(x);
  Value square = f.mul(magnitude, magnitude);
  Value small =
      f.multiplyAdd(magnitude, f.polynomial(erfTail, square), magnitude);

  // 1 - exp(log(erfc(x))), the logarithm in two parts.
  Value bounded = f.atMost(magnitude, 4);
  Value factor = f.polynomial(ArrayRef(logErfc).drop_front(), bounded);
  Value product = f.mul(factor, bounded);
  FloatPair log = f.orderedSum(product, f.constant(logErfc[0]));
  log.low = f.add(log.low, f.productError(factor, bounded, product));
  Exponential erfc = emitExponential(f, log.high, emitShifter(f, 0));
  FloatPair parts = erfc.tail(f);
  Value tail = f.add(parts.high, f.add(parts.low, log.low));
  Value power = erfc.power(f);
  Value large = f.sub(f.sub(f.constant(1), power), f.mul(power, tail));

  Value isSmall = f.less(magnitude, f.constant(0.875));
  return f.copySign(f.select(isSmall, small, large), x);
}

} // namespace tapestry
