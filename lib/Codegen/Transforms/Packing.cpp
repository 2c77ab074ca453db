//===- Packing.cpp - Panels of packed operands ----------------------------===//
//
// Copies a block of an operand into panels: for every run of tile-width columns
// the block's reduction points one after another, each with its columns side by
// side. Columns past the end hold anything; reduction points are never padded.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {

/// Panels of one block, and strides by which the tile walks them: `width` per
/// reduction point, one block of points per column.
void TileEmitter::allocatePanels() {
  for (unsigned number = 0; number < sources.size(); ++number) {
    if (!plan.packed[number])
      continue;
    NestOperand &source = sources[number];
    OpFoldResult columns = b.alignUp(blockColumns, width());
    // packTransposed writes whole squares; the last may stick out.
    OpFoldResult size = b.add(b.mul(columns, blockPoints),
                              b.index(int64_t(width()) * plan.lanes));
    SmallVector<int64_t> shape{b.known(size).value_or(ShapedType::kDynamic)};
    auto type = MemRefType::get(shape, source.elementType);
    SmallVector<Value> dynamic;
    if (!b.known(size))
      dynamic.push_back(b.value(size));
    Value panel =
        memref::AllocOp::create(b, type, dynamic, b.getI64IntegerAttr(64));
    panels[number] = panel;
    source.flat = panel;
    source.offset = b.index(0);
    source.strides.assign(nest.extents.size(), b.index(0));
    source.strides[plan.vectorDim] = blockPoints;
    OpFoldResult stride = b.index(width());
    for (unsigned dim : llvm::reverse(plan.inner)) {
      source.strides[dim] = stride;
      stride = b.mul(stride, nest.extents[dim]);
    }
  }
}

void TileEmitter::freePanels() {
  for (Value panel : panels)
    if (panel)
      memref::DeallocOp::create(b, panel);
}

void TileEmitter::pack(const Block &block) {
  for (unsigned number = 0; number < sources.size(); ++number) {
    if (!plan.packed[number])
      continue;
    loop(b.index(0), block.columns, width(), [&](OpFoldResult column) {
      NestPoint from = nest.advance(b, block.point, plan.vectorDim, column);
      OpFoldResult to = b.mul(column, blockPoints);
      packPanel(block, number, from, to, b.sub(block.columns, column));
    });
  }
}

/// One panel: `columns` of the operand (more than a panel's width count as the
/// width) from `source` on to offset `target` of the panel buffer.
void TileEmitter::packPanel(const Block &block, unsigned operand,
                            const NestPoint &source, OpFoldResult target,
                            OpFoldResult columns) {
  const NestAccess &access = nest.problem.accesses[operand];
  if (access.strides[plan.vectorDim] == 1)
    return packVectors(block, operand, source, target, columns);
  if (access.strides[plan.inner.back()] == 1)
    return packTransposed(block, operand, source, target, columns);
  packElements(block, operand, source, target, columns);
}

/// The walk over a block's reduction: `steps.offset` starts at the operand's
/// place for the operand and at the panel's for the panel.
void TileEmitter::packVectors(const Block &block, unsigned operand,
                              const NestPoint &source, OpFoldResult target,
                              OpFoldResult columns) {
  const NestOperand &from = nest.operands[operand];
  SmallVector<Value> masks;
  for (unsigned column = 0; column < plan.vectors; ++column)
    masks.push_back(maskFor(
        b.sub(columns, b.index(int64_t(column) * plan.lanes)), plan.lanes));
  NestPoint start = source;
  start.offset.assign(sources.size(), b.index(0));
  reductionLoops(
      block, start, ValueRange(), [&](const NestPoint &at, ValueRange) {
        OpFoldResult read = source.offset[operand];
        for (unsigned dim : plan.inner)
          read = b.add(read, b.mul(from.strides[dim],
                                   b.sub(at.index[dim], source.index[dim])));
        OpFoldResult write = b.add(target, at.offset[operand]);
        for (unsigned column = 0; column < plan.vectors; ++column) {
          OpFoldResult shift = b.index(int64_t(column) * plan.lanes);
          Value data = load(from, b.add(read, shift), b.index(1), plan.lanes,
                            masks[column]);
          store(data, sources[operand], b.add(write, shift), b.index(1),
                Value());
        }
        return IndexList();
      });
}

void TileEmitter::packElements(const Block &block, unsigned operand,
                               const NestPoint &source, OpFoldResult target,
                               OpFoldResult columns) {
  const NestOperand &from = nest.operands[operand];
  NestPoint start = source;
  start.offset.assign(sources.size(), b.index(0));
  OpFoldResult count = b.min(columns, b.index(width()));
  reductionLoops(
      block, start, ValueRange(), [&](const NestPoint &at, ValueRange) {
        OpFoldResult read = source.offset[operand];
        for (unsigned dim : plan.inner)
          read = b.add(read, b.mul(from.strides[dim],
                                   b.sub(at.index[dim], source.index[dim])));
        OpFoldResult write = b.add(target, at.offset[operand]);
        loop(b.index(0), count, 1, [&](OpFoldResult column) {
          Value data = loadScalar(
              from, b.add(read, b.mul(from.strides[plan.vectorDim], column)));
          memref::StoreOp::create(b, data, sources[operand].flat,
                                  b.value(b.add(write, column)));
        });
        return IndexList();
      });
}

/// Transposes `rows`, a square of vectors, in log2(n) rounds of exchanges
/// between rows that are 1, 2, 4, ... apart.
static void transposeSquare(IndexBuilder &b, SmallVectorImpl<Value> &rows) {
  int64_t n = rows.size();
  for (int64_t distance = 1; distance < n; distance *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < n; ++lane) {
      bool other = lane & distance;
      low.push_back(other ? n + lane - distance : lane);
      high.push_back(other ? n + lane : lane + distance);
    }
    for (int64_t row = 0; row < n; ++row) {
      if (row & distance)
        continue;
      Value a = rows[row], c = rows[row + distance];
      rows[row] = vector::ShuffleOp::create(b, a, c, low);
      rows[row + distance] = vector::ShuffleOp::create(b, a, c, high);
    }
  }
}

/// The operand is contiguous along the innermost reduction loop: read squares
/// of lanes x lanes along it and transpose them in registers.
void TileEmitter::packTransposed(const Block &block, unsigned operand,
                                 const NestPoint &source, OpFoldResult target,
                                 OpFoldResult columns) {
  const NestOperand &from = nest.operands[operand];
  unsigned last = plan.inner.size() - 1;
  unsigned lanes = plan.lanes;
  NestPoint start = source;
  start.offset.assign(sources.size(), b.index(0));
  auto square = [&](OpFoldResult read, OpFoldResult write, OpFoldResult left,
                    OpFoldResult column) {
    SmallVector<Value> rows;
    Value mask = maskFor(left, lanes);
    for (unsigned lane = 0; lane < lanes; ++lane) {
      // Past the last column, repeat it: no one looks at the copy.
      OpFoldResult clamped =
          b.min(b.add(column, b.index(lane)), b.sub(columns, b.index(1)));
      OpFoldResult at =
          b.add(read, b.mul(from.strides[plan.vectorDim], clamped));
      rows.push_back(load(from, at, b.index(1), lanes, mask));
    }
    transposeSquare(b, rows);
    for (unsigned lane = 0; lane < lanes; ++lane)
      store(rows[lane], sources[operand],
            b.add(b.add(write, column), b.index(int64_t(lane) * width())),
            b.index(1), Value());
  };
  reductionLoops(
      block, start, ValueRange(),
      [&](const NestPoint &at, ValueRange) {
        OpFoldResult read = source.offset[operand];
        for (unsigned dim : ArrayRef(plan.inner).drop_back())
          read = b.add(read, b.mul(from.strides[dim],
                                   b.sub(at.index[dim], source.index[dim])));
        OpFoldResult write = b.add(target, at.offset[operand]);
        OpFoldResult length = innerExtent(block, last);
        loop(b.index(0), length, lanes, [&](OpFoldResult k) {
          // Columns left to right, points upwards: what a square writes past
          // the end is overwritten by its successor.
          loop(b.index(0), b.index(width()), lanes, [&](OpFoldResult column) {
            square(b.add(read, k), b.add(write, b.mul(k, b.index(width()))),
                   b.sub(length, k), column);
          });
        });
        return IndexList();
      },
      0, last);
}

} // namespace tapestry
