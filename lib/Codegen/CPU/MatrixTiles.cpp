//===- MatrixTiles.cpp - Products in tile registers -----------------------===//
//
// Tile registers hold 16 lines of 16 words. Those of rows are copied so that
// each register's lines follow one another, those of columns are panels like
// others; both end with zeros. Four registers add for 32 x 32 results, which
// are then added to those of earlier blocks line by line.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {

constexpr int64_t tileWords = tileSize * tileSize;

void TileEmitter::allocateTiles() {
  tileShapes = allocate(b.getI32Type(), b.index(tileSize));
  tileSums = allocate(nest.outputs.front().yielded.getType(),
                      b.index(int64_t(plan.rows) * width()));
  panels.append({tileShapes.flat, tileSums.flat});
  // Palette 1; 64 bytes in a line, 16 bits for each of 8 registers; 16 lines,
  // 8 bits for each.
  SmallVector<int32_t> shapes(tileSize, 0);
  shapes[0] = 1;
  std::fill_n(&shapes[4], 4, 0x00400040);
  std::fill_n(&shapes[12], 2, 0x10101010);
  Value all = arith::ConstantOp::create(b, b.getI32VectorAttr(shapes));
  store(all, tileShapes, b.index(0), b.index(1), Value());
}

Value TileEmitter::addressOf(const NestOperand &operand, OpFoldResult offset) {
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, operand.flat);
  OpFoldResult address = b.add(base, b.mul(offset, b.index(4)));
  Value number =
      arith::IndexCastOp::create(b, b.getI64Type(), b.value(address));
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  number);
}

/// Calls an instruction on registers and other operands.
void TileEmitter::callTiles(StringRef name, ArrayRef<unsigned> registers,
                            ValueRange operands) {
  IndexList all;
  for (unsigned number : registers)
    all.push_back(
        LLVM::ConstantOp::create(b, b.getI8Type(), b.getI8IntegerAttr(number)));
  all.append(operands.begin(), operands.end());
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86." + name), all);
}

/// Words of a block, without those that fill it.
OpFoldResult TileEmitter::wordsIn(const Block &block) {
  return b.mul(block.steps, wordsBelow);
}

void TileEmitter::emitTileRows(const Block &block) {
  OpFoldResult rows = nest.extents[plan.rowDim];
  loop(b.index(0), rows, plan.rows, [&](OpFoldResult row) {
    OpFoldResult lines = b.min(b.sub(rows, row), b.index(plan.rows));
    NestPoint point = nest.advance(b, block.point, plan.rowDim, row);
    packTileRows(block, point, lines);
    loop(b.index(0), block.columns, width(), [&](OpFoldResult column) {
      multiplyTiles(block, column);
      NestPoint start = nest.advance(b, point, plan.vectorDim, column);
      loop(b.index(0), lines, 1, [&](OpFoldResult line) {
        addLine(block, nest.advance(b, start, plan.rowDim, line), line, column);
      });
    });
  });
}

/// Leaves the sums of one block of the reduction in `tileSums`.
void TileEmitter::multiplyTiles(const Block &block, OpFoldResult column) {
  unsigned down = plan.rows / tileSize, across = plan.vectors;
  unsigned left = down * across, right = left + down;
  auto sign = [&](unsigned operand) {
    return factorOf(operand) == Factor::Signed ? "s" : "u";
  };
  std::string multiply = "tdpbf16ps";
  if (plan.dot == Dot::I8Quads)
    multiply =
        std::string("tdpb") + sign(words.rows) + sign(words.columns) + "d";
  auto bytes = [&](int64_t words) -> Value {
    return LLVM::ConstantOp::create(b, b.getI64Type(),
                                    b.getI64IntegerAttr(4 * words));
  };
  const NestOperand &rows = sources[words.rows];
  const NestOperand &columns = sources[words.columns];
  for (unsigned sum = 0; sum < left; ++sum)
    callTiles("tilezero", {sum});
  OpFoldResult panel = b.mul(column, blockPoints);
  loop(b.index(0), wordsIn(block), tileSize, [&](OpFoldResult word) {
    auto loadRows = [&](unsigned number) {
      OpFoldResult at =
          b.add(b.mul(word, b.index(plan.rows)), b.index(number * tileWords));
      callTiles("tileloadd64", {left + number},
                {addressOf(rows, at), bytes(tileSize)});
    };
    auto loadColumns = [&](unsigned number) {
      OpFoldResult at = b.add(b.add(panel, b.mul(word, b.index(width()))),
                              b.index(number * tileSize));
      callTiles("tileloadd64", {right + number},
                {addressOf(columns, at), bytes(width())});
    };
    for (unsigned row = 0; row < down; ++row) {
      loadRows(row);
      for (unsigned vector = 0; vector < across; ++vector) {
        if (row == 0)
          loadColumns(vector);
        callTiles(multiply,
                  {row * across + vector, left + row, right + vector});
      }
    }
  });
  for (unsigned sum = 0; sum < left; ++sum) {
    int64_t at = sum / across * tileSize * width() + sum % across * tileSize;
    callTiles("tilestored64", {sum},
              {addressOf(tileSums, b.index(at)), bytes(width())});
  }
}

/// Adds one line of sums to the results at `point`.
void TileEmitter::addLine(const Block &block, const NestPoint &point,
                          OpFoldResult line, OpFoldResult column) {
  Tile tile{block, point, 1, column, {}, Value(), {}};
  OpFoldResult left = b.sub(block.columns, column);
  bool isWhole = wholeTiles();
  for (unsigned vector = 0; vector < plan.vectors; ++vector)
    tile.masks.push_back(
        isWhole ? Value()
                : maskFor(b.sub(left, b.index(int64_t(vector) * plan.lanes)),
                          plan.lanes));
  if (!isWhole)
    tile.whole = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                       b.value(left), b.value(width()));
  for (OpFoldResult offset : point.offset)
    tile.offsets.push_back({offset});
  IndexList values = startValues(tile);
  for (auto [vector, value] : llvm::enumerate(values)) {
    OpFoldResult at =
        b.add(b.mul(line, b.index(width())), b.index(vector * plan.lanes));
    Value sum = load(tileSums, at, b.index(1), plan.lanes, Value());
    if (plan.dot == Dot::BF16Pairs)
      value = arith::AddFOp::create(b, value, sum);
    else
      value = arith::AddIOp::create(b, value, sum);
  }
  withMasks(tile, TypeRange(), [&](bool masked) {
    storeResults(tile, values, masked);
    return IndexList();
  });
}

/// Stores word number `at` of a block, of a row of the tiles.
void TileEmitter::storeTileWord(Value word, OpFoldResult at, OpFoldResult row) {
  OpFoldResult first = b.alignDown(at, tileSize);
  OpFoldResult place =
      b.add(b.mul(first, b.index(plan.rows)),
            b.add(b.mul(row, b.index(tileSize)), b.sub(at, first)));
  storeScalar(word, sources[words.rows], place);
}

void TileEmitter::packTileRows(const Block &block, const NestPoint &point,
                               OpFoldResult rows) {
  // What stands behind the last words is 0.
  OpFoldResult count = wordsIn(block);
  Value zero = splat(b.getI32IntegerAttr(0), plan.lanes);
  loop(b.alignDown(count, tileSize), count, tileSize, [&](OpFoldResult last) {
    OpFoldResult to = b.mul(last, b.index(plan.rows));
    loop(b.index(0), rows, 1, [&](OpFoldResult row) {
      store(zero, sources[words.rows], b.add(to, b.mul(row, b.index(tileSize))),
            b.index(1), Value());
    });
  });
  const NestAccess &access = nest.problem.accesses[words.rows];
  auto line = b.known(nest.extents[plan.inner.back()]);
  bool isAligned = plan.inner.size() == 1 || (line && *line % tileSize == 0);
  if (isAligned && access.strides[plan.rowDim] == 1)
    return packTileSquares(block, point, rows);
  packTileLines(block, point, rows);
}

/// Row by row; whole lines of registers where words lie in memory as they are
/// wanted.
void TileEmitter::packTileLines(const Block &block, const NestPoint &point,
                                OpFoldResult rows) {
  unsigned operand = words.rows;
  const NestOperand &from = nest.operands[operand];
  auto extent = b.known(nest.extents[plan.inner.back()]);
  bool inLines =
      b.known(words.strides[operand]) == 1 &&
      (plan.inner.size() == 1 || (extent && *extent % tileSize == 0));
  auto type = VectorType::get({plan.lanes * group()}, from.elementType);
  loop(b.index(0), rows, 1, [&](OpFoldResult row) {
    NestPoint start = nest.advance(b, point, plan.rowDim, row);
    auto pack = [&](OpFoldResult read, OpFoldResult write) {
      OpFoldResult lines = b.index(0);
      if (inLines)
        lines = b.alignDown(wholeWords(block), tileSize);
      loop(b.index(0), lines, tileSize, [&](OpFoldResult word) {
        Value elements = vector::LoadOp::create(
            b, type, from.flat,
            b.value(b.add(read, b.mul(word, b.index(group())))));
        OpFoldResult to = b.mul(b.add(write, word), b.index(plan.rows));
        store(toWords(elements, operand), sources[operand],
              b.add(to, b.mul(row, b.index(tileSize))), b.index(1), Value());
      });
      lastWords(block, operand, lines, read, write,
                [&](OpFoldResult at, OpFoldResult to, OpFoldResult present) {
                  storeTileWord(wordOf(operand, at, present), to, row);
                });
    };
    packingLoops(block, operand, start, plan.inner.size() - 1, pack);
  });
}

/// Rows are contiguous: 16 of them and 16 words are transposed in registers.
void TileEmitter::packTileSquares(const Block &block, const NestPoint &point,
                                  OpFoldResult rows) {
  unsigned operand = words.rows;
  OpFoldResult stride = nest.operands[operand].strides[plan.inner.back()];
  auto pack = [&](OpFoldResult read, OpFoldResult write) {
    OpFoldResult whole = b.alignDown(wholeWords(block), tileSize);
    loop(b.index(0), whole, tileSize, [&](OpFoldResult word) {
      auto rowsAt = [&](OpFoldResult row, OpFoldResult next) {
        OpFoldResult at = b.mul(stride, b.add(word, next));
        return wordsAcross(operand, b.add(b.add(read, at), row),
                           b.index(group()), plan.lanes,
                           maskFor(b.sub(rows, row), plan.lanes));
      };
      for (int64_t row = 0; row < plan.rows; row += tileSize)
        copySquares(rowsAt, tileSize, b.index(row), b.index(tileSize),
                    sources[operand],
                    b.mul(b.add(write, word), b.index(plan.rows)), tileSize);
    });
    lastWords(block, operand, whole, read, write,
              [&](OpFoldResult at, OpFoldResult to, OpFoldResult present) {
                loop(b.index(0), rows, 1, [&](OpFoldResult row) {
                  storeTileWord(wordOf(operand, b.add(at, row), present), to,
                                row);
                });
              });
  };
  packingLoops(block, operand, point, plan.inner.size() - 1, pack);
}

/// What stands behind a block's words is 0.
void TileEmitter::fillTileColumns(const Block &block) {
  OpFoldResult count = wordsIn(block);
  Value zero = splat(b.getI32IntegerAttr(0), plan.lanes);
  loop(b.index(0), block.columns, width(), [&](OpFoldResult column) {
    OpFoldResult panel = b.mul(column, blockPoints);
    loop(count, b.alignUp(count, tileSize), 1, [&](OpFoldResult word) {
      for (unsigned vector = 0; vector < plan.vectors; ++vector)
        store(zero, sources[words.columns],
              b.add(b.add(panel, b.mul(word, b.index(width()))),
                    b.index(int64_t(vector) * plan.lanes)),
              b.index(1), Value());
    });
  });
}

} // namespace tapestry
