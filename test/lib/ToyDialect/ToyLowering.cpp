//===- ToyLowering.cpp - What one device computes -------------------------===//

#include "Toy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Dialect/Index/IR/IndexOps.h"

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

/// The points of a label, of which `known` are known before run time.
static OpFoldResult sizeOf(OpBuilder &b, Location loc, const LocalBlock &block,
                           unsigned label, int64_t known) {
  if (!ShapedType::isDynamic(known))
    return b.getIndexAttr(known);
  return arith::SubIOp::create(b, loc, block.ends[label], block.starts[label])
      .getResult();
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
  auto type = cast<RankedTensorType>(block.results.front());
  OpFoldResult rows = sizeOf(b, loc, block, 0, type.getDimSize(0));
  OpFoldResult columns =
      sizeOf(b, loc, block, 1, window.getType().getDimSize(1));
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

//===----------------------------------------------------------------------===//
// Operators that move elements
//===----------------------------------------------------------------------===//

/// What is computed into: labels 0 and 1 are the dimensions of the result.
static Value emptyResult(OpBuilder &b, Location loc, const LocalBlock &block) {
  auto type = cast<RankedTensorType>(block.results.front());
  SmallVector<OpFoldResult> sizes;
  for (unsigned dim : {0u, 1u})
    sizes.push_back(sizeOf(b, loc, block, dim, type.getDimSize(dim)));
  return tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
}

FailureOr<SmallVector<Value>> ConcatOp::lowerLocal(OpBuilder &b, Location loc,
                                                   const LocalBlock &block) {
  Value result = emptyResult(b, loc, block);
  if (getGap() != 0) {
    Value fill = arith::ConstantOp::create(b, loc, getFillAttr());
    result = linalg::FillOp::create(b, loc, fill, result).getResult(0);
  }
  for (auto [number, window] : llvm::enumerate(block.windows)) {
    // Rows lie where their piece begins in the result.
    Access piece = getAccesses(number).front();
    int64_t first = -piece.projection.dims[0].constant;
    Value row =
        index::emitWindowStarts(b, loc, piece, block.starts, block.ends)[0];
    row = arith::AddIOp::create(b, loc, row,
                                arith::ConstantIndexOp::create(b, loc, first));
    row = arith::SubIOp::create(b, loc, row, block.starts[0]);
    SmallVector<OpFoldResult> offsets = {row, b.getIndexAttr(0)};
    SmallVector<OpFoldResult> ones(2, b.getIndexAttr(1));
    result = tensor::InsertSliceOp::create(
        b, loc, window, result, offsets, tensor::getMixedSizes(b, loc, window),
        ones);
  }
  return SmallVector<Value>{result};
}

FailureOr<SmallVector<Value>> RollOp::lowerLocal(OpBuilder &b, Location loc,
                                                 const LocalBlock &block) {
  Access piece = getAccesses(0).front();
  Value window = block.windows.front();
  SmallVector<Value> starts =
      index::emitWindowStarts(b, loc, piece, block.starts, block.ends);
  auto projection =
      index::ProjectionAttr::get(getContext(), 2, piece.projection);
  Value empty = emptyResult(b, loc, block);
  auto rows = linalg::GenericOp::create(
      b, loc, empty.getType(), ValueRange(), empty, b.getMultiDimIdentityMap(2),
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange) {
        SmallVector<Value> point, local;
        for (unsigned label : {0u, 1u})
          point.push_back(arith::AddIOp::create(
              b, loc, linalg::IndexOp::create(b, loc, label),
              block.starts[label]));
        auto read = index::ApplyOp::create(b, loc, projection, point);
        for (auto [place, start] : llvm::zip_equal(read.getResults(), starts))
          local.push_back(arith::SubIOp::create(b, loc, place, start));
        Value element = tensor::ExtractOp::create(b, loc, window, local);
        linalg::YieldOp::create(b, loc, element);
      });
  return SmallVector<Value>{rows.getResult(0)};
}

/// The element of a device's part of the table, 0 where another has the row.
static Value emitLookUp(OpBuilder &b, Location loc, Value table, Value row,
                        Value column, Value first, Value end) {
  auto compare = [&](arith::CmpIPredicate how, Value with) -> Value {
    return arith::CmpIOp::create(b, loc, how, row, with);
  };
  Value isHere =
      arith::AndIOp::create(b, loc, compare(arith::CmpIPredicate::sge, first),
                            compare(arith::CmpIPredicate::slt, end));
  auto choice = scf::IfOp::create(
      b, loc, isHere,
      [&](OpBuilder &b, Location loc) {
        Value local = arith::SubIOp::create(b, loc, row, first);
        Value element =
            tensor::ExtractOp::create(b, loc, table, ValueRange{local, column});
        scf::YieldOp::create(b, loc, element);
      },
      [&](OpBuilder &b, Location loc) {
        Value zero = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(0));
        scf::YieldOp::create(b, loc, zero);
      });
  return choice.getResult(0);
}

FailureOr<SmallVector<Value>> GatherOp::lowerLocal(OpBuilder &b, Location loc,
                                                   const LocalBlock &block) {
  Value table = block.windows[0];
  Value empty = emptyResult(b, loc, block);
  AffineMap point = b.getMultiDimIdentityMap(2);
  AffineMap row = AffineMap::get(2, 0, b.getAffineDimExpr(0));
  auto rows = linalg::GenericOp::create(
      b, loc, empty.getType(), block.windows[1], empty,
      ArrayRef<AffineMap>{row, point},
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Value named =
            arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0]);
        Value column = linalg::IndexOp::create(b, loc, 1);
        Value element = getWhole()
                            ? Value(tensor::ExtractOp::create(
                                  b, loc, table, ValueRange{named, column}))
                            : emitLookUp(b, loc, table, named, column,
                                         block.starts[2], block.ends[2]);
        linalg::YieldOp::create(b, loc, element);
      });
  return SmallVector<Value>{rows.getResult(0)};
}

FailureOr<SmallVector<Value>> WeaveOp::lowerLocal(OpBuilder &b, Location loc,
                                                  const LocalBlock &block) {
  // Rows are never cut, so that a device writes all of its columns.
  auto type = cast<RankedTensorType>(block.results.front());
  SmallVector<OpFoldResult> sizes = {
      b.getIndexAttr(type.getDimSize(0)),
      sizeOf(b, loc, block, 1, type.getDimSize(1))};
  Value result = tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
  SmallVector<OpFoldResult> strides = {b.getIndexAttr(getStep()),
                                       b.getIndexAttr(1)};
  for (auto [number, window] : llvm::enumerate(block.windows))
    for (uint64_t copy = 0; copy < getCopies(); ++copy) {
      int64_t row = number * getOffset() + copy * getStride();
      SmallVector<OpFoldResult> offsets = {b.getIndexAttr(row),
                                           b.getIndexAttr(0)};
      result = tensor::InsertSliceOp::create(
          b, loc, window, result, offsets,
          tensor::getMixedSizes(b, loc, window), strides);
    }
  return SmallVector<Value>{result};
}
