//===- BodyEmitter.cpp - Nodes of a vertex as arith and math ops ----------===//
//
// The emitted ops are defined for every input: no division traps and no
// conversion is poison, since a padded or unselected point may hold any value.
//
//===----------------------------------------------------------------------===//

#include "BodyEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "tapestry/Interfaces/ElementType.h"
#include <cmath>

using namespace mlir;
using namespace tapestry::ein;

Type tapestry::ein::storedType(ElementType type, MLIRContext *context) {
  switch (type) {
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::I8:
  case ElementType::I16:
  case ElementType::I32:
  case ElementType::I64:
  case ElementType::Bool:
  case ElementType::U8:
  case ElementType::U16:
  case ElementType::U32:
  case ElementType::U64:
    return IntegerType::get(context, bitWidth(type));
  case ElementType::C64:
  case ElementType::C128:
    return ComplexType::get(storedType(partType(type), context));
  }
  llvm_unreachable("all types are converted");
}

TypedAttr tapestry::ein::constantAttr(const Constant &constant,
                                      ElementType type, MLIRContext *context) {
  Type stored = storedType(type, context);
  if (isFloat(type))
    return FloatAttr::get(stored, constant.real);
  if (auto complex = dyn_cast<ComplexType>(stored))
    return tapestry::complexValue(complex, constant.real, constant.imaginary);
  return IntegerAttr::get(stored, APInt(bitWidth(type), constant.integer,
                                        /*isSigned=*/true,
                                        /*implicitTrunc=*/true));
}

Type BodyEmitter::computeType(ElementType type) {
  bool narrow = type == ElementType::F16 || type == ElementType::BF16;
  return storedType(narrow ? ElementType::F32 : type, builder.getContext());
}

Value BodyEmitter::constant(ElementType type, int64_t integer) {
  return builder.constant(
      constantAttr({integer, 0}, type, builder.getContext()));
}

Value BodyEmitter::constant(Type type, double real) {
  return builder.constant(FloatAttr::get(type, real));
}

Value BodyEmitter::emit() {
  for (const Node &node : expression.nodes)
    values.push_back(emitNode(node));
  return values.back();
}

Value BodyEmitter::emitNode(const Node &node) {
  switch (node.kind) {
  case NodeKind::Operand:
    return builder.widen(operands[node.index]);
  case NodeKind::Constant:
    if (isComplex(node.type))
      return builder.constant(
          constantAttr(node.constant, node.type, builder.getContext()));
    if (isFloat(node.type))
      return constant(computeType(node.type), node.constant.real);
    return constant(node.type, node.constant.integer);
  case NodeKind::Compare:
    return emitCompare(node);
  case NodeKind::Index:
    return emitIndexCompare(node);
  case NodeKind::Label:
    return emitLabel(node);
  case NodeKind::RandomBits:
    return emitRandom(node, tapestry::index::RandomKind::Bits);
  case NodeKind::RandomUniform:
    return emitRandom(node, tapestry::index::RandomKind::Uniform);
  case NodeKind::RandomNormal:
    return emitRandom(node, tapestry::index::RandomKind::Normal);
  case NodeKind::Cast:
    return emitCast(arg(node, 0), expression.nodes[node.args[0]].type,
                    node.type);
  case NodeKind::Select:
    return create<arith::SelectOp>(arg(node, 0), arg(node, 1), arg(node, 2));
  case NodeKind::And:
    return create<arith::AndIOp>(arg(node, 0), arg(node, 1));
  case NodeKind::Or:
    return create<arith::OrIOp>(arg(node, 0), arg(node, 1));
  case NodeKind::Xor:
    return create<arith::XOrIOp>(arg(node, 0), arg(node, 1));
  case NodeKind::Shl:
  case NodeKind::Shr:
    return emitShift(node);
  case NodeKind::FloorDiv:
  case NodeKind::Mod:
    return isFloat(node.type)           ? emitFloatFloor(node)
           : isUnsigned(node.type)      ? emitUnsignedDivision(node)
           : node.kind == NodeKind::Mod ? emitModulo(node)
                                        : emitDivision(node);
  case NodeKind::Not:
    return create<arith::XOrIOp>(arg(node, 0), constant(ElementType::Bool, 1));
  case NodeKind::Add:
  case NodeKind::Sub:
  case NodeKind::Mul:
  case NodeKind::Div:
  case NodeKind::Neg:
  case NodeKind::Max:
  case NodeKind::Min:
  case NodeKind::Abs:
    return emitArithmetic(node);
  default:
    return emitFunction(node);
  }
}

//===----------------------------------------------------------------------===//
// Arithmetic and functions
//===----------------------------------------------------------------------===//

Value BodyEmitter::emitArithmetic(const Node &node) {
  Value a = arg(node, 0);
  if (isa<ComplexType>(a.getType()))
    return emitComplex(node);
  Value b = node.args.size() > 1 ? arg(node, 1) : Value();
  bool real = isFloat(node.type);
  switch (node.kind) {
  case NodeKind::Add:
    return createEither<arith::AddFOp, arith::AddIOp>(real, a, b);
  case NodeKind::Sub:
    return createEither<arith::SubFOp, arith::SubIOp>(real, a, b);
  case NodeKind::Mul:
    return createEither<arith::MulFOp, arith::MulIOp>(real, a, b);
  case NodeKind::Div:
    return real                    ? create<arith::DivFOp>(a, b)
           : isUnsigned(node.type) ? emitUnsignedDivision(node)
                                   : emitDivision(node);
  case NodeKind::Neg:
    return real ? create<arith::NegFOp>(a)
                : create<arith::SubIOp>(constant(node.type, 0), a);
  // The float forms hand a NaN on, as NumPy's maximum and minimum do.
  case NodeKind::Max:
    return isUnsigned(node.type)
               ? create<arith::MaxUIOp>(a, b)
               : createEither<arith::MaximumFOp, arith::MaxSIOp>(real, a, b);
  case NodeKind::Min:
    return isUnsigned(node.type)
               ? create<arith::MinUIOp>(a, b)
               : createEither<arith::MinimumFOp, arith::MinSIOp>(real, a, b);
  default:
    return isUnsigned(node.type)
               ? a
               : createEither<math::AbsFOp, math::AbsIOp>(real, a);
  }
}

/// Truncates toward zero, or rounds down for `//`; x / 0 is 0, and the smallest
/// integer / -1 wraps.
Value BodyEmitter::emitDivision(const Node &node) {
  Value dividend = arg(node, 0), divisor = arg(node, 1);
  const Node &divisorNode = expression.nodes[node.args[1]];
  auto divide = [&](Value by) {
    return node.kind == NodeKind::Div
               ? create<arith::DivSIOp>(dividend, by)
               : create<arith::FloorDivSIOp>(dividend, by);
  };
  Value zero, negated;
  auto negate = [&] {
    zero = constant(node.type, 0);
    negated = create<arith::SubIOp>(zero, dividend);
  };
  if (divisorNode.kind == NodeKind::Constant) {
    if (divisorNode.constant.integer == 0)
      return constant(node.type, 0);
    if (divisorNode.constant.integer != -1)
      return divide(divisor);
    negate();
    return negated;
  }
  negate();
  Value one = constant(node.type, 1), minusOne = constant(node.type, -1);
  auto equals = [&](Value other) {
    return create<arith::CmpIOp>(arith::CmpIPredicate::eq, divisor, other);
  };
  Value isZero = equals(zero), isMinusOne = equals(minusOne);
  Value special = create<arith::OrIOp>(isZero, isMinusOne);
  Value safe = create<arith::SelectOp>(special, one, divisor);
  Value quotient = divide(safe);
  Value finite = create<arith::SelectOp>(isMinusOne, negated, quotient);
  return create<arith::SelectOp>(isZero, zero, finite);
}

/// The quotient, or what it leaves; both are 0 where the divisor is.
Value BodyEmitter::emitUnsignedDivision(const Node &node) {
  Value dividend = arg(node, 0), divisor = arg(node, 1);
  Value zero = constant(node.type, 0);
  Value isZero = create<arith::CmpIOp>(arith::CmpIPredicate::eq, divisor, zero);
  // 1 leaves nothing.
  Value safe = create<arith::SelectOp>(isZero, constant(node.type, 1), divisor);
  if (node.kind == NodeKind::Mod)
    return create<arith::RemUIOp>(dividend, safe);
  return create<arith::SelectOp>(isZero, zero,
                                 create<arith::DivUIOp>(dividend, safe));
}

/// What `//` leaves, with the divisor's sign; x % 0 is 0.
Value BodyEmitter::emitModulo(const Node &node) {
  Value dividend = arg(node, 0), divisor = arg(node, 1);
  const Node &divisorNode = expression.nodes[node.args[1]];
  Value zero = constant(node.type, 0), safe = divisor;
  auto compare = [&](arith::CmpIPredicate predicate, Value a, Value b) {
    return create<arith::CmpIOp>(predicate, a, b);
  };
  if (divisorNode.kind == NodeKind::Constant) {
    int64_t by = divisorNode.constant.integer;
    if (by == 0 || by == -1)
      return zero;
  } else {
    // 1 leaves nothing either.
    Value special = create<arith::OrIOp>(
        compare(arith::CmpIPredicate::eq, divisor, zero),
        compare(arith::CmpIPredicate::eq, divisor, constant(node.type, -1)));
    safe = create<arith::SelectOp>(special, constant(node.type, 1), divisor);
  }
  Value rest = create<arith::RemSIOp>(dividend, safe);
  Value signs = create<arith::XOrIOp>(rest, safe);
  Value wrong =
      create<arith::AndIOp>(compare(arith::CmpIPredicate::ne, rest, zero),
                            compare(arith::CmpIPredicate::slt, signs, zero));
  return create<arith::SelectOp>(wrong, create<arith::AddIOp>(rest, safe),
                                 rest);
}

/// As NumPy computes both, from the exact remainder of the truncated quotient.
Value BodyEmitter::emitFloatFloor(const Node &node) {
  using P = arith::CmpFPredicate;
  Value a = arg(node, 0), b = arg(node, 1);
  Type type = a.getType();
  Value zero = constant(type, 0.0);
  auto compare = [&](P predicate, Value x, Value y) {
    return create<arith::CmpFOp>(predicate, x, y);
  };
  Value rest = create<arith::RemFOp>(a, b);
  Value signs = create<arith::XOrIOp>(compare(P::OLT, rest, zero),
                                      compare(P::OLT, b, zero));
  Value wrong = create<arith::AndIOp>(compare(P::ONE, rest, zero), signs);
  if (node.kind == NodeKind::Mod) {
    Value moved =
        create<arith::SelectOp>(wrong, create<arith::AddFOp>(rest, b), rest);
    return create<arith::SelectOp>(compare(P::OEQ, rest, zero),
                                   create<math::CopySignOp>(zero, b), moved);
  }
  Value one = constant(type, 1.0);
  Value plain = create<arith::DivFOp>(a, b);
  Value near = create<arith::DivFOp>(create<arith::SubFOp>(a, rest), b);
  near = create<arith::SelectOp>(wrong, create<arith::SubFOp>(near, one), near);
  // The quotient is whole but for its rounding.
  Value whole = create<math::FloorOp>(near);
  Value above =
      compare(P::OGT, create<arith::SubFOp>(near, whole), constant(type, 0.5));
  whole =
      create<arith::SelectOp>(above, create<arith::AddFOp>(whole, one), whole);
  whole = create<arith::SelectOp>(compare(P::OEQ, near, zero),
                                  create<math::CopySignOp>(zero, plain), whole);
  return create<arith::SelectOp>(compare(P::OEQ, b, zero), plain, whole);
}

/// By the width and more, and by a negative count: no bit is left, but copies
/// of the sign.
Value BodyEmitter::emitShift(const Node &node) {
  Value value = arg(node, 0), count = arg(node, 1);
  unsigned width = bitWidth(node.type);
  Value last = constant(node.type, width - 1);
  Value inside = create<arith::MinUIOp>(count, last);
  bool isRight = node.kind == NodeKind::Shr;
  if (isRight && !isUnsigned(node.type))
    return create<arith::ShRSIOp>(value, inside);
  Value isInside =
      create<arith::CmpIOp>(arith::CmpIPredicate::ule, count, last);
  Value shifted = isRight ? create<arith::ShRUIOp>(value, inside)
                          : create<arith::ShLIOp>(value, inside);
  return create<arith::SelectOp>(isInside, shifted, constant(node.type, 0));
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

static arith::CmpIPredicate integerPredicate(Predicate predicate,
                                             bool isUnsigned = false) {
  using P = arith::CmpIPredicate;
  static constexpr P ofSigned[] = {P::eq,  P::ne,  P::slt,
                                   P::sle, P::sgt, P::sge};
  static constexpr P ofUnsigned[] = {P::eq,  P::ne,  P::ult,
                                     P::ule, P::ugt, P::uge};
  return (isUnsigned ? ofUnsigned : ofSigned)[static_cast<unsigned>(predicate)];
}

/// False for NaN, but for "not equal".
static arith::CmpFPredicate floatPredicate(Predicate predicate) {
  using P = arith::CmpFPredicate;
  static constexpr P predicates[] = {P::OEQ, P::UNE, P::OLT,
                                     P::OLE, P::OGT, P::OGE};
  return predicates[static_cast<unsigned>(predicate)];
}

Value BodyEmitter::emitCompare(const Node &node) {
  ElementType type = expression.nodes[node.args[0]].type;
  if (isComplex(type))
    return emitComplex(node);
  if (isFloat(type))
    return create<arith::CmpFOp>(floatPredicate(node.predicate), arg(node, 0),
                                 arg(node, 1));
  return create<arith::CmpIOp>(
      integerPredicate(node.predicate, isUnsigned(type)), arg(node, 0),
      arg(node, 1));
}

Value BodyEmitter::emitForm(const LinearForm &form) {
  Builder attributes(builder.getContext());
  Value sum;
  auto add = [&](Value term) {
    sum = sum ? create<arith::AddIOp>(sum, term) : term;
  };
  for (LinearForm::Term term : form.terms) {
    Value label = builder.label(labels[term.label].name);
    if (term.coefficient != 1)
      label = create<arith::MulIOp>(
          label, builder.constant(attributes.getIndexAttr(term.coefficient)));
    add(label);
  }
  auto constant = [&](int64_t value) {
    return builder.constant(attributes.getIndexAttr(value));
  };
  if (!sum || form.constant != 0)
    add(constant(form.constant));
  if (form.floordiv != 1)
    sum = create<arith::FloorDivSIOp>(sum, constant(form.floordiv));
  if (form.mod == 0)
    return sum;
  Value turns = create<arith::FloorDivSIOp>(sum, constant(form.mod));
  return create<arith::SubIOp>(
      sum, create<arith::MulIOp>(turns, constant(form.mod)));
}

Value BodyEmitter::emitLabel(const Node &node) {
  const VertexLabel &label =
      labels[expression.forms[node.index].terms.front().label];
  ElementType whole = node.type;
  if (isFloat(node.type))
    whole = fitsInteger(label.extent - 1, ElementType::I32) ? ElementType::I32
                                                            : ElementType::I64;
  Value value = create<arith::IndexCastOp>(
      storedType(whole, builder.getContext()), builder.label(label.name));
  // The type has all of them.
  return isFloat(node.type)
             ? create<arith::SIToFPOp>(computeType(node.type), value)
             : value;
}

Value BodyEmitter::emitRandom(const Node &node,
                              tapestry::index::RandomKind kind) {
  Value counter = create<arith::IndexCastOp>(
      storedType(ElementType::I64, builder.getContext()),
      emitForm(expression.forms[node.index]));
  return builder.widen(create<tapestry::index::RandomOp>(
      storedType(node.type, builder.getContext()), kind, counter, arg(node, 0),
      static_cast<uint64_t>(node.constant.integer), Value()));
}

Value BodyEmitter::emitIndexCompare(const Node &node) {
  Value lhs = emitForm(expression.forms[node.index]);
  Value rhs = emitForm(expression.forms[node.index + 1]);
  return create<arith::CmpIOp>(integerPredicate(node.predicate), lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

Value BodyEmitter::emitCast(Value value, ElementType from, ElementType to) {
  if (isComplex(to))
    return emitComplexCast(value, from, to);
  if (to == ElementType::Bool) {
    if (from == ElementType::Bool)
      return value;
    // What is not zero is true, NaN included.
    if (isFloat(from))
      return create<arith::CmpFOp>(arith::CmpFPredicate::UNE, value,
                                   constant(value.getType(), 0.0));
    return create<arith::CmpIOp>(arith::CmpIPredicate::ne, value,
                                 constant(from, 0));
  }
  if (isFloat(from))
    return isFloat(to) ? emitFloatToFloat(value, to)
                       : emitFloatToInt(value, to);
  if (isFloat(to))
    return emitIntToFloat(value, from, to);
  Type type = storedType(to, builder.getContext());
  if (from == ElementType::Bool)
    return create<arith::ExtUIOp>(type, value);
  if (bitWidth(from) < bitWidth(to))
    return isUnsigned(from) ? create<arith::ExtUIOp>(type, value)
                            : create<arith::ExtSIOp>(type, value);
  if (bitWidth(from) > bitWidth(to))
    return create<arith::TruncIOp>(type, value);
  return value;
}

/// Rounds a wider float to f16 or bf16, whose values are computed in f32.
Value BodyEmitter::roundToNarrow(Value value, ElementType to) {
  // The einsum rounds its result itself, at once where nothing is reduced.
  bool isLast = values.size() + 1 == expression.nodes.size();
  if (isLast && isResult && value.getType().isF32())
    return value;
  Value narrow =
      create<arith::TruncFOp>(storedType(to, builder.getContext()), value);
  return create<arith::ExtFOp>(Float32Type::get(builder.getContext()), narrow);
}

Value BodyEmitter::emitFloatToFloat(Value value, ElementType to) {
  if (to == ElementType::F16 || to == ElementType::BF16)
    return roundToNarrow(value, to);
  Type type = computeType(to);
  unsigned width = value.getType().getIntOrFloatBitWidth();
  if (width < type.getIntOrFloatBitWidth())
    return create<arith::ExtFOp>(type, value);
  if (width > type.getIntOrFloatBitWidth())
    return create<arith::TruncFOp>(type, value);
  return value;
}

Value BodyEmitter::emitIntToFloat(Value value, ElementType from,
                                  ElementType to) {
  Type type = computeType(to);
  if (from == ElementType::Bool)
    return create<arith::UIToFPOp>(type, value);
  // By way of f32, which does not hold these, they would be rounded twice;
  // those that f16 can round to f32 does hold.
  auto convert = [&](Type real) {
    return isUnsigned(from) ? create<arith::UIToFPOp>(real, value)
                            : create<arith::SIToFPOp>(real, value);
  };
  if (to == ElementType::BF16 && bitWidth(from) > 16)
    return builder.widen(convert(storedType(to, builder.getContext())));
  bool narrow = to == ElementType::F16 || to == ElementType::BF16;
  // Both hold all of 8 bits.
  return narrow && bitWidth(from) > 8 ? roundToNarrow(convert(type), to)
                                      : convert(type);
}

/// Truncates toward zero, saturates, and makes 0 of NaN.
Value BodyEmitter::emitFloatToInt(Value value, ElementType to) {
  Type real = value.getType();
  Type type = storedType(to, builder.getContext());
  unsigned width = bitWidth(to);
  bool hasSign = !isUnsigned(to);
  double limit = std::ldexp(1.0, static_cast<int>(width) - hasSign);
  double least = hasSign ? -limit : 0;
  auto compare = [&](arith::CmpFPredicate predicate, double bound) {
    return create<arith::CmpFOp>(predicate, value, constant(real, bound));
  };
  Value above = compare(arith::CmpFPredicate::OGE, limit);
  // Also true for NaN, which is replaced first.
  Value notBelow = compare(arith::CmpFPredicate::OGE, least);
  Value notAbove = compare(arith::CmpFPredicate::OLT, limit);
  Value inside = create<arith::AndIOp>(notBelow, notAbove);
  Value safe = create<arith::SelectOp>(inside, value, constant(real, 0.0));
  Value converted = hasSign ? create<arith::FPToSIOp>(type, safe)
                            : create<arith::FPToUIOp>(type, safe);
  // Without a sign, what is below is 0 as NaN.
  Value below = hasSign ? compare(arith::CmpFPredicate::OLT, least) : Value();
  auto largest = static_cast<int64_t>(largestInteger(to));
  Value clampedAbove =
      create<arith::SelectOp>(above, constant(to, largest), converted);
  return hasSign ? create<arith::SelectOp>(below, constant(to, -largest - 1),
                                           clampedAbove)
                 : clampedAbove;
}
