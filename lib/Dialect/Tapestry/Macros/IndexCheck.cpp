//===- IndexCheck.cpp - Whether indices lie inside ------------------------===//
//
// A check is made of ordinary vertices, so that it is cut as all else: the
// least row-major number of an index that is outside, the index there, which is
// a gather, and `tapestry.require`, which ends the run with it.
//
//===----------------------------------------------------------------------===//

#include "IndexCheck.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// The vertices of one check.
class CheckBuilder {
public:
  CheckBuilder(OpBuilder &builder, Location loc, const CheckedIndex &index,
               int64_t extent);
  RequireOp build(StringRef name, StringRef bound);

private:
  Value emitNumber(ScalarBuilder &b, ValueRange counters);
  Value emitIsOutside(ScalarBuilder &b, Value index);
  Value findFirst(const Twine &name);
  Value readAt(const Twine &name, Value place);
  /// A scalar of i64 made of another.
  Value convert(const Twine &name, Value scalar,
                llvm::function_ref<Value(ScalarBuilder &, Value)> conversion);
  IntegerAttr number(int64_t value) { return builder.getI64IntegerAttr(value); }

  OpBuilder &builder;
  Location loc;
  const CheckedIndex &index;
  RankedTensorType type;
  int64_t extent;
  SmallVector<std::string> names;
  /// Of the dimensions of the tensor.
  SmallVector<ScalarLabel> labels;
  /// Per dimension that is named, how far apart the numbers of its points are.
  SmallVector<int64_t> strides;
};

} // namespace

CheckBuilder::CheckBuilder(OpBuilder &builder, Location loc,
                           const CheckedIndex &index, int64_t extent)
    : builder(builder), loc(loc), index(index),
      type(cast<RankedTensorType>(index.tensor.getType())), extent(extent),
      strides(index.dims.size(), 1) {
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    names.push_back("i" + std::to_string(dim));
  for (auto [name, size] : llvm::zip_equal(names, type.getShape()))
    labels.push_back({name, size});
  for (size_t dim = strides.size(); dim-- > 1;)
    strides[dim - 1] =
        strides[dim] * std::max<int64_t>(index.dims[dim].extent, 1);
}

/// The row-major number of the element.
Value CheckBuilder::emitNumber(ScalarBuilder &b, ValueRange counters) {
  Value sum;
  for (auto [dim, stride] : llvm::zip_equal(index.dims, strides)) {
    Value term;
    if (dim.counter) {
      term = counters.front();
      counters = counters.drop_front();
    } else {
      term = b.create<arith::IndexCastOp>(builder.getI64Type(),
                                          b.label(labels[dim.dim].name));
    }
    if (stride != 1)
      term = b.create<arith::MulIOp>(term, b.constant(number(stride)));
    sum = sum ? b.create<arith::AddIOp>(sum, term) : term;
  }
  return sum ? sum : b.constant(number(0));
}

/// Unsigned, negative numbers are the largest.
Value CheckBuilder::emitIsOutside(ScalarBuilder &b, Value value) {
  unsigned width = type.getElementTypeBitWidth();
  bool allFit =
      width < 64 && extent > (index.isUnsigned ? int64_t(llvm::maxUIntN(width))
                                               : llvm::maxIntN(width));
  auto bound = b.constant(builder.getIntegerAttr(
      type.getElementType(), APInt(width, allFit ? 0 : extent)));
  auto predicate = !allFit            ? arith::CmpIPredicate::uge
                   : index.isUnsigned ? arith::CmpIPredicate::ult
                                      : arith::CmpIPredicate::slt;
  return b.create<arith::CmpIOp>(predicate, value, bound);
}

/// The least number of an element that is outside.
Value CheckBuilder::findFirst(const Twine &name) {
  SmallVector<ScalarRead> reads = {
      {index.tensor, builder.getMultiDimIdentityMap(labels.size())}};
  for (const CheckedIndex::Dim &dim : index.dims)
    if (dim.counter)
      reads.push_back({dim.counter,
                       AffineMap::get(labels.size(), 0, builder.getContext())});
  return buildEinsum(
      builder, loc, name.str(), labels, /*numParallel=*/0,
      labels.empty() ? tapestry::Monoid::None : tapestry::Monoid::Min,
      builder.getI64Type(),
      {reads, [&](ScalarBuilder &b, ValueRange read) -> Value {
         Value isOutside = emitIsOutside(b, read[0]);
         return b.create<arith::SelectOp>(isOutside,
                                          emitNumber(b, read.drop_front()),
                                          b.constant(number(nothingOutside)));
       }});
}

Value CheckBuilder::convert(
    const Twine &name, Value scalar,
    llvm::function_ref<Value(ScalarBuilder &, Value)> conversion) {
  auto map = AffineMap::get(0, 0, builder.getContext());
  return buildEinsum(builder, loc, name.str(), {}, /*numParallel=*/0,
                     tapestry::Monoid::None, builder.getI64Type(),
                     {{{scalar, map}}, [&](ScalarBuilder &b, ValueRange read) {
                        return conversion(b, read[0]);
                      }});
}

/// The element of this number; 0 where there is none.
Value CheckBuilder::readAt(const Twine &name, Value place) {
  bool isWide = type.getElementType().isInteger(64);
  Value found = index.tensor;
  if (unsigned rank = labels.size()) {
    std::string vertex = (isWide ? name : name + ".read").str();
    auto scalar = AffineMap::get(rank, 0, builder.getContext());
    GatherUse use;
    use.name = vertex;
    use.table = index.tensor;
    use.map = builder.getMultiDimIdentityMap(rank);
    use.pad = builder.getZeroAttr(type.getElementType());
    for (auto [position, label] : llvm::enumerate(labels)) {
      const auto *dim = llvm::find_if(
          index.dims, [position = position](const CheckedIndex::Dim &dim) {
            return !dim.counter && dim.dim == position;
          });
      int64_t points = std::max<int64_t>(label.extent, 1);
      int64_t stride = strides[dim - index.dims.begin()];
      // What is no number of an element is outside of the first dimension.
      bool isFirst = dim == index.dims.begin();
      auto divide = [&](ScalarBuilder &b, Value all) -> Value {
        Value rest = b.create<arith::DivSIOp>(all, b.constant(number(stride)));
        return isFirst
                   ? rest
                   : b.create<arith::RemSIOp>(rest, b.constant(number(points)));
      };
      Value coordinate = index.dims.size() == 1
                             ? place
                             : convert(name + "." + label.name, place, divide);
      use.indices.push_back({coordinate, scalar, label.name});
    }
    IndexChecks none;
    found = buildGather(builder, loc, use, none);
    if (isWide)
      return found;
  }
  return convert(name, found, [&](ScalarBuilder &b, Value value) -> Value {
    if (isWide)
      return value;
    Type wide = builder.getI64Type();
    if (index.isUnsigned)
      return b.create<arith::ExtUIOp>(wide, value);
    return b.create<arith::ExtSIOp>(wide, value);
  });
}

RequireOp CheckBuilder::build(StringRef name, StringRef bound) {
  Value first = findFirst(name + ".first");
  Value value = readAt(name + ".value", first);
  SmallVector<int64_t> shape;
  for (const CheckedIndex::Dim &dim : index.dims)
    shape.push_back(dim.extent);
  return RequireOp::create(builder, loc, first.getType(),
                           (name + ".check").str(), first, value, index.name,
                           shape, bound, index.isUnsigned,
                           /*partition=*/nullptr, /*home=*/nullptr,
                           /*home_route=*/nullptr, /*operand_routes=*/nullptr);
}

Value teg::checkIndex(OpBuilder &builder, Location loc,
                      const CheckedIndex &index, int64_t extent,
                      const IndexNames &names, IndexChecks &checks) {
  Value &check = checks[{index.tensor, extent}];
  if (!check)
    check =
        CheckBuilder(builder, loc, index, extent)
            .build(names.vertex,
                   ("dimension " + Twine(names.dim) + " of '" + names.tensor +
                    "' has only the indices 0 to " + Twine(extent - 1))
                       .str());
  return check;
}
