//===- ScatterLowering.cpp - What one device combines of its points -------===//
//
// A loop over the points, in their order, that updates the result in place: one
// element, or a row of those along which nothing is indexed by data. What falls
// into the parts of other devices is left out.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

class ScatterLowering {
public:
  ScatterLowering(ScatterOp op, OpBuilder &builder, Location loc,
                  const LocalBlock &block);
  Value lower();

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  OpFoldResult sizeOf(unsigned label);
  Value fill(TypedAttr value);
  /// Loops over the labels from number `depth` of `loops` on.
  SmallVector<Value> emitLoops(unsigned depth, ValueRange sums);
  SmallVector<Value> emitPoint(ValueRange sums);
  SmallVector<Value> emitElement(ValueRange sums, ArrayRef<Value> place);
  SmallVector<Value> emitRow(ValueRange sums, ArrayRef<Value> place);
  /// What `fn` makes of reals, or of both parts of complex numbers.
  Value onParts(OpBuilder &builder, ValueRange values,
                function_ref<Value(ValueRange)> fn);
  Value extend(OpBuilder &builder, Value value);
  /// Adds a value to the sums at one place.
  SmallVector<Value> combine(OpBuilder &builder, ValueRange sums, Value value);
  Value finish(ValueRange sums);
  /// Of the dimensions at `labels`, all but those of a row are fixed at `at`.
  Value sliceOf(Value tensor, ArrayRef<unsigned> labels, ArrayRef<Value> at,
                SmallVectorImpl<AffineExpr> &left);

  ScatterOp op;
  OpBuilder &b;
  Location loc;
  const LocalBlock &block;
  unsigned rank;
  RankedTensorType resultType;
  /// In which sums are kept.
  Type sumType;
  /// Whether a second tensor has their rounding errors.
  bool carries;
  /// Labels that the loops run over, and those of a row.
  SmallVector<unsigned> loops, row;
  /// Per label its place in the block, where a loop has it.
  SmallVector<Value> points;
};

} // namespace

/// Of a complex type that of its parts.
static Type partType(Type type) {
  auto complex = dyn_cast<ComplexType>(type);
  return complex ? complex.getElementType() : type;
}

ScatterLowering::ScatterLowering(ScatterOp op, OpBuilder &builder, Location loc,
                                 const LocalBlock &block)
    : op(op), b(builder), loc(loc), block(block),
      rank(op.getResultType().getRank()),
      resultType(cast<RankedTensorType>(block.results.front())),
      sumType(resultType.getElementType()), points(op.getLabels().size()) {
  bool adds = op.getMonoid() == Monoid::Add;
  Type part = partType(sumType);
  carries = adds && part.isF64();
  if (adds && part.isF32())
    sumType = isa<ComplexType>(sumType) ? Type(ComplexType::get(b.getF64Type()))
                                        : b.getF64Type();
  SmallVector<bool> isOfIndex(points.size(), false);
  for (unsigned number = 1; number <= op.getIndices().size(); ++number)
    for (unsigned label : op.getLabelsOf(number))
      isOfIndex[label] = true;
  SmallVector<std::optional<unsigned>> indices = op.getIndexOfLabels();
  for (unsigned label = 0; label < points.size(); ++label)
    if (label >= rank || isOfIndex[label])
      loops.push_back(label);
    else if (!indices[label])
      row.push_back(label);
}

/// The points of a label that the block has.
OpFoldResult ScatterLowering::sizeOf(unsigned label) {
  if (label < rank && !resultType.isDynamicDim(label))
    return b.getIndexAttr(resultType.getDimSize(label));
  return b.createOrFold<arith::SubIOp>(loc, block.ends[label],
                                       block.starts[label]);
}

Value ScatterLowering::fill(TypedAttr value) {
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim = 0; dim < rank; ++dim)
    sizes.push_back(sizeOf(dim));
  Value empty = tensor::EmptyOp::create(b, loc, sizes, sumType);
  Value element = emitConstant(b, loc, value);
  return linalg::FillOp::create(b, loc, element, empty).getResult(0);
}

Value ScatterLowering::onParts(OpBuilder &builder, ValueRange values,
                               function_ref<Value(ValueRange)> fn) {
  if (!isa<ComplexType>(values.front().getType()))
    return fn(values);
  SmallVector<Value> real, imaginary;
  for (Value value : values) {
    real.push_back(complex::ReOp::create(builder, loc, value));
    imaginary.push_back(complex::ImOp::create(builder, loc, value));
  }
  Value first = fn(real), second = fn(imaginary);
  return complex::CreateOp::create(
      builder, loc, ComplexType::get(first.getType()), first, second);
}

/// To what sums are kept in.
Value ScatterLowering::extend(OpBuilder &builder, Value value) {
  Type to = partType(sumType);
  // f16 and bf16 become f64 by way of f32.
  if (to.isF64() && value.getType().getIntOrFloatBitWidth() < 32)
    value = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::ExtFOp::create(builder, loc, to, value);
}

SmallVector<Value> ScatterLowering::combine(OpBuilder &builder, ValueRange sums,
                                            Value value) {
  if (value.getType() != sumType)
    value = onParts(builder, value, [&](ValueRange parts) {
      return extend(builder, parts.front());
    });
  Value old = sums.front();
  Value sum = op.emitCombine(0, builder, loc, old, value);
  if (!carries)
    return {sum};
  // Knuth's TwoSum: what the addition of both rounds away.
  auto minus = [&](Value x, Value y) -> Value {
    return arith::SubFOp::create(builder, loc, x, y);
  };
  Value low = onParts(
      builder, {old, value, sum, sums[1]}, [&](ValueRange parts) -> Value {
        Value added = minus(parts[2], parts[0]);
        Value error = arith::AddFOp::create(
            builder, loc, minus(parts[0], minus(parts[2], added)),
            minus(parts[1], added));
        return arith::AddFOp::create(builder, loc, parts[3], error);
      });
  return {sum, low};
}

Value ScatterLowering::sliceOf(Value tensor, ArrayRef<unsigned> labels,
                               ArrayRef<Value> at,
                               SmallVectorImpl<AffineExpr> &left) {
  SmallVector<OpFoldResult> offsets, sizes,
      strides(labels.size(), b.getIndexAttr(1));
  SmallVector<int64_t> shape;
  for (unsigned label : labels) {
    bool isInRow = llvm::is_contained(row, label);
    offsets.push_back(isInRow ? OpFoldResult(b.getIndexAttr(0))
                              : OpFoldResult(at[label]));
    sizes.push_back(isInRow ? sizeOf(label) : b.getIndexAttr(1));
    if (!isInRow)
      continue;
    left.push_back(b.getAffineDimExpr(llvm::find(row, label) - row.begin()));
    shape.push_back(
        getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
  }
  auto type = RankedTensorType::get(
      shape, cast<RankedTensorType>(tensor.getType()).getElementType());
  return tensor::ExtractSliceOp::create(b, loc, type, tensor, offsets, sizes,
                                        strides);
}

SmallVector<Value> ScatterLowering::emitElement(ValueRange sums,
                                                ArrayRef<Value> place) {
  SmallVector<Value> at, old;
  for (unsigned label : op.getLabelsOf(0))
    at.push_back(points[label]);
  Value value = tensor::ExtractOp::create(b, loc, block.windows.front(), at);
  for (Value sum : sums)
    old.push_back(
        tensor::ExtractOp::create(b, loc, sum, place.take_front(rank)));
  SmallVector<Value> results;
  for (auto [sum, element] : llvm::zip_equal(sums, combine(b, old, value)))
    results.push_back(
        tensor::InsertOp::create(b, loc, element, sum, place.take_front(rank)));
  return results;
}

SmallVector<Value> ScatterLowering::emitRow(ValueRange sums,
                                            ArrayRef<Value> place) {
  auto dims = llvm::to_vector(llvm::seq<unsigned>(0, rank));
  SmallVector<AffineMap> maps;
  auto addSlice = [&](Value tensor, ArrayRef<unsigned> labels) {
    SmallVector<AffineExpr> left;
    Value slice = sliceOf(tensor, labels, place, left);
    maps.push_back(AffineMap::get(row.size(), 0, left, b.getContext()));
    return slice;
  };
  Value values = addSlice(block.windows.front(), op.getLabelsOf(0));
  SmallVector<Value> slices;
  for (Value sum : sums)
    slices.push_back(addSlice(sum, dims));
  auto rows = linalg::GenericOp::create(
      b, loc, ValueRange(slices).getTypes(), values, slices, maps,
      SmallVector<utils::IteratorType>(row.size(),
                                       utils::IteratorType::parallel),
      [&](OpBuilder &body, Location, ValueRange args) {
        linalg::YieldOp::create(body, loc,
                                combine(body, args.drop_front(), args.front()));
      });
  SmallVector<Value> results;
  for (auto [sum, updated] : llvm::zip_equal(sums, rows.getResults())) {
    SmallVector<OpFoldResult> offsets, sizes, strides(rank, b.getIndexAttr(1));
    for (unsigned dim = 0; dim < rank; ++dim) {
      bool isInRow = llvm::is_contained(row, dim);
      offsets.push_back(isInRow ? OpFoldResult(b.getIndexAttr(0))
                                : OpFoldResult(place[dim]));
      sizes.push_back(isInRow ? sizeOf(dim) : b.getIndexAttr(1));
    }
    results.push_back(tensor::InsertSliceOp::create(b, loc, updated, sum,
                                                    offsets, sizes, strides));
  }
  return results;
}

SmallVector<Value> ScatterLowering::emitPoint(ValueRange sums) {
  SmallVector<Value> place = points;
  Value isHere;
  for (auto [number, dim] : llvm::enumerate(op.getInto())) {
    SmallVector<Value> at;
    for (unsigned label : op.getLabelsOf(1 + number))
      at.push_back(points[label]);
    Value named =
        tensor::ExtractOp::create(b, loc, block.windows[1 + number], at);
    named = arith::IndexCastOp::create(b, loc, b.getIndexType(), named);
    place[dim] = arith::SubIOp::create(b, loc, named, block.starts[dim]);
    // Unsigned, negative numbers are the largest.
    Value isIn = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ult, place[dim],
        getValueOrCreateConstantIndexOp(b, loc, sizeOf(dim)));
    isHere = isHere ? Value(arith::AndIOp::create(b, loc, isHere, isIn)) : isIn;
  }
  auto choice = scf::IfOp::create(
      b, loc, isHere,
      [&](OpBuilder &, Location) {
        scf::YieldOp::create(b, loc,
                             row.empty() ? emitElement(sums, place)
                                         : emitRow(sums, place));
      },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, loc, sums); });
  return choice.getResults();
}

SmallVector<Value> ScatterLowering::emitLoops(unsigned depth, ValueRange sums) {
  if (depth == loops.size())
    return emitPoint(sums);
  unsigned label = loops[depth];
  auto loop = scf::ForOp::create(
      b, loc, constant(0),
      getValueOrCreateConstantIndexOp(b, loc, sizeOf(label)), constant(1), sums,
      [&](OpBuilder &, Location, Value point, ValueRange carried) {
        points[label] = point;
        scf::YieldOp::create(b, loc, emitLoops(depth + 1, carried));
      });
  return loop.getResults();
}

/// The sums, with what their roundings took away, in the type of the result.
Value ScatterLowering::finish(ValueRange sums) {
  if (!carries && sumType == resultType.getElementType())
    return sums.front();
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim = 0; dim < rank; ++dim)
    sizes.push_back(sizeOf(dim));
  Value empty =
      tensor::EmptyOp::create(b, loc, sizes, resultType.getElementType());
  SmallVector<AffineMap> maps(sums.size() + 1, b.getMultiDimIdentityMap(rank));
  auto rounded = linalg::GenericOp::create(
      b, loc, empty.getType(), sums, empty, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &body, Location, ValueRange args) {
        auto round = [&](ValueRange parts) -> Value {
          Type to = partType(resultType.getElementType());
          if (!carries)
            return arith::TruncFOp::create(body, loc, to, parts.front());
          // Of an infinite sum the error is NaN.
          Value total =
              arith::AddFOp::create(body, loc, parts.front(), parts[1]);
          Value isLost = arith::CmpFOp::create(
              body, loc, arith::CmpFPredicate::UNO, parts[1], parts[1]);
          return arith::SelectOp::create(body, loc, isLost, parts.front(),
                                         total);
        };
        linalg::YieldOp::create(body, loc,
                                onParts(body, args.drop_back(), round));
      });
  return rounded.getResult(0);
}

Value ScatterLowering::lower() {
  TypedAttr identity = op.getMonoidIdentity(0);
  if (op.getMonoid() == Monoid::Add)
    identity = monoidIdentity(Monoid::Add, sumType);
  else if (auto integer = dyn_cast<IntegerAttr>(identity))
    // Booleans lie in bytes.
    identity = b.getIntegerAttr(
        sumType, integer.getValue().zext(sumType.getIntOrFloatBitWidth()));
  SmallVector<Value> sums = {fill(identity)};
  // Nothing is lost yet.
  if (carries)
    sums.push_back(fill(identity));
  return finish(emitLoops(/*depth=*/0, sums));
}

FailureOr<SmallVector<Value>> ScatterOp::lowerLocal(OpBuilder &b, Location loc,
                                                    const LocalBlock &block) {
  return SmallVector<Value>{ScatterLowering(*this, b, loc, block).lower()};
}
