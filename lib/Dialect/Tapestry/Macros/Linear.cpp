//===- Linear.cpp - Linear layers, by name and as vertices ----------------===//

#include "tapestry/Dialect/Tapestry/Macros/Linear.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"
#include "tapestry/Support/Error.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

Type teg::sumTypeOf(Type elementType) {
  return elementType.isF16() || elementType.isBF16()
             ? Float32Type::get(elementType.getContext())
             : elementType;
}

llvm::Error teg::checkLinear(Value x, Value w, Value bias, Type result) {
  RankedTensorType xType = typeOf(x), wType = typeOf(w);
  if (xType.getRank() < 1)
    return planError("operand 0 has rank 0, expected at least 1");
  if (wType.getRank() != 2)
    return planError("operand 1 has rank ", wType.getRank(), ", expected 2");
  int64_t in = xType.getShape().back();
  if (wType.getDimSize(0) != in)
    return planError("the last dimension of operand 0 has extent ", in,
                     ", but the first of operand 1 has ", wType.getDimSize(0));
  int64_t out = wType.getDimSize(1);
  if (bias &&
      (typeOf(bias).getRank() != 1 || typeOf(bias).getDimSize(0) != out))
    return planError("operand 2 is a ", bias.getType(), ", expected extent ",
                     out, " of its one dimension, as the last of operand 1");
  Type element = xType.getElementType();
  for (Value operand : {w, bias ? bias : w})
    if (typeOf(operand).getElementType() != element)
      return planError("elements are of types ", element, " and ",
                       typeOf(operand).getElementType(), ", expected one type");
  if (element.isInteger(1))
    return planError("elements are i1, which have no product and sum");
  SmallVector<int64_t> shape(xType.getShape());
  shape.back() = out;
  auto expected = RankedTensorType::get(shape, element);
  bool isWide = !bias && result == expected.clone(sumTypeOf(element));
  if (result != expected && !isWide)
    return planError("the result is a ", result, ", expected ", expected);
  return llvm::Error::success();
}

/// [batch..., out].
static RankedTensorType resultType(Value x, Value w, Type elementType) {
  SmallVector<int64_t> shape(typeOf(x).getShape());
  shape.back() = typeOf(w).getDimSize(1);
  return RankedTensorType::get(shape, elementType);
}

OperatorOp teg::buildLinear(OpBuilder &builder, Location loc, StringRef name,
                            Value x, Value w, Value bias,
                            DictionaryAttr params) {
  return OperatorOp::create(
      builder, loc, name, linearKind, ValueRange({x, w, bias}),
      TypeRange(resultType(x, w, typeOf(x).getElementType())), params);
}

OperatorOp teg::buildMatmul(OpBuilder &builder, Location loc, StringRef name,
                            Value x, Value w, Type elementType,
                            DictionaryAttr params) {
  return OperatorOp::create(builder, loc, name, matmulKind, ValueRange({x, w}),
                            TypeRange(resultType(x, w, elementType)), params);
}

namespace {
/// The labels of a vertex, and how tensors are read by them.
class LinearSpace {
public:
  LinearSpace(MLIRContext *context, ArrayRef<int64_t> batch)
      : context(context), numBatch(batch.size()) {
    for (auto [number, extent] : llvm::enumerate(batch)) {
      names.push_back(numBatch == 1 ? "batch"
                                    : "batch" + std::to_string(number));
      extents.push_back(extent);
    }
  }
  /// Adds a label; returns its number.
  unsigned add(StringRef name, int64_t extent) {
    names.push_back(name.str());
    extents.push_back(extent);
    return names.size() - 1;
  }
  SmallVector<ScalarLabel> labels() const {
    SmallVector<ScalarLabel> result;
    for (auto [name, extent] : llvm::zip_equal(names, extents))
      result.push_back({name, extent});
    return result;
  }
  /// `tensor` at the batch labels, if `isBatched`, then at these.
  ScalarRead read(Value tensor, bool isBatched, ArrayRef<unsigned> more) const {
    SmallVector<unsigned> targets;
    if (isBatched)
      llvm::append_range(targets, llvm::seq(0u, numBatch));
    llvm::append_range(targets, more);
    return {tensor, AffineMap::getMultiDimMapWithTargets(names.size(), targets,
                                                         context)};
  }

private:
  MLIRContext *context;
  unsigned numBatch;
  SmallVector<std::string> names;
  SmallVector<int64_t> extents;
};
} // namespace

/// Narrow floats are multiplied and added in f32.
static Value multiply(ScalarBuilder &b, ValueRange values) {
  Value x = b.widen(values[0]), y = b.widen(values[1]);
  if (isa<FloatType>(x.getType()))
    return b.create<arith::MulFOp>(x, y);
  if (isa<ComplexType>(x.getType()))
    return b.create<complex::MulOp>(x, y);
  return b.create<arith::MulIOp>(x, y);
}

static Value add(ScalarBuilder &b, ValueRange values) {
  Value x = b.widen(values[0]), y = b.widen(values[1]);
  if (isa<FloatType>(x.getType()))
    return b.create<arith::AddFOp>(x, y);
  if (isa<ComplexType>(x.getType()))
    return b.create<complex::AddOp>(x, y);
  return b.create<arith::AddIOp>(x, y);
}

EinsumOp teg::buildProductSum(OpBuilder &builder, Location loc, StringRef name,
                              Value x, Value w, Type elementType) {
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  LinearSpace space(builder.getContext(), shape.drop_back());
  unsigned out = space.add("out", typeOf(w).getDimSize(1));
  unsigned in = space.add("in", shape.back());
  return buildEinsum(
      builder, loc, name, space.labels(), shape.size(), Monoid::Add,
      elementType,
      {{space.read(x, true, in), space.read(w, false, {in, out})}, multiply});
}

EinsumOp teg::buildProd(OpBuilder &builder, Location loc, StringRef name,
                        Value x, Value w) {
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  LinearSpace space(builder.getContext(), shape.drop_back());
  unsigned in = space.add("in", shape.back());
  unsigned out = space.add("out", typeOf(w).getDimSize(1));
  // Products are summed up before they are rounded.
  Type element = sumTypeOf(typeOf(x).getElementType());
  return buildEinsum(
      builder, loc, name, space.labels(), shape.size() + 1, Monoid::None,
      element,
      {{space.read(x, true, in), space.read(w, false, {in, out})}, multiply});
}

EinsumOp teg::buildSumDim(OpBuilder &builder, Location loc, StringRef name,
                          Value product, Type elementType) {
  ArrayRef<int64_t> shape = typeOf(product).getShape();
  LinearSpace space(builder.getContext(), shape.drop_back(2));
  unsigned out = space.add("out", shape.back());
  unsigned in = space.add("in", shape[shape.size() - 2]);
  return buildEinsum(builder, loc, name, space.labels(), shape.size() - 1,
                     Monoid::Add, elementType,
                     {{space.read(product, true, {in, out})}});
}

EinsumOp teg::buildSum(OpBuilder &builder, Location loc, StringRef name,
                       Value value, Value bias, Type elementType) {
  ArrayRef<int64_t> shape = typeOf(value).getShape();
  LinearSpace space(builder.getContext(), shape.drop_back());
  unsigned out = space.add("out", shape.back());
  return buildEinsum(
      builder, loc, name, space.labels(), shape.size(), Monoid::None,
      elementType,
      {{space.read(value, true, out), space.read(bias, false, out)}, add});
}
