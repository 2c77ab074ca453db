//===- ScalarBuilder.cpp - The operations of an einsum's body -------------===//

#include "tapestry/Dialect/Tapestry/Macros/ScalarBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry::teg;

Value ScalarBuilder::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known)
    known = emitConstant(builder, loc, value);
  return known;
}

Value ScalarBuilder::label(StringRef name) {
  Value &known = labels[name];
  if (!known)
    known = LabelOp::create(builder, loc, builder.getIndexType(),
                            builder.getStringAttr(name));
  return known;
}

Value ScalarBuilder::widen(Value value) {
  auto type = dyn_cast<FloatType>(value.getType());
  if (!type || type.getWidth() >= 32)
    return value;
  Value &known = widened[value];
  if (!known)
    known = create<arith::ExtFOp>(builder.getF32Type(), value);
  return known;
}

Value ScalarBuilder::quotient(Value dividend, Value divisor) {
  auto type = dyn_cast<ComplexType>(dividend.getType());
  if (!type)
    return create<arith::DivFOp>(dividend, divisor);
  Value re = quotient(create<complex::ReOp>(dividend), divisor);
  Value im = quotient(create<complex::ImOp>(dividend), divisor);
  return create<complex::CreateOp>(type, re, im);
}
