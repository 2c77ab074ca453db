//===- Tangent.cpp - tan --------------------------------------------------===//
//
// In f64. Arguments up to 2^20 are reduced by a multiple of pi / 2 in four
// parts (W. J. Cody and W. Waite, 1980); larger ones are the C library's. The
// polynomials are those that utils/fit-functions.py prints.
//
//===----------------------------------------------------------------------===//

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

/// pi / 2; products of the first three parts with multiples are exact.
constexpr double halfPi[] = {0x1.921fb544p+0, 0x1.0b4611a6p-34, 0x1.3198a2ep-69,
                             0x1.b839a252049c1p-104};
constexpr double largest = 0x1p20;

/// x - multiple * pi / 2.
FloatPair emitRest(FloatEmitter &f, Value x, Value multiple) {
  auto part = [&](unsigned number) {
    return f.mul(multiple, f.constant(-halfPi[number]));
  };
  Value first = f.add(x, part(0));
  FloatPair second = f.sum(first, part(1));
  FloatPair third = f.sum(second.high, part(2));
  Value low = f.add(f.add(second.low, third.low), part(3));
  return f.orderedSum(third.high, low);
}

/// Of numbers up to `largest`.
Value emitSmallTan(FloatEmitter &f, Value x) {
  ImplicitLocOpBuilder &b = f.builder();
  Value shifter = f.constant(0x1.8p52);
  Value shifted = f.multiplyAdd(x, f.constant(0x1.45f306dc9c883p-1), shifter);
  FloatPair r = emitRest(f, x, f.sub(shifted, shifter));
  Value isOdd = arith::CmpIOp::create(
      b, arith::CmpIPredicate::ne,
      arith::AndIOp::create(b, f.bits(shifted), f.integer(1)), f.integer(0));

  Value z = f.mul(r.high, r.high);
  Value lost = f.productError(r.high, r.high, z);
  Value half = f.mul(z, f.constant(-0.5));
  Value rest = f.mul(r.high, r.low);
  FloatPair cosine = f.orderedSum(f.constant(1), half);
  Value tail = f.multiplyAdd(f.mul(z, z), f.polynomial(cosTail, z),
                             f.multiplySub(cosine.low, lost, f.constant(0.5)));
  cosine = f.orderedSum(cosine.high, f.sub(tail, rest));
  // sin(r + e) = sin(r) + e cos(r)
  tail = f.mul(f.mul(r.high, z), f.polynomial(sinTail, z));
  FloatPair sine =
      f.orderedSum(r.high, f.multiplyAdd(r.low, cosine.high, tail));

  // -1 / tan(r) behind an odd multiple.
  FloatPair above = {f.select(isOdd, cosine.high, sine.high),
                     f.select(isOdd, cosine.low, sine.low)};
  FloatPair below = {f.select(isOdd, sine.high, cosine.high),
                     f.select(isOdd, sine.low, cosine.low)};
  Value result = f.quotient(above, below);
  result = f.select(isOdd, f.sub(f.constant(0), result), result);
  // Nothing is missing of what is small, nor of its sign.
  return f.select(f.less(f.abs(x), f.constant(0x1p-28)), x, result);
}

} // namespace

Value emitTan(FloatEmitter &f, Value x) {
  ImplicitLocOpBuilder &b = f.builder();
  auto vector = dyn_cast<VectorType>(x.getType());
  if (vector && (vector.getRank() != 1 || vector.isScalable()))
    return math::TanOp::create(b, x);
  Value small = emitSmallTan(f, x);
  // True of NaN as well.
  Value isLarge = arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, f.abs(x),
                                        f.constant(largest));
  Value isAny = isLarge;
  if (vector)
    isAny = vector::ReductionOp::create(b, vector::CombiningKind::OR, isLarge);
  auto branch = scf::IfOp::create(b, x.getType(), isAny, /*withElse=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    // Lane by lane, so that none depends on its neighbours.
    Value ofLibrary = math::TanOp::create(b, x);
    scf::YieldOp::create(b, f.select(isLarge, ofLibrary, small));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, small);
  }
  return branch.getResult(0);
}

} // namespace tapestry
