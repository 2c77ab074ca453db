//===- Packing.cpp - Panels of packed operands ----------------------------===//
//
// Copies a block of an operand so that the tile reads it from end to end:
// Packing::Columns makes panels of tile-width columns, in each the block's
// reduction points one after another; Packing::Rows one panel of the tile's
// rows. Columns past the end hold anything; reduction points are never padded.
// What the body reads through a conversion to a wider type alone is converted
// here, once, and not by every tile that reads it.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tapestry {

/// Replaces packed operands in `sources` by panels; makes room for totals.
void TileEmitter::allocatePanels() {
  for (unsigned number = 0; number < sources.size(); ++number) {
    if (isPacked(number, Packing::None))
      continue;
    bool columns = isPacked(number, Packing::Columns);
    OpFoldResult size =
        columns ? b.mul(b.alignUp(blockColumns, width()), blockPoints)
                : b.mul(blockPoints, b.index(plan.rows));
    SmallVector<OpFoldResult, 6> strides(nest.extents.size(), b.index(0));
    // A tile's rows have their words side by side.
    OpFoldResult stride = b.index(columns      ? width()
                                  : plan.tiles ? 1
                                               : plan.rows),
                 square = stride;
    for (unsigned dim : llvm::reverse(plan.inner)) {
      strides[dim] = stride;
      if (columns && nest.problem.accesses[number].strides[dim] == 1)
        square = stride;
      stride = b.mul(stride, nest.extents[dim]);
    }
    // copyTransposed writes whole squares; the last may stick out.
    size = b.add(size, b.mul(square, b.index(plan.lanes)));
    NestOperand &source = sources[number];
    Operation *conversion =
        plan.dot == Dot::None ? nest.conversionOf(number) : nullptr;
    source = allocate(plan.dot != Dot::None ? b.getI32Type()
                      : conversion          ? conversion->getResult(0).getType()
                                            : source.elementType,
                      size);
    source.conversion = conversion;
    panels[number] = source.flat;
    source.strides = strides;
    if (columns)
      source.strides[plan.vectorDim] = blockPoints;
    else
      source.strides[plan.rowDim] = b.index(1);
  }
  if (plan.tiles)
    allocateTiles();
  if (flipsRows()) {
    columnSums = allocate(b.getI32Type(), b.alignUp(blockColumns, width()));
    panels.push_back(columnSums->flat);
  }
  if (!hasGroups())
    return;
  totalsLine = b.alignUp(blockColumns, width());
  OpFoldResult size = b.mul(totalsLine, manyBlocks);
  if (plan.rowDim >= 0)
    size = b.mul(size, nest.extents[plan.rowDim]);
  for (OutputBody &output : nest.outputs) {
    Type type = output.yielded.getType();
    totals.push_back({allocate(type, size), allocate(type, size)});
    panels.append({totals.back().first.flat, totals.back().second.flat});
  }
}

void TileEmitter::freePanels() {
  for (Value panel : panels)
    if (panel)
      memref::DeallocOp::create(b, panel);
}

void TileEmitter::packingLoops(
    const Block &block, unsigned operand, const NestPoint &start,
    std::optional<unsigned> without,
    llvm::function_ref<void(OpFoldResult, OpFoldResult)> fn) {
  const NestOperand &from = nest.operands[operand];
  auto loopsFrom = [&](auto &self, unsigned level, OpFoldResult read,
                       OpFoldResult write) -> void {
    if (level == plan.inner.size())
      return fn(read, write);
    if (level == without)
      return self(self, level + 1, read, write);
    unsigned dim = plan.inner[level];
    loop(b.index(0), innerExtent(block, level), 1, [&](OpFoldResult iv) {
      self(self, level + 1, b.add(read, b.mul(from.strides[dim], iv)),
           b.add(write, b.mul(sources[operand].strides[dim], iv)));
    });
  };
  loopsFrom(loopsFrom, 0, start.offset[operand], b.index(0));
}

void TileEmitter::packColumns(const Block &block) {
  if (plan.dot != Dot::None)
    return packWordColumns(block);
  for (unsigned number = 0; number < sources.size(); ++number) {
    if (!isPacked(number, Packing::Columns))
      continue;
    const NestAccess &access = nest.problem.accesses[number];
    if (access.strides[plan.vectorDim] == 1)
      packVectors(block, number);
    else if (std::optional<unsigned> level = contiguousLevel(number))
      packTransposed(block, number, *level);
    else
      packElements(block, number);
  }
}

/// Columns are contiguous: read along all panels, point by point.
void TileEmitter::packVectors(const Block &block, unsigned operand) {
  OpFoldResult whole =
      wholeTiles() ? block.columns : b.alignDown(block.columns, width());
  packingLoops(
      block, operand, block.point, std::nullopt,
      [&](OpFoldResult read, OpFoldResult write) {
        auto panels = [&](OpFoldResult first, OpFoldResult last, bool masked) {
          loop(first, last, width(), [&](OpFoldResult column) {
            OpFoldResult left = b.sub(block.columns, column);
            OpFoldResult from = b.add(read, column);
            OpFoldResult to = b.add(write, b.mul(column, blockPoints));
            for (unsigned vector = 0; vector < plan.vectors; ++vector) {
              OpFoldResult shift = b.index(int64_t(vector) * plan.lanes);
              Value mask =
                  masked ? maskFor(b.sub(left, shift), plan.lanes) : Value();
              Value data = load(nest.operands[operand], b.add(from, shift),
                                b.index(1), plan.lanes, mask);
              store(data, sources[operand], b.add(to, shift), b.index(1),
                    Value());
            }
          });
        };
        panels(b.index(0), whole, false);
        if (!wholeTiles())
          panels(whole, block.columns, true);
      });
}

/// A reduction loop is contiguous: squares of lanes x lanes are transposed in
/// registers.
void TileEmitter::packTransposed(const Block &block, unsigned operand,
                                 unsigned level) {
  unsigned along = plan.inner[level];
  OpFoldResult stride = nest.operands[operand].strides[plan.vectorDim];
  loop(b.index(0), block.columns, width(), [&](OpFoldResult column) {
    OpFoldResult columns =
        b.min(b.sub(block.columns, column), b.index(width()));
    NestPoint start = nest.advance(b, block.point, plan.vectorDim, column);
    packingLoops(block, operand, start, level,
                 [&](OpFoldResult read, OpFoldResult write) {
                   // What a square writes past the end, the next overwrites, or
                   // the next columns.
                   copyTransposed(nest.operands[operand], read, stride,
                                  innerExtent(block, level), columns,
                                  sources[operand],
                                  b.add(write, b.mul(column, blockPoints)),
                                  *b.known(sources[operand].strides[along]));
                 });
  });
}

/// The reduction loop along which a packed operand is contiguous, as its number
/// in plan.inner; none where there is none or its panel's steps are not known.
std::optional<unsigned> TileEmitter::contiguousLevel(unsigned operand) {
  const NestAccess &access = nest.problem.accesses[operand];
  for (auto [level, dim] : llvm::enumerate(plan.inner))
    if (access.strides[dim] == 1 && b.known(sources[operand].strides[dim]))
      return level;
  return std::nullopt;
}

void TileEmitter::packElements(const Block &block, unsigned operand) {
  OpFoldResult stride = nest.operands[operand].strides[plan.vectorDim];
  loop(b.index(0), block.columns, width(), [&](OpFoldResult first) {
    OpFoldResult columns = b.min(b.sub(block.columns, first), b.index(width()));
    NestPoint start = nest.advance(b, block.point, plan.vectorDim, first);
    packingLoops(block, operand, start, std::nullopt,
                 [&](OpFoldResult read, OpFoldResult write) {
                   loop(b.index(0), columns, 1, [&](OpFoldResult column) {
                     Value data =
                         loadScalar(nest.operands[operand],
                                    b.add(read, b.mul(stride, column)));
                     OpFoldResult to = b.add(write, b.mul(first, blockPoints));
                     storeScalar(data, sources[operand], b.add(to, column));
                   });
                 });
  });
}

/// Packs the rows of one run of tiles, which start at `point`.
void TileEmitter::packRows(const Block &block, const NestPoint &point,
                           unsigned rows) {
  if (plan.dot != Dot::None)
    return packWordRows(block, point, rows);
  for (unsigned number = 0; number < sources.size(); ++number) {
    if (!isPacked(number, Packing::Rows))
      continue;
    const NestOperand &from = nest.operands[number];
    bool vectors = nest.problem.accesses[number].strides[plan.rowDim] == 1;
    auto pack = [&](OpFoldResult read, OpFoldResult write) {
      if (vectors)
        return store(load(from, read, b.index(1), rows, Value()),
                     sources[number], write, b.index(1), Value());
      for (unsigned row = 0; row < rows; ++row) {
        OpFoldResult at =
            b.add(read, b.mul(from.strides[plan.rowDim], b.index(row)));
        storeScalar(loadScalar(from, at), sources[number],
                    b.add(write, b.index(row)));
      }
    };
    // Few rows are not worth the code.
    std::optional<unsigned> level = contiguousLevel(number);
    if (sources[number].conversion && !vectors && level && rows == plan.rows &&
        rows > 2)
      packConverted(block, point, number, *level, pack);
    else
      packingLoops(block, number, point, std::nullopt, pack);
  }
}

/// Rows of what is converted: element by element that takes as long as a good
/// part of the tile. Squares are transposed in registers, as far as there are
/// whole ones along a reduction loop; `pack` does one step of the rest.
void TileEmitter::packConverted(
    const Block &block, const NestPoint &point, unsigned operand,
    unsigned level, llvm::function_ref<void(OpFoldResult, OpFoldResult)> pack) {
  const NestOperand &from = nest.operands[operand];
  OpFoldResult count = innerExtent(block, level);
  int64_t stride = *b.known(sources[operand].strides[plan.inner[level]]);
  int64_t lanes = llvm::PowerOf2Ceil(plan.rows);
  // What a square writes past its rows, the next line overwrites.
  bool fits = lanes == plan.rows || level + 1 == plan.inner.size();
  OpFoldResult squares = fits ? b.alignDown(count, lanes) : b.index(0);
  packingLoops(
      block, operand, point, level, [&](OpFoldResult read, OpFoldResult write) {
        auto lanesAt = [&](OpFoldResult step, OpFoldResult row) {
          OpFoldResult at = b.mul(from.strides[plan.rowDim], row);
          return load(from, b.add(b.add(read, step), at), b.index(1), lanes,
                      Value());
        };
        loop(b.index(0), squares, lanes, [&](OpFoldResult step) {
          copySquares(lanesAt, lanes, step, b.index(plan.rows),
                      sources[operand], write, stride);
        });
        loop(squares, count, 1, [&](OpFoldResult step) {
          pack(b.add(read, step), b.add(write, b.mul(step, b.index(stride))));
        });
      });
}

} // namespace tapestry
