//===- EmitFunctions.cpp - Functions of .ein as math ops ------------------===//
//
// One operation each where there is one; the others are made of arithmetic.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tapestry::ein;

/// Constant exponents up to this are integers in the IR.
static constexpr double largestIntegerPower = 1 << 20;

Value BodyEmitter::emitFunction(const Node &node) {
  Value a = arg(node, 0);
  if (isa<ComplexType>(a.getType()) || isComplex(node.type))
    return emitComplex(node);
  switch (node.kind) {
  case NodeKind::Pow: {
    const Node &exponent = expression.nodes[node.args[1]];
    double value = exponent.constant.real;
    // Whether and how these become products is for code generation to say.
    if (exponent.kind == NodeKind::Constant && value == std::floor(value) &&
        std::abs(value) <= largestIntegerPower)
      return create<math::FPowIOp>(
          a, constant(ElementType::I32, static_cast<int64_t>(value)));
    return create<math::PowFOp>(a, arg(node, 1));
  }
  case NodeKind::Exp:
    return create<math::ExpOp>(a);
  case NodeKind::Log:
    return create<math::LogOp>(a);
  case NodeKind::Sqrt:
    return create<math::SqrtOp>(a);
  case NodeKind::Rsqrt:
    return create<math::RsqrtOp>(a);
  case NodeKind::Sin:
    return create<math::SinOp>(a);
  case NodeKind::Cos:
    return create<math::CosOp>(a);
  case NodeKind::Tanh:
    return create<math::TanhOp>(a);
  case NodeKind::Erf:
    return create<math::ErfOp>(a);
  case NodeKind::Floor:
    return create<math::FloorOp>(a);
  case NodeKind::Ceil:
    return create<math::CeilOp>(a);
  case NodeKind::Round:
    return create<math::RoundEvenOp>(a);
  case NodeKind::Trunc:
    return create<math::TruncOp>(a);
  case NodeKind::Tan:
    return create<math::TanOp>(a);
  case NodeKind::Log1p:
    return create<math::Log1pOp>(a);
  case NodeKind::ExpM1:
    return create<math::ExpM1Op>(a);
  case NodeKind::Log2:
    return create<math::Log2Op>(a);
  case NodeKind::Log10:
    return create<math::Log10Op>(a);
  case NodeKind::Exp2:
    return create<math::Exp2Op>(a);
  case NodeKind::Cbrt:
    return create<math::CbrtOp>(a);
  case NodeKind::Sinh:
    return create<math::SinhOp>(a);
  case NodeKind::Cosh:
    return create<math::CoshOp>(a);
  case NodeKind::Asin:
    return create<math::AsinOp>(a);
  case NodeKind::Acos:
    return create<math::AcosOp>(a);
  case NodeKind::Atan:
    return create<math::AtanOp>(a);
  case NodeKind::Atan2:
    return create<math::Atan2Op>(a, arg(node, 1));
  case NodeKind::Hypot:
    return emitHypot(a, arg(node, 1));
  case NodeKind::Sign:
    return emitSign(node);
  case NodeKind::IsNaN:
    return create<arith::CmpFOp>(arith::CmpFPredicate::UNO, a, a);
  case NodeKind::IsInf:
    return create<arith::CmpFOp>(
        arith::CmpFPredicate::OEQ, create<math::AbsFOp>(a),
        constant(a.getType(), std::numeric_limits<double>::infinity()));
  case NodeKind::Sigmoid: {
    // Neither e nor the quotient overflows or vanishes too early.
    Value one = constant(a.getType(), 1.0);
    Value negative = create<arith::CmpFOp>(arith::CmpFPredicate::OLT, a,
                                           constant(a.getType(), 0.0));
    Value magnitude = create<math::AbsFOp>(a);
    Value exponential = create<math::ExpOp>(create<arith::NegFOp>(magnitude));
    Value numerator = create<arith::SelectOp>(negative, exponential, one);
    Value sum = create<arith::AddFOp>(one, exponential);
    return create<arith::DivFOp>(numerator, sum);
  }
  default:
    llvm_unreachable("no function");
  }
}

/// As NumPy's: 0 of both zeros, NaN of NaN.
Value BodyEmitter::emitSign(const Node &node) {
  Value x = arg(node, 0);
  bool real = isFloat(node.type);
  auto number = [&](int value) {
    return real ? constant(x.getType(), value) : constant(node.type, value);
  };
  Value zero = number(0);
  if (isUnsigned(node.type))
    return create<arith::MinUIOp>(x, number(1));
  auto compare = [&](arith::CmpFPredicate ofFloats,
                     arith::CmpIPredicate ofIntegers) -> Value {
    return real ? create<arith::CmpFOp>(ofFloats, x, zero)
                : create<arith::CmpIOp>(ofIntegers, x, zero);
  };
  Value isNegative =
      compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt);
  Value isPositive =
      compare(arith::CmpFPredicate::OGT, arith::CmpIPredicate::sgt);
  Value isZero = compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
  Value rest = create<arith::SelectOp>(isZero, zero, x);
  rest = create<arith::SelectOp>(isNegative, number(-1), rest);
  return create<arith::SelectOp>(isPositive, number(1), rest);
}

/// sqrt(x^2 + y^2) without overflow, infinite where one of both is.
Value BodyEmitter::emitHypot(Value x, Value y) {
  Type type = x.getType();
  double infinity = std::numeric_limits<double>::infinity();
  Value a = create<math::AbsFOp>(x), b = create<math::AbsFOp>(y);
  auto equals = [&](Value value, double wanted) {
    return create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, value,
                                 constant(type, wanted));
  };
  Value isInfinite =
      create<arith::OrIOp>(equals(a, infinity), equals(b, infinity));
  Value root;
  if (type.isF64()) {
    root = emitHypotOfDoubles(create<arith::MaximumFOp>(a, b),
                              create<arith::MinimumFOp>(a, b));
  } else {
    // Squares of f32 are exact in f64.
    auto square = [&](Value value) {
      Value wide =
          create<arith::ExtFOp>(builder.getBuilder().getF64Type(), value);
      return create<arith::MulFOp>(wide, wide);
    };
    Value sum = create<arith::AddFOp>(square(a), square(b));
    root = create<arith::TruncFOp>(type, create<math::SqrtOp>(sum));
  }
  return create<arith::SelectOp>(isInfinite, constant(type, infinity), root);
}

/// Of numbers with `large` >= `small`; what the squares, their sum and its root
/// lose is added to the root.
Value BodyEmitter::emitHypotOfDoubles(Value large, Value small) {
  Type type = large.getType();
  auto number = [&](double value) { return constant(type, value); };
  auto add = [&](Value x, Value y) { return create<arith::AddFOp>(x, y); };
  auto sub = [&](Value x, Value y) { return create<arith::SubFOp>(x, y); };
  auto mul = [&](Value x, Value y) { return create<arith::MulFOp>(x, y); };
  // A square and what rounding loses of it, from halves with exact products
  // (T. J. Dekker, 1971).
  auto square = [&](Value x) {
    Value scaled = mul(x, number(0x1p27 + 1));
    Value high = sub(scaled, sub(scaled, x)), low = sub(x, high);
    Value product = mul(x, x);
    Value error = sub(mul(high, high), product);
    error = add(add(error, mul(add(high, high), low)), mul(low, low));
    return std::pair(product, error);
  };
  auto select = [&](arith::CmpFPredicate predicate, double bound, double then,
                    Value other) {
    Value condition = create<arith::CmpFOp>(predicate, large, number(bound));
    return create<arith::SelectOp>(condition, number(then), other);
  };
  // By powers of two, where squares overflow or are subnormal.
  using P = arith::CmpFPredicate;
  Value scale = select(P::OGT, 0x1p500, 0x1p-600,
                       select(P::OLT, 0x1p-450, 0x1p600, number(1)));
  Value back = select(P::OGT, 0x1p500, 0x1p600,
                      select(P::OLT, 0x1p-450, 0x1p-600, number(1)));
  auto [p, lostOfP] = square(mul(large, scale));
  auto [q, lostOfQ] = square(mul(small, scale));
  Value sum = add(p, q);
  Value lost = add(sub(q, sub(sum, p)), add(lostOfP, lostOfQ));
  Value root = create<math::SqrtOp>(sum);
  auto [near, lostOfRoot] = square(root);
  Value rest = add(sub(sub(sum, near), lostOfRoot), lost);
  Value better = add(root, create<arith::DivFOp>(rest, add(root, root)));
  // 0 has no rest, and NaN passes.
  Value isZero = create<arith::CmpFOp>(P::OEQ, sum, number(0));
  return mul(create<arith::SelectOp>(isZero, root, better), back);
}
