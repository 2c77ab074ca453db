//===- ExpandRandom.cpp - Random numbers as arithmetic --------------------===//
//
// Philox 4x32-10 with the constants of J. K. Salmon et al., Parallel Random
// Numbers: As Easy as 1, 2, 3 (2011), section 3.3.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/Passes.h"
#include "tapestry/Dialect/Index/IR/IndexRandom.h"

using namespace mlir;

namespace tapestry {

#define GEN_PASS_DEF_EXPANDRANDOM
#include "tapestry/Codegen/Common/Passes.h.inc"

namespace {

/// sin(pi x) / x in x^2 for |x| <= 1/2; relative errors 2.2e-11 and 4e-22.
constexpr double sineOfFloats[] = {3.14159265352,   -5.16771276212,
                                   2.55016324032,   -0.599251330109,
                                   0.0820464788382, -0.00702216353514};
constexpr double sineOfDoubles[] = {
    3.1415926535897932385,     -5.1677127800499700283,
    2.5501640398773452272,     -0.59926452932078626817,
    0.08214588661098070774,    -0.007370430943554911177,
    0.00046630278646725755269, -0.000021915246401938967494,
    7.9484562985660294054e-7,  -2.2276393433247872832e-8};

/// Builds the value of one operation, on scalars or vectors.
class Expander {
public:
  explicit Expander(index::RandomOp op)
      : b(op.getLoc(), op), op(op), type(op.getType()),
        element(getElementTypeOrSelf(type)) {}

  Value expand();

private:
  /// `of` with as many elements as the result.
  Type like(Type of) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped ? shaped.clone(of) : of;
  }
  Value constant(TypedAttr value) {
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(
          cast<ShapedType>(shaped.clone(value.getType())), Attribute(value));
    return arith::ConstantOp::create(b, value);
  }
  Value constant(uint64_t word) {
    return constant(b.getI64IntegerAttr(static_cast<int64_t>(word)));
  }
  Value constant(double value) {
    return constant(b.getFloatAttr(computed(), value));
  }
  Value low(Value word) {
    return arith::AndIOp::create(b, word, constant(uint64_t(0xffffffff)));
  }
  Value right(Value word, uint64_t count) {
    return arith::ShRUIOp::create(b, word, constant(count));
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  /// The float type of the arithmetic.
  FloatType computed() {
    return element.isF64() ? b.getF64Type() : b.getF32Type();
  }
  /// Four words, in the low halves of 64 bits.
  std::array<Value, 4> philox();
  /// The 64 bits that are words `number` + 1 and `number`.
  Value pair(const std::array<Value, 4> &words, unsigned number) {
    Value upper =
        arith::ShLIOp::create(b, words[number + 1], constant(uint64_t(32)));
    return arith::OrIOp::create(b, upper, low(words[number]));
  }
  /// The low half as 32 bits.
  Value narrow(Value word) {
    return arith::TruncIOp::create(b, like(b.getI32Type()), word);
  }
  Value uniform(const std::array<Value, 4> &words);
  Value normal(const std::array<Value, 4> &words);

  ImplicitLocOpBuilder b;
  index::RandomOp op;
  Type type, element;
};

} // namespace

std::array<Value, 4> Expander::philox() {
  Value stream = constant(op.getStream());
  if (op.getOffset())
    stream = arith::AddIOp::create(b, stream, op.getOffset());
  std::array<Value, 4> words = {op.getCounter(), right(op.getCounter(), 32),
                                stream, right(stream, 32)};
  Value keys[] = {low(op.getSeed()), right(op.getSeed(), 32)};
  constexpr uint64_t factors[] = {0xD2511F53, 0xCD9E8D57};
  constexpr uint64_t steps[] = {0x9E3779B9, 0xBB67AE85};
  for (unsigned round = 0; round < 10; ++round) {
    Value products[2];
    for (unsigned side : {0, 1})
      products[side] = arith::MulIOp::create(b, low(words[2 * side]),
                                             constant(factors[side]));
    for (unsigned side : {0, 1}) {
      Value mixed = arith::XOrIOp::create(b, right(products[1 - side], 32),
                                          words[2 * side + 1]);
      // What it carries beyond 32 bits counts for nothing.
      Value key =
          arith::AddIOp::create(b, keys[side], constant(round * steps[side]));
      words[2 * side] = arith::XOrIOp::create(b, mixed, key);
    }
    words[1] = products[1];
    words[3] = products[0];
  }
  return words;
}

Value Expander::uniform(const std::array<Value, 4> &words) {
  if (element.isF64())
    return mul(arith::SIToFPOp::create(b, type, right(pair(words, 0), 11)),
               constant(0x1p-53));
  unsigned bits = element.isF32() ? 24 : element.isF16() ? 11 : 8;
  Value whole = narrow(right(low(words[0]), 32 - bits));
  Value real = mul(arith::SIToFPOp::create(b, like(b.getF32Type()), whole),
                   constant(std::ldexp(1.0, -static_cast<int>(bits))));
  return real;
}

Value Expander::normal(const std::array<Value, 4> &words) {
  bool isDouble = element.isF64();
  Type real = like(computed());
  auto odd = [&](Value word, IntegerType of) {
    return arith::OrIOp::create(b, word, constant(b.getIntegerAttr(of, 1)));
  };
  double scale = isDouble ? 0x1p-64 : 0x1p-32;
  Value radix = isDouble ? odd(pair(words, 0), b.getI64Type())
                         : odd(narrow(words[0]), b.getI32Type());
  Value turn = isDouble ? pair(words, 2) : narrow(words[1]);
  Value u = mul(arith::UIToFPOp::create(b, real, radix), constant(scale));
  Value radius =
      math::SqrtOp::create(b, mul(constant(-2.0), math::LogOp::create(b, u)));

  Value t = mul(arith::SIToFPOp::create(b, real, turn), constant(scale));
  Value square = mul(t, t);
  ArrayRef<double> coefficients =
      isDouble ? ArrayRef(sineOfDoubles) : ArrayRef(sineOfFloats);
  Value sum = constant(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = arith::AddFOp::create(b, mul(sum, square), constant(coefficient));
  return mul(radius, mul(t, sum));
}

Value Expander::expand() {
  std::array<Value, 4> words = philox();
  if (op.getKind() == index::RandomKind::Bits) {
    Value bits = element.isInteger(64) ? pair(words, 0) : words[0];
    return element.isInteger(64) ? bits
                                 : arith::TruncIOp::create(b, type, bits);
  }
  Value result = op.getKind() == index::RandomKind::Normal ? normal(words)
                                                           : uniform(words);
  return result.getType() == type ? result
                                  : arith::TruncFOp::create(b, type, result);
}

namespace {

struct ExpandRandom : public impl::ExpandRandomBase<ExpandRandom> {
  using ExpandRandomBase::ExpandRandomBase;

  void runOnOperation() override {
    if (!isDeviceCode(getOperation()))
      return;
    getOperation().walk([](index::RandomOp op) {
      op.replaceAllUsesWith(Expander(op).expand());
      op.erase();
    });
  }
};

} // namespace
} // namespace tapestry
