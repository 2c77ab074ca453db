//===- DeviceAngles.cpp - sin, cos and tan of large numbers ---------------===//
//
// What ExpandMath leaves: f64 beyond 2^20, and f32 that it has made f64. They
// are reduced by M. Payne's and R. Hanek's method (1983): of 2 / pi only the
// bits count that make the quadrant and what is left.
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"
#include "tapestry/Codegen/CPU/Trigonometry.h"
#include <array>
#include <limits>

using namespace mlir;

namespace tapestry {
namespace {

/// What is left of a number beyond whole quarters of a turn, and their number.
struct Angle {
  Value rest, quarters;
};

/// Of a number that was f32.
Angle reduceSingle(Words &w, Value x) {
  // 2 / pi, from its bit 2 on.
  static constexpr uint64_t twoOverPi[] = {0,          0x28be60db, 0x9391054a,
                                           0x7f09d5f4, 0x7d4d3770, 0x36d8a566,
                                           0x4f10e410, 0};
  Value bits = arith::ExtUIOp::create(
      w.b, w.b.getI64Type(),
      arith::BitcastOp::create(w.b, w.b.getI32Type(), x));
  Value fraction = w.shiftLeft(
      w.make<arith::OrIOp>(w.both(bits, 0x7fffff), w.word(0x800000)),
      w.word(8));
  Value exponent = w.make<arith::SubIOp>(
      w.both(w.shiftRight(bits, w.word(23)), 0xff), w.word(126));
  Value which = w.shiftRight(exponent, w.word(5));
  Value by = w.both(exponent, 31);
  // Words `which` + k of the table, moved on by the rest.
  auto entry = [&](unsigned k) {
    Value value = w.word(twoOverPi[k]);
    for (unsigned i = 1; i + k < std::size(twoOverPi) && i < 5; ++i) {
      Value isThis = arith::CmpIOp::create(w.b, arith::CmpIPredicate::eq, which,
                                           w.word(i));
      value = w.select(isThis, w.word(twoOverPi[i + k]), value);
    }
    return value;
  };
  SmallVector<Value, 4> words;
  for (unsigned k = 0; k < 4; ++k)
    words.push_back(entry(k));
  auto moved = [&](unsigned k) {
    Value pair =
        w.make<arith::OrIOp>(w.shiftLeft(words[k], w.word(32)), words[k + 1]);
    return w.shiftRight(w.shiftLeft(pair, by), w.word(32));
  };
  Value low = w.make<arith::MulIOp>(fraction, moved(2));
  Value product = w.make<arith::AddIOp>(
      w.make<arith::MulIOp>(fraction, moved(1)), w.shiftRight(low, w.word(32)));
  product = w.make<arith::AddIOp>(
      product,
      w.shiftLeft(w.make<arith::MulIOp>(fraction, moved(0)), w.word(32)));
  Value quarters = w.shiftRight(product, w.word(62));
  Value rest = w.both(product, (uint64_t(1) << 62) - 1);
  Value isMore = w.isSet(rest, uint64_t(1) << 61);
  rest = w.select(isMore,
                  w.make<arith::SubIOp>(rest, w.word(uint64_t(1) << 62)), rest);
  quarters =
      w.select(isMore, w.make<arith::AddIOp>(quarters, w.word(1)), quarters);
  Value angle = arith::SIToFPOp::create(w.b, w.b.getF64Type(), rest);
  angle = w.make<arith::MulFOp>(angle, w.real(0x1.921fb54442d18p-62));
  Value isNegative = w.isSet(bits, 0x80000000);
  return {w.select(isNegative, w.negate(angle), angle),
          w.select(isNegative, w.make<arith::SubIOp>(w.word(0), quarters),
                   quarters)};
}

/// The sine of an angle that is moved on by so many quarters of a turn.
Value sine(Words &w, const Angle &angle, uint64_t moved) {
  Value square = w.make<arith::MulFOp>(angle.rest, angle.rest);
  // By Taylor: for at most an eighth of a turn to 14 digits.
  Value sin = w.make<arith::MulFOp>(
      angle.rest, w.polynomial({1, -1. / 6, 1. / 120, -1. / 5040, 1. / 362880,
                                -1. / 39916800, 1. / 6227020800.},
                               square));
  Value cos = w.polynomial({1, -1. / 2, 1. / 24, -1. / 720, 1. / 40320,
                            -1. / 3628800, 1. / 479001600, -1. / 87178291200.},
                           square);
  Value quarters = w.make<arith::AddIOp>(angle.quarters, w.word(moved));
  Value value = w.select(w.isSet(quarters, 1), cos, sin);
  return w.select(w.isSet(quarters, 2), w.negate(value), value);
}

/// 64 bits of 2 / pi each, behind as many zeros.
constexpr uint64_t longTwoOverPi[] = {0,
                                      0xa2f9836e4e441529,
                                      0xfc2757d1f534ddc0,
                                      0xdb6295993c439041,
                                      0xfe5163abdebbc561,
                                      0xb7246e3a424dd2e0,
                                      0x06492eea09d1921c,
                                      0xfe1deb1cb129a73e,
                                      0xe88235f52ebb4484,
                                      0xe99c7026b45f7e41,
                                      0x3991d639835339f4,
                                      0x9c845f8bbdf9283b,
                                      0x1ff897ffde05980f,
                                      0xef2f118b5a0a6d1f,
                                      0x6d367ecf27cb09b7,
                                      0x4f463f669e5fea2d,
                                      0x7527bac7ebe5f17b,
                                      0x3d0739f78a5292ea,
                                      0x6bfb5fb11f8d5d08,
                                      0x56033046fc7b6bab};

/// Three words, the highest first.
using LongWord = std::array<Value, 3>;

/// The bits of 2 / pi from number `first` on.
LongWord bitsOfTwoOverPi(Words &w, Value first) {
  constexpr unsigned numStarts = std::size(longTwoOverPi) - 3;
  Value which = w.shiftRight(first, w.word(6)), by = w.both(first, 63);
  SmallVector<Value> isStart(numStarts);
  for (unsigned start = 1; start < numStarts; ++start)
    isStart[start] = w.equal(which, w.word(start));
  SmallVector<Value, 4> words;
  for (unsigned k = 0; k < 4; ++k) {
    Value value = w.word(longTwoOverPi[k]);
    for (unsigned start = 1; start < numStarts; ++start)
      value = w.select(isStart[start], w.word(longTwoOverPi[start + k]), value);
    words.push_back(value);
  }
  Value back = w.difference(w.word(63), by);
  LongWord moved;
  for (unsigned k = 0; k < 3; ++k)
    moved[k] = w.any(w.shiftLeft(words[k], by),
                     w.shiftRight(w.shiftRight(words[k + 1], w.word(1)), back));
  return moved;
}

/// x * 2 / pi without multiples of 4, in units of 2^-190.
LongWord turnsOf(Words &w, Value bits) {
  Value fraction =
      w.any(w.both(bits, (uint64_t(1) << 52) - 1), w.word(uint64_t(1) << 52));
  Value exponent = w.both(w.shiftRight(bits, w.word(52)), 0x7ff);
  // The first bit that is no multiple of 4 afterwards.
  LongWord table = bitsOfTwoOverPi(w, w.difference(exponent, w.word(1013)));
  auto low = arith::MulUIExtendedOp::create(w.b, table[2], fraction);
  auto middle = arith::MulUIExtendedOp::create(w.b, table[1], fraction);
  Value second = w.sum(middle.getLow(), low.getHigh());
  Value carry = arith::ExtUIOp::create(w.b, w.b.getI64Type(),
                                       w.less(second, low.getHigh()));
  Value first = w.sum(w.make<arith::MulIOp>(table[0], fraction),
                      w.sum(middle.getHigh(), carry));
  return {first, second, low.getLow()};
}

/// A positive number in units of 2^-190 as two floats.
FloatPair pairOf(Words &w, const LongWord &number) {
  Value zero = w.word(0);
  // Without the leading zeros, which no f64 has 128 of.
  Value isLow = w.equal(number[0], zero);
  Value high = w.select(isLow, number[1], number[0]);
  Value middle = w.select(isLow, number[2], number[1]);
  Value low = w.select(isLow, zero, number[2]);
  Value by = w.leadingZeros(high), back = w.difference(w.word(63), by);
  auto moved = [&](Value x, Value next) {
    return w.any(w.shiftLeft(x, by),
                 w.shiftRight(w.shiftRight(next, w.word(1)), back));
  };
  high = moved(high, middle);
  middle = moved(middle, low);
  Value exponent = w.sum(by, w.select(isLow, w.word(64), zero));
  // 2^(-62 - exponent)
  Value unit = w.fromBits(
      w.shiftLeft(w.difference(w.word(1023 - 62), exponent), w.word(52)));
  Value below =
      w.any(w.shiftLeft(high, w.word(53)), w.shiftRight(middle, w.word(11)));
  Value above = w.toReal(w.both(high, ~uint64_t(0x7ff)));
  return {w.make<arith::MulFOp>(above, unit),
          w.make<arith::MulFOp>(w.toReal(below),
                                w.make<arith::MulFOp>(unit, w.real(0x1p-53)))};
}

/// Of a number beyond 2^20.
ReducedAngle reduceDouble(Words &w, FloatEmitter &f, Value x) {
  Value bits = w.bits(x);
  LongWord turns = turnsOf(w, bits);
  Value quarters =
      w.shiftRight(w.sum(turns[0], w.word(uint64_t(1) << 61)), w.word(62));
  turns[0] = w.difference(turns[0], w.shiftLeft(quarters, w.word(62)));
  constexpr uint64_t sign = uint64_t(1) << 63;
  Value isBelow = w.isSet(turns[0], sign);
  for (Value &word : turns)
    word = w.select(isBelow, w.make<arith::XOrIOp>(word, w.word(~uint64_t(0))),
                    word);
  FloatPair rest =
      f.product(pairOf(w, turns), {f.constant(0x1.921fb54442d18p+0),
                                   f.constant(0x1.1a62633145c07p-54)});
  Value isNegative = w.isSet(bits, sign);
  quarters = w.select(isNegative, w.difference(w.word(0), quarters), quarters);
  Value isTurned = w.make<arith::XOrIOp>(isBelow, isNegative);
  return {{w.select(isTurned, w.negate(rest.high), rest.high),
           w.select(isTurned, w.negate(rest.low), rest.low)},
          quarters};
}

/// Of numbers that were f32: in f64, whose last digits do not count.
Value ofSingle(Words &w, Operation *op, Value single) {
  Angle angle = reduceSingle(w, single);
  Value value = sine(w, angle, isa<math::CosOp>(op) ? 1 : 0);
  if (isa<math::TanOp>(op))
    value = w.make<arith::DivFOp>(value, sine(w, angle, 1));
  return value;
}

Value ofDouble(Words &w, Operation *op) {
  FloatEmitter f(w.b, op->getLoc(), w.b.getF64Type(), /*hasFMA=*/true);
  ReducedAngle angle = reduceDouble(w, f, op->getOperand(0));
  if (isa<math::TanOp>(op))
    return emitTanOf(f, angle);
  return emitSineOf(f, angle, isa<math::CosOp>(op) ? 1 : 0);
}

} // namespace

Value expandLargeAngle(Operation *op) {
  if (!isa<math::SinOp, math::CosOp, math::TanOp>(op) ||
      !op->getResult(0).getType().isF64())
    return nullptr;
  Words w(op);
  auto wide = op->getOperand(0).getDefiningOp<arith::ExtFOp>();
  Value value = wide && wide.getIn().getType().isF32()
                    ? ofSingle(w, op, wide.getIn())
                    : ofDouble(w, op);
  // Of infinities and NaN there is none.
  Value isFinite =
      w.compare(arith::CmpFPredicate::OLT, w.absolute(op->getOperand(0)),
                w.real(std::numeric_limits<double>::infinity()));
  return w.select(isFinite, value,
                  w.real(std::numeric_limits<double>::quiet_NaN()));
}

} // namespace tapestry
