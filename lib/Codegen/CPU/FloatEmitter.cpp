//===- FloatEmitter.cpp - Arithmetic on floats and their bits -------------===//

#include "tapestry/Codegen/CPU/FloatEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tapestry {

FloatEmitter FloatEmitter::ofDoubles() {
  Type wide = b.getF64Type();
  if (auto shaped = dyn_cast<ShapedType>(type))
    wide = shaped.clone(wide);
  return FloatEmitter(b, b.getLoc(), wide, hasFMA);
}

Value FloatEmitter::constant(double value) {
  TypedAttr attr = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attr = DenseElementsAttr::get(shaped, attr);
  return arith::ConstantOp::create(b, attr);
}

Value FloatEmitter::abs(Value x) { return math::AbsFOp::create(b, x); }

Value FloatEmitter::sqrt(Value x) { return math::SqrtOp::create(b, x); }

Value FloatEmitter::copySign(Value magnitude, Value sign) {
  return math::CopySignOp::create(b, magnitude, sign);
}

Value FloatEmitter::atLeast(Value x, double bound) {
  Value limit = constant(bound);
  return select(less(x, limit), limit, x);
}

Value FloatEmitter::atMost(Value x, double bound) {
  Value limit = constant(bound);
  return select(less(limit, x), limit, x);
}

Value FloatEmitter::multiplyAdd(Value x, Value y, Value z) {
  return hasFMA ? math::FmaOp::create(b, x, y, z).getResult()
                : add(mul(x, y), z);
}

Value FloatEmitter::multiplySub(Value z, Value x, Value y) {
  return multiplyAdd(arith::NegFOp::create(b, x), y, z);
}

Value FloatEmitter::polynomial(ArrayRef<double> coefficients, Value x) {
  Value result = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    result = multiplyAdd(result, x, constant(coefficient));
  return result;
}

Value FloatEmitter::upperHalf(Value x) {
  int64_t mask = isDouble() ? ~((int64_t(1) << 27) - 1) : ~int64_t(0xfff);
  return fromBits(arith::AndIOp::create(b, bits(x), integer(mask)));
}

Value FloatEmitter::productError(Value x, Value y, Value product) {
  if (hasFMA)
    return math::FmaOp::create(b, x, y, arith::NegFOp::create(b, product));
  // Products of halves are exact (T. J. Dekker, 1971).
  Value xHigh = upperHalf(x), yHigh = upperHalf(y);
  Value xLow = sub(x, xHigh), yLow = sub(y, yHigh);
  Value error = sub(mul(xHigh, yHigh), product);
  error = add(add(error, mul(xHigh, yLow)), mul(xLow, yHigh));
  return add(error, mul(xLow, yLow));
}

Value FloatEmitter::remainder(Value z, Value x, Value y) {
  if (hasFMA)
    return multiplySub(z, x, y);
  Value product = mul(x, y);
  return sub(sub(z, product), productError(x, y, product));
}

FloatPair FloatEmitter::orderedSum(Value x, Value y) {
  Value high = add(x, y);
  return {high, sub(y, sub(high, x))};
}

FloatPair FloatEmitter::sum(Value x, Value y) {
  Value high = add(x, y);
  Value ofY = sub(high, x);
  Value ofX = sub(high, ofY);
  return {high, add(sub(x, ofX), sub(y, ofY))};
}

FloatPair FloatEmitter::product(FloatPair x, FloatPair y) {
  Value high = mul(x.high, y.high);
  Value low = productError(x.high, y.high, high);
  low = multiplyAdd(x.high, y.low, low);
  low = multiplyAdd(x.low, y.high, low);
  return {high, low};
}

Value FloatEmitter::quotient(FloatPair x, FloatPair y) {
  Value reciprocal = div(constant(1), y.high);
  Value near = mul(x.high, reciprocal);
  Value rest = remainder(x.high, near, y.high);
  rest = add(rest, multiplySub(x.low, near, y.low));
  return multiplyAdd(rest, reciprocal, near);
}

Type FloatEmitter::integerType() {
  Type element = b.getIntegerType(isDouble() ? 64 : 32);
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? shaped.clone(element) : element;
}

Value FloatEmitter::integer(int64_t value) {
  Type wanted = integerType();
  TypedAttr attr = b.getIntegerAttr(getElementTypeOrSelf(wanted), value);
  if (auto shaped = dyn_cast<ShapedType>(wanted))
    attr = DenseElementsAttr::get(shaped, attr);
  return arith::ConstantOp::create(b, attr);
}

Value FloatEmitter::bits(Value x) {
  return arith::BitcastOp::create(b, integerType(), x);
}

Value FloatEmitter::fromBits(Value x) {
  return arith::BitcastOp::create(b, type, x);
}

Value FloatEmitter::toFloat(Value x) {
  return arith::SIToFPOp::create(b, type, x);
}

Value FloatEmitter::exponentBits(Value exponent) {
  return fromBits(arith::ShLIOp::create(b, exponent, integer(fractionBits())));
}

} // namespace tapestry
