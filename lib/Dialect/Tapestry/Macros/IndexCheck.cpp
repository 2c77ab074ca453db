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
  CheckBuilder(OpBuilder &builder, Location loc, Value index, int64_t extent);
  RequireOp build(StringRef name, StringRef indexName, StringRef bound);

private:
  Value emitNumber(ScalarBuilder &b);
  Value emitIsOutside(ScalarBuilder &b, Value index);
  Value findFirst(const Twine &name);
  Value readAt(const Twine &name, Value place);
  /// A scalar of i64 made of another.
  Value convert(const Twine &name, Value scalar,
                llvm::function_ref<Value(ScalarBuilder &, Value)> conversion);
  IntegerAttr number(int64_t value) { return builder.getI64IntegerAttr(value); }

  OpBuilder &builder;
  Location loc;
  Value index;
  RankedTensorType type;
  int64_t extent;
  SmallVector<std::string> names;
  SmallVector<ScalarLabel> labels;
};

} // namespace

CheckBuilder::CheckBuilder(OpBuilder &builder, Location loc, Value index,
                           int64_t extent)
    : builder(builder), loc(loc), index(index),
      type(cast<RankedTensorType>(index.getType())), extent(extent) {
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    names.push_back("i" + std::to_string(dim));
  for (auto [name, size] : llvm::zip_equal(names, type.getShape()))
    labels.push_back({name, size});
}

/// The row-major number of the element.
Value CheckBuilder::emitNumber(ScalarBuilder &b) {
  Value sum;
  int64_t stride = 1;
  for (const ScalarLabel &label : llvm::reverse(labels)) {
    Value term =
        b.create<arith::IndexCastOp>(builder.getI64Type(), b.label(label.name));
    if (stride != 1)
      term = b.create<arith::MulIOp>(term, b.constant(number(stride)));
    sum = sum ? b.create<arith::AddIOp>(sum, term) : term;
    stride *= label.extent;
  }
  return sum ? sum : b.constant(number(0));
}

/// Unsigned, negative numbers are the largest.
Value CheckBuilder::emitIsOutside(ScalarBuilder &b, Value value) {
  unsigned width = type.getElementTypeBitWidth();
  bool allFit = width < 64 && extent > llvm::maxIntN(width);
  auto bound = b.constant(
      builder.getIntegerAttr(type.getElementType(), allFit ? 0 : extent));
  return b.create<arith::CmpIOp>(allFit ? arith::CmpIPredicate::slt
                                        : arith::CmpIPredicate::uge,
                                 value, bound);
}

/// The least number of an element that is outside.
Value CheckBuilder::findFirst(const Twine &name) {
  AffineMap all = builder.getMultiDimIdentityMap(labels.size());
  return buildEinsum(
      builder, loc, name.str(), labels, /*numParallel=*/0,
      labels.empty() ? tapestry::Monoid::None : tapestry::Monoid::Min,
      builder.getI64Type(),
      {{{index, all}}, [&](ScalarBuilder &b, ValueRange read) -> Value {
         Value isOutside = emitIsOutside(b, read[0]);
         return b.create<arith::SelectOp>(isOutside, emitNumber(b),
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
  Value found = index;
  if (unsigned rank = labels.size()) {
    std::string vertex = (isWide ? name : name + ".read").str();
    auto scalar = AffineMap::get(rank, 0, builder.getContext());
    GatherUse use;
    use.name = vertex;
    use.table = index;
    use.map = builder.getMultiDimIdentityMap(rank);
    use.pad = builder.getZeroAttr(type.getElementType());
    int64_t stride = type.getNumElements();
    for (const ScalarLabel &label : labels) {
      int64_t points = std::max<int64_t>(label.extent, 1);
      stride /= points;
      // What is no number of an element is outside of the first dimension.
      bool isFirst = use.indices.empty();
      auto divide = [&](ScalarBuilder &b, Value all) -> Value {
        Value rest = b.create<arith::DivSIOp>(all, b.constant(number(stride)));
        return isFirst
                   ? rest
                   : b.create<arith::RemSIOp>(rest, b.constant(number(points)));
      };
      Value coordinate =
          rank == 1 ? place : convert(name + "." + label.name, place, divide);
      use.indices.push_back({coordinate, scalar, label.name, {}, false});
    }
    IndexChecks none;
    found = buildGather(builder, loc, use, none);
    if (isWide)
      return found;
  }
  return convert(name, found, [&](ScalarBuilder &b, Value value) -> Value {
    return isWide ? value
                  : b.create<arith::ExtSIOp>(builder.getI64Type(), value);
  });
}

RequireOp CheckBuilder::build(StringRef name, StringRef indexName,
                              StringRef bound) {
  Value first = findFirst(name + ".first");
  Value value = readAt(name + ".value", first);
  return RequireOp::create(builder, loc, first.getType(),
                           (name + ".check").str(), first, value, indexName,
                           type.getShape(), bound, /*unsigned_value=*/false,
                           /*partition=*/nullptr, /*home=*/nullptr,
                           /*home_route=*/nullptr, /*operand_routes=*/nullptr);
}

Value teg::checkIndex(OpBuilder &builder, Location loc, Value index,
                      int64_t extent, const IndexNames &names,
                      IndexChecks &checks) {
  Value &check = checks[{index, extent}];
  if (!check)
    check =
        CheckBuilder(builder, loc, index, extent)
            .build(names.vertex, names.index,
                   ("dimension " + Twine(names.dim) + " of '" + names.tensor +
                    "' has only the indices 0 to " + Twine(extent - 1))
                       .str());
  return check;
}
