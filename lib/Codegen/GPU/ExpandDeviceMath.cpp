//===- ExpandDeviceMath.cpp - Functions that the host has in libm ---------===//
//
// Powers of floats up to f32, in f64; and sines, cosines and tangents of f32
// numbers that are too large for the arithmetic of ExpandMath, which has made
// them ones of f64 by then. Those are reduced by M. Payne's and R. Hanek's
// method (1983): of 2 / pi only the bits count that make the quadrant and what
// is left.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tapestry/Codegen/GPU/Passes.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_EXPANDDEVICEMATH
#include "tapestry/Codegen/GPU/Passes.h.inc"

namespace {

/// Builds arithmetic on f64 and i64.
class Words {
public:
  explicit Words(Operation *op) : b(op->getLoc(), op) {}

  Value real(double value) {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  }
  Value word(uint64_t value) {
    return arith::ConstantOp::create(
        b, b.getI64IntegerAttr(static_cast<int64_t>(value)));
  }
  template <typename Op> Value make(Value x, Value y) {
    return Op::create(b, x, y);
  }
  Value shiftLeft(Value x, Value by) { return make<arith::ShLIOp>(x, by); }
  Value shiftRight(Value x, Value by) { return make<arith::ShRUIOp>(x, by); }
  Value both(Value x, uint64_t mask) {
    return make<arith::AndIOp>(x, word(mask));
  }
  Value isSet(Value x, uint64_t mask) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, both(x, mask),
                                 word(0));
  }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  Value negate(Value x) { return arith::NegFOp::create(b, x); }
  Value absolute(Value x) { return math::AbsFOp::create(b, x); }
  /// The polynomial with these coefficients, the constant first.
  Value polynomial(ArrayRef<double> coefficients, Value x) {
    Value sum = real(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = math::FmaOp::create(b, sum, x, real(coefficient));
    return sum;
  }

  ImplicitLocOpBuilder b;
};

/// What is left of a number beyond whole quarters of a turn, and their number.
struct Angle {
  Value rest, quarters;
};

Angle reduce(Words &w, Value x) {
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

/// Null where `op` is none of these, or not of a number that was f32.
Value largeAngle(Operation *op) {
  if (!isa<math::SinOp, math::CosOp, math::TanOp>(op) ||
      !op->getResult(0).getType().isF64())
    return nullptr;
  auto wide = op->getOperand(0).getDefiningOp<arith::ExtFOp>();
  if (!wide || !wide.getIn().getType().isF32())
    return nullptr;
  Words w(op);
  Angle angle = reduce(w, wide.getIn());
  Value value = sine(w, angle, isa<math::CosOp>(op) ? 1 : 0);
  if (isa<math::TanOp>(op))
    value = w.make<arith::DivFOp>(value, sine(w, angle, 1));
  // Of infinities and NaN there is none.
  Value isFinite =
      w.compare(arith::CmpFPredicate::OLT, w.absolute(op->getOperand(0)),
                w.real(std::numeric_limits<double>::infinity()));
  return w.select(isFinite, value,
                  w.real(std::numeric_limits<double>::quiet_NaN()));
}

/// Null where `op` is no power, or one of f64.
Value power(Operation *op) {
  auto pow = dyn_cast<math::PowFOp>(op);
  auto type = pow ? dyn_cast<FloatType>(pow.getType()) : FloatType();
  if (!type || type.getWidth() > 32)
    return nullptr;
  Words w(op);
  auto widen = [&](Value value) -> Value {
    return arith::ExtFOp::create(w.b, w.b.getF64Type(), value);
  };
  Value x = widen(pow.getLhs()), y = widen(pow.getRhs());
  Value zero = w.real(0), one = w.real(1), size = w.absolute(x);
  Value log = math::Log2Op::create(w.b, size);
  Value result = math::Exp2Op::create(w.b, w.make<arith::MulFOp>(y, log));
  auto isWhole = [&](Value value) {
    return w.compare(arith::CmpFPredicate::OEQ, value,
                     math::FloorOp::create(w.b, value));
  };
  Value whole = isWhole(y);
  Value isEven = isWhole(w.make<arith::MulFOp>(y, w.real(0.5)));
  Value isOdd = w.make<arith::AndIOp>(
      whole, w.make<arith::XOrIOp>(isEven, arith::ConstantOp::create(
                                               w.b, w.b.getBoolAttr(true))));
  Value withSign = math::CopySignOp::create(w.b, result, x);
  result = w.select(isOdd, withSign, result);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value isNegative = w.make<arith::AndIOp>(
      w.compare(arith::CmpFPredicate::OLT, x, zero),
      w.compare(arith::CmpFPredicate::OGT, x, w.real(-infinity)));
  Value hasNone =
      w.select(whole, arith::ConstantOp::create(w.b, w.b.getBoolAttr(false)),
               isNegative);
  result = w.select(hasNone, w.real(std::numeric_limits<double>::quiet_NaN()),
                    result);
  // Also of what is no number, and to infinite powers.
  auto equals = [&](Value a, Value c) {
    return w.compare(arith::CmpFPredicate::OEQ, a, c);
  };
  Value isInfinite = equals(w.absolute(y), w.real(infinity));
  Value isOne = w.make<arith::OrIOp>(
      w.make<arith::OrIOp>(equals(y, zero), equals(x, one)),
      w.make<arith::AndIOp>(equals(size, one), isInfinite));
  result = w.select(isOne, one, result);
  return arith::TruncFOp::create(w.b, type, result);
}

struct ExpandDeviceMath : public impl::ExpandDeviceMathBase<ExpandDeviceMath> {
  using ExpandDeviceMathBase::ExpandDeviceMathBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](gpu::LaunchOp launch) {
      launch.walk([&](Operation *op) {
        if (isa_and_nonnull<math::MathDialect>(op->getDialect()))
          ops.push_back(op);
      });
    });
    for (Operation *op : ops) {
      Value value = power(op);
      if (!value)
        value = largeAngle(op);
      if (!value)
        continue;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
    }
  }
};

} // namespace
} // namespace tapestry
