//===- PackWords.cpp - Panels of words ------------------------------------===//
//
// Packs operands of dot products: neighbours along the reduction become words
// of 32 bits, the last of which is filled with zeros; words lie in panels as
// single elements of other products do.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {

OpFoldResult TileEmitter::pointsFrom(const Block &block) {
  if (plan.inner.size() > 1)
    return words.points;
  OpFoldResult before = block.point.index[plan.inner.back()];
  return b.sub(words.points, b.mul(before, b.index(group())));
}

/// Words of a block that have all their points.
OpFoldResult TileEmitter::wholeWords(const Block &block) {
  OpFoldResult all = innerExtent(block, plan.inner.size() - 1);
  auto points = b.known(words.points);
  if (points && *points % group() == 0)
    return all;
  return b.min(all, b.div(pointsFrom(block), b.index(group())));
}

void TileEmitter::lastWords(const Block &block, unsigned operand,
                            OpFoldResult from, OpFoldResult read,
                            OpFoldResult write, WordFn fn) {
  unsigned dim = plan.inner.back();
  OpFoldResult all = innerExtent(block, plan.inner.size() - 1);
  auto run = [&](OpFoldResult first, OpFoldResult last, bool isWhole) {
    loop(first, last, 1, [&](OpFoldResult word) {
      OpFoldResult present = b.index(group());
      if (!isWhole)
        present = b.min(b.sub(pointsFrom(block), b.mul(word, b.index(group()))),
                        present);
      fn(b.add(read, b.mul(nest.operands[operand].strides[dim], word)),
         b.add(write, b.mul(sources[operand].strides[dim], word)), present);
    });
  };
  OpFoldResult whole = b.max(wholeWords(block), from);
  run(from, whole, /*isWhole=*/true);
  run(whole, all, /*isWhole=*/false);
}

void TileEmitter::wordLoops(const Block &block, unsigned operand,
                            const NestPoint &start, WordFn fn) {
  packingLoops(block, operand, start, plan.inner.size() - 1,
               [&](OpFoldResult read, OpFoldResult write) {
                 lastWords(block, operand, b.index(0), read, write, fn);
               });
}

/// Vectors of elements, words one after another, as the instruction wants them.
Value TileEmitter::toWords(Value elements, unsigned operand) {
  auto type = cast<VectorType>(elements.getType());
  if (plan.dot == Dot::I16Pairs && type.getElementType().isInteger(8)) {
    type = type.clone(b.getI16Type());
    if (factorOf(operand) == Factor::Signed)
      elements = arith::ExtSIOp::create(b, type, elements);
    else
      elements = arith::ExtUIOp::create(b, type, elements);
  }
  unsigned count = type.getNumElements() / group();
  auto wordType = VectorType::get({count}, b.getI32Type());
  Value result = vector::BitCastOp::create(b, wordType, elements);
  if (operand == words.rows && flipsRows())
    result = arith::XOrIOp::create(
        b, result,
        splat(b.getI32IntegerAttr(static_cast<int32_t>(flippedBits)), count));
  return result;
}

/// `value`, point number `point` of a word; 0 where the word has fewer.
Value TileEmitter::orZero(Value value, unsigned point, OpFoldResult present) {
  if (b.known(present) == group() || point == 0)
    return value;
  Value isThere = arith::CmpIOp::create(
      b, arith::CmpIPredicate::sgt, b.value(present), b.value(int64_t(point)));
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(value.getType()));
  return arith::SelectOp::create(b, isThere, value, zero);
}

/// Where a point of a word is read, or, behind the last, that one.
OpFoldResult TileEmitter::pointAt(unsigned operand, OpFoldResult word,
                                  unsigned point, OpFoldResult present) {
  OpFoldResult number = b.min(b.index(point), b.sub(present, b.index(1)));
  return b.add(word, b.mul(words.strides[operand], number));
}

/// `lanes` words side by side, whose points are in vectors from `at` on.
Value TileEmitter::wordsAcross(unsigned operand, OpFoldResult at,
                               OpFoldResult present, unsigned lanes,
                               Value mask) {
  unsigned bits = nest.problem.accesses[operand].bits;
  auto type = VectorType::get({lanes}, b.getIntegerType(bits));
  IndexList points;
  for (unsigned point = 0; point < group(); ++point) {
    Value line =
        load(nest.operands[operand], pointAt(operand, at, point, present),
             b.index(1), lanes, mask);
    line = vector::BitCastOp::create(b, type, line);
    points.push_back(orZero(line, point, present));
  }
  while (points.size() > 1) {
    unsigned half = points.size() / 2;
    for (unsigned i = 0; i < half; ++i)
      points[i] = vector::InterleaveOp::create(b, points[i], points[half + i]);
    points.truncate(half);
  }
  return toWords(points.front(), operand);
}

/// One word, from any places.
Value TileEmitter::wordOf(unsigned operand, OpFoldResult at,
                          OpFoldResult present) {
  const NestOperand &from = nest.operands[operand];
  auto type = VectorType::get({group()}, from.elementType);
  Value elements;
  if (b.known(words.strides[operand]) == 1 && b.known(present) == group()) {
    elements = vector::LoadOp::create(b, type, from.flat, b.value(at));
  } else {
    IndexList points;
    for (unsigned point = 0; point < group(); ++point)
      points.push_back(
          orZero(loadScalar(from, pointAt(operand, at, point, present)), point,
                 present));
    elements = vector::FromElementsOp::create(b, type, points);
  }
  return vector::ExtractOp::create(b, toWords(elements, operand), 0);
}

void TileEmitter::packWordColumns(const Block &block) {
  if (nest.problem.accesses[words.columns].strides[plan.vectorDim] == 1)
    packWordVectors(block);
  else
    packWordPanels(block);
  if (plan.tiles)
    fillTileColumns(block);
  sumColumns(block);
}

/// Columns are contiguous: read along all panels, word by word.
void TileEmitter::packWordVectors(const Block &block) {
  unsigned operand = words.columns;
  OpFoldResult whole =
      wholeTiles() ? block.columns : b.alignDown(block.columns, width());
  auto pack = [&](OpFoldResult read, OpFoldResult write, OpFoldResult present) {
    auto panels = [&](OpFoldResult first, OpFoldResult last, bool masked) {
      loop(first, last, width(), [&](OpFoldResult column) {
        OpFoldResult left = b.sub(block.columns, column);
        OpFoldResult to = b.add(write, b.mul(column, blockPoints));
        for (unsigned vector = 0; vector < plan.vectors; ++vector) {
          OpFoldResult shift = b.index(int64_t(vector) * plan.lanes);
          Value mask =
              masked ? maskFor(b.sub(left, shift), plan.lanes) : Value();
          Value data = wordsAcross(operand, b.add(b.add(read, column), shift),
                                   present, plan.lanes, mask);
          store(data, sources[operand], b.add(to, shift), b.index(1), Value());
        }
      });
    };
    panels(b.index(0), whole, false);
    if (!wholeTiles())
      panels(whole, block.columns, true);
  };
  wordLoops(block, operand, block.point, pack);
}

/// Panel by panel: squares of words that lie in memory as they are wanted are
/// transposed in registers, others put together point by point.
void TileEmitter::packWordPanels(const Block &block) {
  unsigned operand = words.columns, level = plan.inner.size() - 1;
  const NestOperand &from = nest.operands[operand];
  OpFoldResult stride = from.strides[plan.vectorDim];
  bool areWords = b.known(words.strides[operand]) == 1;
  auto type = VectorType::get({plan.lanes * group()}, from.elementType);
  loop(b.index(0), block.columns, width(), [&](OpFoldResult first) {
    OpFoldResult columns = b.min(b.sub(block.columns, first), b.index(width()));
    NestPoint start = nest.advance(b, block.point, plan.vectorDim, first);
    auto pack = [&](OpFoldResult read, OpFoldResult write) {
      write = b.add(write, b.mul(first, blockPoints));
      auto wordsAlong = [&](OpFoldResult word, OpFoldResult column) {
        OpFoldResult at = b.add(b.add(read, b.mul(word, b.index(group()))),
                                b.mul(stride, column));
        return toWords(vector::LoadOp::create(b, type, from.flat, b.value(at)),
                       operand);
      };
      OpFoldResult squares = b.index(0);
      if (areWords)
        squares = b.alignDown(wholeWords(block), plan.lanes);
      loop(b.index(0), squares, plan.lanes, [&](OpFoldResult word) {
        copySquares(wordsAlong, plan.lanes, word, columns, sources[operand],
                    write,
                    *b.known(sources[operand].strides[plan.inner[level]]));
      });
      lastWords(block, operand, squares, read, write,
                [&](OpFoldResult at, OpFoldResult to, OpFoldResult present) {
                  loop(b.index(0), columns, 1, [&](OpFoldResult column) {
                    storeScalar(wordOf(operand,
                                       b.add(at, b.mul(stride, column)),
                                       present),
                                sources[operand], b.add(to, column));
                  });
                });
    };
    packingLoops(block, operand, start, level, pack);
  });
}

/// Packs the rows of one run of tiles, which start at `point`.
void TileEmitter::packWordRows(const Block &block, const NestPoint &point,
                               unsigned rows) {
  unsigned operand = words.rows;
  if (!isPacked(operand, Packing::Rows))
    return;
  const NestOperand &from = nest.operands[operand];
  bool vectors = nest.problem.accesses[operand].strides[plan.rowDim] == 1;
  auto pack = [&](OpFoldResult read, OpFoldResult write, OpFoldResult present) {
    if (vectors)
      return store(wordsAcross(operand, read, present, rows, Value()),
                   sources[operand], write, b.index(1), Value());
    for (unsigned row = 0; row < rows; ++row) {
      OpFoldResult at =
          b.add(read, b.mul(from.strides[plan.rowDim], b.index(row)));
      storeScalar(wordOf(operand, at, present), sources[operand],
                  b.add(write, b.index(row)));
    }
  };
  wordLoops(block, operand, point, pack);
}

} // namespace tapestry
