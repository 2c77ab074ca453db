//===- ToyLowering.cpp - What one device computes of medians --------------===//

#include "Toy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tapestry;
using namespace toy;

Value MedianStatsOp::emitCombine(unsigned result, OpBuilder &b, Location loc,
                                 Value x, Value y) {
  if (result == 1)
    return emitMonoid(b, loc, Monoid::Max, x, y);
  Value squares =
      arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, x, x),
                            arith::MulFOp::create(b, loc, y, y));
  return math::SqrtOp::create(b, loc, squares);
}

/// The median of every three rows of the window: `rows` x `columns`.
static Value emitMedians(OpBuilder &b, Location loc, Value window,
                         OpFoldResult rows, OpFoldResult columns) {
  SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
  SmallVector<Value> shifted;
  for (int64_t shift : {0, 1, 2}) {
    SmallVector<OpFoldResult> offsets = {b.getIndexAttr(shift),
                                         b.getIndexAttr(0)};
    shifted.push_back(tensor::ExtractSliceOp::create(
        b, loc, window, offsets, ArrayRef<OpFoldResult>{rows, columns}, ones));
  }
  Type type = cast<RankedTensorType>(window.getType()).getElementType();
  Value empty = tensor::EmptyOp::create(
      b, loc, ArrayRef<OpFoldResult>{rows, columns}, type);
  SmallVector<AffineMap> maps(4, b.getMultiDimIdentityMap(2));
  SmallVector<utils::IteratorType> loops(2, utils::IteratorType::parallel);
  auto medians = linalg::GenericOp::create(
      b, loc, empty.getType(), shifted, empty, maps, loops,
      [](OpBuilder &b, Location loc, ValueRange v) {
        Value low = arith::MinimumFOp::create(b, loc, v[0], v[1]);
        Value high = arith::MaximumFOp::create(b, loc, v[0], v[1]);
        Value rest = arith::MinimumFOp::create(b, loc, high, v[2]);
        Value median = arith::MaximumFOp::create(b, loc, low, rest);
        linalg::YieldOp::create(b, loc, median);
      });
  return medians.getResult(0);
}

FailureOr<SmallVector<Value>>
MedianStatsOp::lowerLocal(OpBuilder &b, Location loc, const LocalBlock &block) {
  auto window = cast<TypedValue<RankedTensorType>>(block.windows.front());
  auto size = [&](unsigned label, int64_t known) -> OpFoldResult {
    if (!ShapedType::isDynamic(known))
      return b.getIndexAttr(known);
    return arith::SubIOp::create(b, loc, block.ends[label], block.starts[label])
        .getResult();
  };
  auto type = cast<RankedTensorType>(block.results.front());
  OpFoldResult rows = size(0, type.getDimSize(0));
  OpFoldResult columns = size(1, window.getType().getDimSize(1));
  Value medians = emitMedians(b, loc, window, rows, columns);

  AffineMap point = b.getMultiDimIdentityMap(2);
  AffineMap row = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  utils::IteratorType loops[] = {utils::IteratorType::parallel,
                                 utils::IteratorType::reduction};
  SmallVector<Value> results;
  for (unsigned number : {0u, 1u}) {
    TypedAttr identity = getMonoidIdentity(number);
    Value neutral = arith::ConstantOp::create(b, loc, identity);
    Value empty = tensor::EmptyOp::create(b, loc, ArrayRef<OpFoldResult>{rows},
                                          identity.getType());
    Value init = linalg::FillOp::create(b, loc, neutral, empty).getResult(0);
    auto statistic = linalg::GenericOp::create(
        b, loc, init.getType(), medians, init, ArrayRef<AffineMap>{point, row},
        loops, [&](OpBuilder &b, Location loc, ValueRange v) {
          Value median = v[0];
          if (median.getType() != v[1].getType())
            median = arith::ExtFOp::create(b, loc, v[1].getType(), median);
          linalg::YieldOp::create(b, loc,
                                  emitCombine(number, b, loc, v[1], median));
        });
    results.push_back(statistic.getResult(0));
  }
  return results;
}
