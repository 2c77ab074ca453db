//===- DotTile.cpp - Register tiles of dot products -----------------------===//
//
// The step of a tile whose operands are words of narrow numbers: one
// instruction per vector of results adds the products of two words in each
// lane.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {

WordLoop countWords(IndexBuilder &b, Nest &nest, const NestPlan &plan) {
  WordLoop words;
  if (plan.dot == Dot::None)
    return words;
  unsigned dim = plan.inner.back();
  OpFoldResult group = b.index(groupOf(plan.dot));
  words.points = nest.extents[dim];
  nest.extents[dim] = b.ceilDiv(words.points, group);
  for (auto [number, operand] : llvm::enumerate(nest.operands)) {
    words.strides.push_back(operand.strides[dim]);
    operand.strides[dim] = b.mul(operand.strides[dim], group);
    const NestAccess &access = nest.problem.accesses[number];
    if (access.factor != Factor::None)
      (access.dependsOn(plan.rowDim) ? words.rows : words.columns) = number;
  }
  return words;
}

/// A word of rows: of their panel, or of the operand itself.
Value TileEmitter::wordAt(const NestOperand &operand, OpFoldResult offset) {
  if (operand.elementType.isInteger(32))
    return loadScalar(operand, offset);
  auto type = VectorType::get({group()}, operand.elementType);
  Value elements =
      vector::LoadOp::create(b, type, operand.flat, b.value(offset));
  return vector::ExtractOp::create(b, toWords(elements, words.rows), 0);
}

/// Adds the products of two vectors of words to a vector of sums.
Value TileEmitter::addDot(Value sum, Value rows, Value columns) {
  unsigned bits = plan.lanes * 32;
  auto call = [&](const Twine &name, Type element, ValueRange before) {
    auto type = VectorType::get({plan.lanes * group()}, element);
    SmallVector<Value> operands(before);
    for (Value side : {rows, columns})
      operands.push_back(LLVM::BitcastOp::create(b, type, side));
    return LLVM::CallIntrinsicOp::create(
               b, sum.getType(), b.getStringAttr("llvm.x86." + name), operands)
        .getResult(0);
  };
  switch (plan.dot) {
  case Dot::None:
    break;
  case Dot::BF16Pairs:
    return call("avx512bf16.dpbf16ps." + Twine(bits), b.getBF16Type(), sum);
  case Dot::I8Quads:
    // The first factor is taken to have no sign, the second to have one.
    if ((factorOf(words.rows) == Factor::Unsigned) == flipsRows())
      std::swap(rows, columns);
    return call("avx512.vpdpbusd." + Twine(bits), b.getI8Type(), sum);
  case Dot::I16Pairs:
    if (target.dotIntegers)
      return call("avx512.vpdpwssd." + Twine(bits), b.getI16Type(), sum);
    return arith::AddIOp::create(b, sum,
                                 call(bits == 512   ? "avx512.pmaddw.d.512"
                                      : bits == 256 ? "avx2.pmadd.wd"
                                                    : "sse2.pmadd.wd",
                                      b.getI16Type(), {}));
  }
  llvm_unreachable("not a dot product");
}

TileEmitter::IndexList TileEmitter::emitDots(const Tile &tile,
                                             const NestPoint &steps,
                                             ValueRange carried) {
  unsigned rows = words.rows, columns = words.columns;
  IndexList vectors, next;
  for (unsigned column = 0; column < plan.vectors; ++column) {
    OpFoldResult at = b.add(steps.offset[columns], tile.offsets[columns][0]);
    vectors.push_back(load(sources[columns],
                           b.add(at, columnOffset(columns, column)), b.index(1),
                           plan.lanes, Value()));
  }
  for (unsigned row = 0; row < tile.rows; ++row) {
    OpFoldResult at = b.add(steps.offset[rows], tile.offsets[rows][row]);
    Value word = broadcastTo(b, wordAt(sources[rows], at), plan.lanes);
    for (Value vector : vectors)
      next.push_back(addDot(carried[next.size()], word, vector));
  }
  return next;
}

/// What flipping the rows adds to the results of each column of a block.
void TileEmitter::sumColumns(const Block &block) {
  if (!columnSums)
    return;
  const NestOperand &panel = sources[words.columns];
  Value flips =
      splat(b.getI32IntegerAttr(static_cast<int32_t>(flippedBits)), plan.lanes);
  Value zero = splat(b.getI32IntegerAttr(0), plan.lanes);
  loop(b.index(0), block.columns, width(), [&](OpFoldResult column) {
    NestPoint start = block.point;
    start.offset.assign(sources.size(), b.index(0));
    start.offset[words.columns] = b.mul(column, panel.strides[plan.vectorDim]);
    IndexList sums =
        reductionLoops(block, start, IndexList(plan.vectors, zero),
                       [&](const NestPoint &at, ValueRange carried) {
                         IndexList next;
                         for (Value sum : carried) {
                           OpFoldResult offset =
                               b.add(at.offset[words.columns],
                                     columnOffset(words.columns, next.size()));
                           next.push_back(addDot(sum, flips,
                                                 load(panel, offset, b.index(1),
                                                      plan.lanes, Value())));
                         }
                         return next;
                       });
    for (auto [number, sum] : llvm::enumerate(sums))
      store(sum, *columnSums,
            b.add(column, b.index(int64_t(number) * plan.lanes)), b.index(1),
            Value());
  });
}

void TileEmitter::subtractSums(const Tile &tile, IndexList &values) {
  for (unsigned column = 0; column < plan.vectors; ++column) {
    Value sums = load(*columnSums,
                      b.add(tile.column, b.index(int64_t(column) * plan.lanes)),
                      b.index(1), plan.lanes, Value());
    for (unsigned row = 0; row < tile.rows; ++row) {
      Value &value = values[row * plan.vectors + column];
      value = arith::SubIOp::create(b, value, sums);
    }
  }
}

} // namespace tapestry
