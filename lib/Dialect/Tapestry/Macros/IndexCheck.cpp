//===- IndexCheck.cpp - Whether indices lie inside ------------------------===//
//
// A check is made of ordinary vertices, so that it is cut as all else: the
// least row-major number of an index that is outside, the index there, and
// `tapestry.require`, which ends the run with it.
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
  Value emitWide(ScalarBuilder &b, Value index);
  /// A scalar of i64 of all elements of the index.
  Value reduce(const Twine &name, tapestry::Monoid monoid,
               const ScalarExpr &expr);
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

Value CheckBuilder::emitWide(ScalarBuilder &b, Value value) {
  if (value.getType().isInteger(64))
    return value;
  return b.create<arith::ExtSIOp>(builder.getI64Type(), value);
}

Value CheckBuilder::reduce(const Twine &name, tapestry::Monoid monoid,
                           const ScalarExpr &expr) {
  if (labels.empty())
    monoid = tapestry::Monoid::None;
  return buildEinsum(builder, loc, name.str(), labels, /*numParallel=*/0,
                     monoid, builder.getI64Type(), expr);
}

RequireOp CheckBuilder::build(StringRef name, StringRef indexName,
                              StringRef bound) {
  AffineMap all = builder.getMultiDimIdentityMap(labels.size());
  Value first = reduce(
      name + ".first", tapestry::Monoid::Min,
      {{{index, all}}, [&](ScalarBuilder &b, ValueRange read) -> Value {
         Value isOutside = emitIsOutside(b, read[0]);
         return b.create<arith::SelectOp>(isOutside, emitNumber(b),
                                          b.constant(number(nothingOutside)));
       }});
  auto scalar = AffineMap::get(labels.size(), 0, builder.getContext());
  Value value =
      reduce(name + ".value", tapestry::Monoid::Add,
             {{{index, all}, {first, scalar}},
              [&](ScalarBuilder &b, ValueRange read) -> Value {
                Value isFirst = b.create<arith::CmpIOp>(
                    arith::CmpIPredicate::eq, emitNumber(b), read[1]);
                return b.create<arith::SelectOp>(isFirst, emitWide(b, read[0]),
                                                 b.constant(number(0)));
              }});
  return RequireOp::create(builder, loc, first.getType(),
                           (name + ".check").str(), first, value, indexName,
                           type.getShape(), bound,
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
