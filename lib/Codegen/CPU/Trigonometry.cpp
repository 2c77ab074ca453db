//===- Trigonometry.cpp - sin, cos and tan --------------------------------===//
//
// Arguments are reduced by a multiple of pi / 2 in four parts (W. J. Cody and
// W. Waite, 1980). Those of f32 that are too large for that are computed in
// f64, those of f64 by the C library; tan always in f64. The polynomials are
// those that utils/fit-functions.py prints.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/CPU/Trigonometry.h"
#include "ElementaryFunctions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {
namespace {

/// p of sin(r) = r + r z p(z) and q of cos(r) = 1 - z / 2 + z^2 q(z) with z =
/// r^2 for |r| <= pi / 4.
constexpr double sinTail[] = {-0x1.5555555555555p-3,  0x1.1111111111067p-7,
                              -0x1.a01a019ffdb9ep-13, 0x1.71de3a32a7fcp-19,
                              -0x1.ae642ad245f03p-26, 0x1.6108afba0c14ap-33,
                              -0x1.9f6e05783add8p-41};
constexpr double cosTail[] = {0x1.5555555555555p-5,  -0x1.6c16c16c16b2bp-10,
                              0x1.a01a019ffb8ecp-16, -0x1.27e4fb5885a0ap-22,
                              0x1.1eed6d68387b5p-29, -0x1.9371b62b36a31p-37,
                              0x1.9c6cf2ad489afp-45};

constexpr double sinTailSingle[] = {-0x1.555546p-3, 0x1.11077cp-7,
                                    -0x1.9955bcp-13};
constexpr double cosTailSingle[] = {0x1.55554ap-5, -0x1.6c0c24p-10,
                                    0x1.99e668p-16};

/// pi / 2; products of the first three parts with multiples are exact.
constexpr double halfPi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                             0x1.b839a252049c1p-104};
constexpr double halfPiSingle[] = {0x1.922p+0, -0x1.2afp-18, 0x1.0b4p-34,
                                   0x1.84698ap-48};

/// The largest number that is reduced.
double largestOf(FloatEmitter &f) { return f.isDouble() ? 0x1p20 : 0x1p11; }

/// Of up to the largest.
ReducedAngle emitReduced(FloatEmitter &f, Value x) {
  llvm::ArrayRef<double> parts(f.isDouble() ? halfPi : halfPiSingle);
  Value shifter = f.constant(f.isDouble() ? 0x1.8p52 : 0x1.8p23);
  Value perHalfPi =
      f.constant(f.isDouble() ? 0x1.45f306dc9c883p-1 : 0x1.45f306p-1);
  Value shifted = f.multiplyAdd(x, perHalfPi, shifter);
  Value multiple = f.sub(shifted, shifter);
  auto part = [&](unsigned number) {
    return f.mul(multiple, f.constant(-parts[number]));
  };
  // Sums of a number and a larger one are exact here: what is left of x has no
  // bits below those of the part.
  Value first = f.add(x, part(0));
  FloatPair second = f.orderedSum(first, part(1));
  FloatPair third = f.orderedSum(second.high, part(2));
  Value low = f.add(f.add(second.low, third.low), part(3));
  return {{third.high, low}, f.bits(shifted)};
}

/// Of a rest.
struct SineAndCosine {
  FloatPair sine, cosine;
};

SineAndCosine emitSineAndCosine(FloatEmitter &f, FloatPair r) {
  llvm::ArrayRef<double> ofSine(sinTail), ofCosine(cosTail);
  if (!f.isDouble()) {
    ofSine = sinTailSingle;
    ofCosine = cosTailSingle;
  }
  Value z = f.mul(r.high, r.high);
  Value lost = f.productError(r.high, r.high, z);
  Value half = f.mul(z, f.constant(-0.5));
  Value rest = f.mul(r.high, r.low);
  FloatPair cosine = f.orderedSum(f.constant(1), half);
  Value tail = f.multiplyAdd(f.mul(z, z), f.polynomial(ofCosine, z),
                             f.multiplySub(cosine.low, lost, f.constant(0.5)));
  cosine = f.orderedSum(cosine.high, f.sub(tail, rest));
  // sin(r + e) = sin(r) + e cos(r)
  tail = f.mul(f.mul(r.high, z), f.polynomial(ofSine, z));
  FloatPair sine =
      f.orderedSum(r.high, f.multiplyAdd(r.low, cosine.high, tail));
  return {sine, cosine};
}

/// Where bit `number` of x is set.
Value emitBit(FloatEmitter &f, Value x, unsigned number) {
  ImplicitLocOpBuilder &b = f.builder();
  Value bit = arith::AndIOp::create(b, x, f.integer(1 << number));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bit, f.integer(0));
}

/// Negative zeros and numbers so small that nothing is missing of x in it.
Value emitUnlessTiny(FloatEmitter &f, Value x, Value result) {
  return f.select(f.less(f.abs(x), f.constant(0x1p-28)), x, result);
}

/// `small` where |x| can be reduced, else `emitLarge`'s. Lane by lane, so that
/// none depends on its neighbours.
Value emitUnlessLarge(FloatEmitter &f, Value x, Value small,
                      llvm::function_ref<Value()> emitLarge) {
  ImplicitLocOpBuilder &b = f.builder();
  // True of NaN as well.
  Value isLarge = arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, f.abs(x),
                                        f.constant(largestOf(f)));
  Value isAny = isLarge;
  if (isa<VectorType>(x.getType()))
    isAny = vector::ReductionOp::create(b, vector::CombiningKind::OR, isLarge);
  auto branch = scf::IfOp::create(b, x.getType(), isAny, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value large = emitLarge();
  scf::YieldOp::create(b, f.select(isLarge, large, small));
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, small);
  return branch.getResult(0);
}

bool isBranchable(Value x) {
  auto vector = dyn_cast<VectorType>(x.getType());
  return !vector || (vector.getRank() == 1 && !vector.isScalable());
}

/// The sine of x, or with a shift of 1 the cosine, which is `Op`.
template <typename Op> Value emitSine(FloatEmitter &f, Value x, int64_t shift) {
  if (!isBranchable(x))
    return Op::create(f.builder(), x);
  ImplicitLocOpBuilder &b = f.builder();
  ReducedAngle reduced = emitReduced(f, x);
  Value result = emitSineOf(f, reduced, shift);
  if (shift == 0)
    result = emitUnlessTiny(f, x, result);
  return emitUnlessLarge(f, x, result, [&]() -> Value {
    if (f.isDouble())
      return Op::create(b, x);
    FloatEmitter wide = f.ofDoubles();
    Value large = arith::ExtFOp::create(b, wide.getType(), x);
    return arith::TruncFOp::create(b, x.getType(),
                                   emitSine<Op>(wide, large, shift));
  });
}

} // namespace

Value emitSineOf(FloatEmitter &f, const ReducedAngle &angle, int64_t moved) {
  auto [sine, cosine] = emitSineAndCosine(f, angle.rest);
  Value quarters = angle.quarters;
  if (moved != 0)
    quarters = arith::AddIOp::create(f.builder(), quarters, f.integer(moved));
  Value result = f.select(emitBit(f, quarters, 0), cosine.high, sine.high);
  return f.select(emitBit(f, quarters, 1), f.sub(f.constant(0), result),
                  result);
}

Value emitTanOf(FloatEmitter &f, const ReducedAngle &angle) {
  auto [sine, cosine] = emitSineAndCosine(f, angle.rest);
  // -1 / tan(r) behind an odd multiple.
  Value isOdd = emitBit(f, angle.quarters, 0);
  FloatPair above = {f.select(isOdd, cosine.high, sine.high),
                     f.select(isOdd, cosine.low, sine.low)};
  FloatPair below = {f.select(isOdd, sine.high, cosine.high),
                     f.select(isOdd, sine.low, cosine.low)};
  Value result = f.quotient(above, below);
  return f.select(isOdd, f.sub(f.constant(0), result), result);
}

Value emitSin(FloatEmitter &f, Value x) {
  return emitSine<math::SinOp>(f, x, 0);
}

Value emitCos(FloatEmitter &f, Value x) {
  return emitSine<math::CosOp>(f, x, 1);
}

Value emitTan(FloatEmitter &f, Value x) {
  if (!isBranchable(x))
    return math::TanOp::create(f.builder(), x);
  Value result = emitTanOf(f, emitReduced(f, x));
  return emitUnlessLarge(f, x, emitUnlessTiny(f, x, result),
                         [&] { return math::TanOp::create(f.builder(), x); });
}

} // namespace tapestry
