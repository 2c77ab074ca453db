//===- DeviceRemainders.cpp - Remainders of floats, exact -----------------===//
//
// By long division of the significands, 11 bits a step.
//
//===----------------------------------------------------------------------===//

#include "DeviceMath.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;

namespace tapestry {
namespace {

constexpr uint64_t sign = uint64_t(1) << 63;
constexpr uint64_t implicitOne = uint64_t(1) << 52;

/// A number as significand * 2^exponent but for a constant power.
struct Parts {
  Value significand, exponent;
};

Parts partsOf(Words &w, Value bits) {
  Value field = w.both(w.shiftRight(bits, w.word(52)), 0x7ff);
  Value isSubnormal = w.equal(field, w.word(0));
  Value fraction = w.both(bits, implicitOne - 1);
  return {
      w.any(fraction, w.select(isSubnormal, w.word(0), w.word(implicitOne))),
      w.select(isSubnormal, w.word(1), field)};
}

/// x * 2^count modulo y, of numbers below 2^53.
Value divideLong(Words &w, Value x, Value y, Value count) {
  constexpr int64_t step = 11;
  Value zero = arith::ConstantIndexOp::create(w.b, 0);
  Value one = arith::ConstantIndexOp::create(w.b, 1);
  Value steps = arith::IndexCastOp::create(
      w.b, w.b.getIndexType(),
      w.make<arith::DivUIOp>(w.sum(count, w.word(step - 1)), w.word(step)));
  auto loop = scf::ForOp::create(w.b, zero, steps, one, ValueRange{x, count});
  {
    OpBuilder::InsertionGuard guard(w.b);
    w.b.setInsertionPointToStart(loop.getBody());
    Value rest = loop.getRegionIterArg(0), left = loop.getRegionIterArg(1);
    Value by = w.make<arith::MinUIOp>(left, w.word(step));
    rest = w.make<arith::RemUIOp>(w.shiftLeft(rest, by), y);
    scf::YieldOp::create(w.b, ValueRange{rest, w.difference(left, by)});
  }
  return w.make<arith::RemUIOp>(loop.getResult(0), y);
}

/// The bits of significand * 2^exponent.
Value assemble(Words &w, Parts parts) {
  Value room = w.difference(parts.exponent, w.word(1));
  Value shift = w.make<arith::MinUIOp>(
      w.difference(w.leadingZeros(parts.significand), w.word(11)), room);
  Value bits = w.sum(w.shiftLeft(parts.significand, shift),
                     w.shiftLeft(w.difference(room, shift), w.word(52)));
  Value isZero = w.equal(parts.significand, w.word(0));
  return w.select(isZero, w.word(0), bits);
}

Value remainder(Words &w, Value x, Value y) {
  Value xBits = w.both(w.bits(x), ~sign), yBits = w.both(w.bits(y), ~sign);
  Parts dividend = partsOf(w, xBits), divisor = partsOf(w, yBits);
  // There is none by 0.
  Value isNone = w.equal(divisor.significand, w.word(0));
  Value by = w.select(isNone, w.word(1), divisor.significand);
  Value isLess = w.less(xBits, yBits);
  Value count = w.select(isLess, w.word(0),
                         w.difference(dividend.exponent, divisor.exponent));
  Value rest = divideLong(w, dividend.significand, by, count);
  Value size = w.select(isLess, xBits, assemble(w, {rest, divisor.exponent}));
  Value result = w.fromBits(w.any(size, w.both(w.bits(x), sign)));
  constexpr uint64_t infinity = uint64_t(0x7ff) << 52;
  isNone = w.any(isNone, w.less(w.word(infinity - 1), xBits));
  isNone = w.any(isNone, w.less(w.word(infinity), yBits));
  return w.select(isNone, w.real(std::numeric_limits<double>::quiet_NaN()),
                  result);
}

} // namespace

Value expandRemainder(Operation *op) {
  auto rem = dyn_cast<arith::RemFOp>(op);
  auto type = rem ? dyn_cast<FloatType>(rem.getType()) : FloatType();
  if (!type || type.getWidth() > 64)
    return nullptr;
  Words w(op);
  if (type.isF64())
    return remainder(w, rem.getLhs(), rem.getRhs());
  // It has no more digits than the two.
  Type wide = w.b.getF64Type();
  return arith::TruncFOp::create(
      w.b, type,
      remainder(w, arith::ExtFOp::create(w.b, wide, rem.getLhs()),
                arith::ExtFOp::create(w.b, wide, rem.getRhs())));
}

} // namespace tapestry
