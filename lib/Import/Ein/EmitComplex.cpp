//===- EmitComplex.cpp - Complex numbers by their parts -------------------===//
//
// Only products stay whole, so that products of tensors are seen as such; all
// else is arithmetic on the parts, which no fold of upstream's rearranges.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace tapestry::ein;

using P = arith::CmpFPredicate;

Value BodyEmitter::re(Value value) { return create<complex::ReOp>(value); }
Value BodyEmitter::im(Value value) { return create<complex::ImOp>(value); }
Value BodyEmitter::makeComplex(Value re, Value im) {
  return create<complex::CreateOp>(ComplexType::get(re.getType()), re, im);
}

/// Whether a node is a real number, cast or not, of which only the real part
/// takes part in products.
bool BodyEmitter::isReal(unsigned number) const {
  const Node &node = expression.nodes[number];
  if (node.kind == NodeKind::Cast)
    return !isComplex(expression.nodes[node.args[0]].type);
  return node.kind == NodeKind::Constant && node.constant.imaginary == 0;
}

/// Arithmetic, comparisons and functions.
Value BodyEmitter::emitComplex(const Node &node) {
  Value x = arg(node, 0);
  switch (node.kind) {
  case NodeKind::Complex:
    return makeComplex(x, arg(node, 1));
  case NodeKind::Add:
    return onParts<arith::AddFOp>(x, arg(node, 1));
  case NodeKind::Sub:
    return onParts<arith::SubFOp>(x, arg(node, 1));
  case NodeKind::Neg:
    return onParts<arith::NegFOp>(x);
  case NodeKind::Mul:
    if (isReal(node.args[0]))
      return scaled<arith::MulFOp>(arg(node, 1), re(x));
    return isReal(node.args[1]) ? scaled<arith::MulFOp>(x, re(arg(node, 1)))
                                : create<complex::MulOp>(x, arg(node, 1));
  case NodeKind::Div:
    return isReal(node.args[1]) ? scaled<arith::DivFOp>(x, re(arg(node, 1)))
                                : emitQuotient(x, arg(node, 1));
  case NodeKind::Compare:
    return emitEquality(x, arg(node, 1), node.predicate == Predicate::Eq);
  case NodeKind::Re:
    return re(x);
  case NodeKind::Im:
    return im(x);
  case NodeKind::Conj:
    return makeComplex(re(x), create<arith::NegFOp>(im(x)));
  case NodeKind::Abs:
    return emitHypot(re(x), im(x));
  case NodeKind::Arg:
    return create<math::Atan2Op>(im(x), re(x));
  case NodeKind::Exp:
    return emitExponential(re(x), im(x));
  case NodeKind::Sqrt:
    return emitRoot(x);
  default:
    llvm_unreachable("refused by analysis");
  }
}

Value BodyEmitter::emitEquality(Value x, Value y, bool isEqual) {
  P predicate = isEqual ? P::OEQ : P::UNE;
  Value first = create<arith::CmpFOp>(predicate, re(x), re(y));
  Value second = create<arith::CmpFOp>(predicate, im(x), im(y));
  return isEqual ? create<arith::AndIOp>(first, second)
                 : create<arith::OrIOp>(first, second);
}

/// By Euler's formula; of a real number it is one, infinite ones included.
Value BodyEmitter::emitExponential(Value re, Value im) {
  Value length = create<math::ExpOp>(re);
  Value cosine = create<arith::MulFOp>(length, create<math::CosOp>(im));
  Value sine = create<arith::MulFOp>(length, create<math::SinOp>(im));
  Value isReal = create<arith::CmpFOp>(P::OEQ, im, constant(im.getType(), 0.0));
  return makeComplex(create<arith::SelectOp>(isReal, length, cosine),
                     create<arith::SelectOp>(isReal, im, sine));
}

/// R. L. Smith, Algorithm 116 (1962): by the larger part of the divisor, so
/// that its square neither overflows nor vanishes. By 0 the parts are divided
/// one by one, as NumPy does.
Value BodyEmitter::emitQuotient(Value x, Value y) {
  Value a = re(x), b = im(x), c = re(y), d = im(y);
  Value byReal = create<arith::CmpFOp>(P::OGE, create<math::AbsFOp>(c),
                                       create<math::AbsFOp>(d));
  auto choose = [&](Value yes, Value no) -> Value {
    return create<arith::SelectOp>(byReal, yes, no);
  };
  // x / y is (x / i) / (y / i).
  Value real = choose(a, b);
  Value imaginary = choose(b, create<arith::NegFOp>(a));
  Value large = choose(c, d);
  Value small = choose(d, create<arith::NegFOp>(c));
  Value zero = constant(large.getType(), 0.0);
  Value isZero = create<arith::CmpFOp>(P::OEQ, large, zero);
  Value ratio = create<arith::SelectOp>(isZero, zero,
                                        create<arith::DivFOp>(small, large));
  Value divisor =
      create<arith::AddFOp>(large, create<arith::MulFOp>(small, ratio));
  Value first =
      create<arith::AddFOp>(real, create<arith::MulFOp>(imaginary, ratio));
  Value second =
      create<arith::SubFOp>(imaginary, create<arith::MulFOp>(real, ratio));
  first = create<arith::DivFOp>(first, divisor);
  return makeComplex(first, create<arith::DivFOp>(second, divisor));
}

/// The root with a real part that is not negative; the imaginary part's sign is
/// that of z.
Value BodyEmitter::emitRoot(Value z) {
  Value a = re(z), b = im(z);
  Type type = a.getType();
  Value zero = constant(type, 0.0), half = constant(type, 0.5);
  auto halved = [&](Value value) { return create<arith::MulFOp>(value, half); };
  // Of halves the sum does not overflow.
  Value large = create<math::SqrtOp>(create<arith::AddFOp>(
      halved(create<math::AbsFOp>(a)), halved(emitHypot(a, b))));
  Value small = create<arith::DivFOp>(halved(create<math::AbsFOp>(b)), large);
  Value isZero = create<arith::CmpFOp>(P::OEQ, large, zero);
  small = create<arith::SelectOp>(isZero, zero, small);
  Value isRight = create<arith::CmpFOp>(P::OGE, a, zero);
  Value real = create<arith::SelectOp>(isRight, large, small);
  Value imaginary = create<arith::SelectOp>(isRight, small, large);
  return makeComplex(real, create<math::CopySignOp>(imaginary, b));
}

Value BodyEmitter::emitComplexCast(Value value, ElementType from,
                                   ElementType to) {
  ElementType part = partType(to);
  if (!isComplex(from))
    return makeComplex(emitCast(value, from, part),
                       constant(storedType(part, builder.getContext()), 0.0));
  Value real = emitFloatToFloat(re(value), part);
  return makeComplex(real, emitFloatToFloat(im(value), part));
}
