//===- EmitTile.cpp - Register-tiled reductions ---------------------------===//
//
// The nest around the register tile and the tile itself. Any body runs here:
// the accumulator is an argument like the others, and points of the reduction
// follow one another.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {

/// Loops over this many points of a reduction are unrolled, if the body is
/// short.
constexpr int64_t unrolledSteps = 4;
constexpr int64_t maxUnrolledCost = 16;
/// Lines of so many columns are mirrored at a time: they stay in the L1 cache.
constexpr int64_t mirroredLines = 32;
/// Sums of so many terms are not cut into blocks.
constexpr int64_t shortSum = 64;
/// The sums of so many blocks of a reduction, a group, are added as they are.
constexpr int64_t groupBlocks = 32;

TileEmitter::TileEmitter(IndexBuilder &b, Nest &nest, const NestPlan &plan,
                         const TargetInfo &target, const WordLoop &words,
                         bool isLong)
    : NestEmitter(b, nest, plan, target), isLong(isLong),
      sources(nest.operands), panels(nest.operands.size()), words(words) {}

void TileEmitter::emit() {
  takeShare(mirrors() && plan.splitDim == int(plan.vectorDim));
  planBlocks();
  allocatePanels();
  if (plan.tiles)
    callTiles("ldtilecfg", {}, addressOf(tileShapes, b.index(0)));
  loops(plan.outer, nest.origin(b),
        [&](const NestPoint &point) { emitBlocks(point); });
  if (plan.tiles)
    callTiles("tilerelease", {});
  freePanels();
}

/// Blocks of even size, so that the last one is not a remnant.
void TileEmitter::planBlocks() {
  OpFoldResult steps = nest.extents[plan.inner.front()];
  OpFoldResult below = b.index(1);
  for (unsigned dim : ArrayRef(plan.inner).drop_front())
    below = b.mul(below, nest.extents[dim]);
  blockSteps = b.max(steps, b.index(1));
  bool adds = llvm::all_of(nest.outputs, addsFloats);
  if (plan.reductionBlock) {
    OpFoldResult most =
        b.max(b.div(b.index(plan.reductionBlock), b.max(below, b.index(1))),
              b.index(1));
    OpFoldResult blocks = b.ceilDiv(blockSteps, most);
    blockSteps = b.ceilDiv(blockSteps, blocks);
    groupSteps = b.mul(blockSteps, b.index(groupBlocks));
    auto points = b.known(b.mul(steps, below));
    addsBlocks = adds && !(points && *points * group() <= shortSum);
    manyBlocks = b.min(b.div(blocks, b.index(groupBlocks + 1)), b.index(1));
  }
  blockPoints = b.mul(blockSteps, below);
  wordsBelow = below;
  if (plan.tiles)
    blockPoints = b.alignUp(blockPoints, tileSize);
  if (adds)
    planRuns(below);

  OpFoldResult columns = b.max(nest.extents[plan.vectorDim], b.index(1));
  blockColumns = columns;
  if (plan.vectorBlock) {
    OpFoldResult blocks = b.ceilDiv(columns, b.index(plan.vectorBlock));
    blockColumns = b.alignUp(b.ceilDiv(columns, blocks), width());
  }
}

void TileEmitter::emitBlocks(const NestPoint &point) {
  Range all = pointsOf(plan.vectorDim);
  bool isWhole = all.to == nest.extents[plan.vectorDim];
  // An empty reduction still has one block: results take their start values.
  OpFoldResult steps = b.max(nest.extents[plan.inner.front()], b.index(1));
  loop(all.from, all.to, blockColumns, [&](OpFoldResult column) {
    NestPoint atColumn = nest.advance(b, point, plan.vectorDim, column);
    OpFoldResult here = plan.vectorBlock || !isWhole
                            ? b.min(b.sub(all.to, column), blockColumns)
                            : all.to;
    if (!hasGroups())
      return emitGroup(atColumn, here, b.index(0), steps);
    loop(b.index(0), steps, groupSteps, [&](OpFoldResult step) {
      OpFoldResult end = b.add(step, groupSteps);
      emitGroup(atColumn, here, step, b.min(end, steps));
      addGroup(atColumn, here, step, end);
    });
  });
  if (mirrors())
    mirror(point);
}

/// What starts from values of its own may differ on both sides of the diagonal.
bool TileEmitter::mirrors() const {
  return plan.mirrors && nest.initial.front();
}

/// Copies the results above the diagonal below it, a few lines at a time: what
/// this thread has computed, whose columns these lines are.
void TileEmitter::mirror(const NestPoint &point) {
  unsigned number = nest.numInputs();
  const NestOperand &result = nest.operands[number];
  auto at = [&](OpFoldResult row, OpFoldResult column) {
    return b.add(point.offset[number],
                 b.add(b.mul(row, result.strides[plan.rowDim]),
                       b.mul(column, result.strides[plan.vectorDim])));
  };
  Range rows = pointsOf(plan.vectorDim);
  loop(b.index(0), rows.to, mirroredLines, [&](OpFoldResult first) {
    OpFoldResult end = b.add(first, b.index(mirroredLines));
    loop(b.max(first, rows.from), rows.to, 1, [&](OpFoldResult row) {
      loop(first, b.min(row, end), 1, [&](OpFoldResult column) {
        storeScalar(loadScalar(result, at(column, row)), result,
                    at(row, column));
      });
    });
  });
}

/// How many of `extent` points are in the part of at most `size` that starts at
/// `from`, of parts that start at 0: known where all parts have as many.
OpFoldResult TileEmitter::countFrom(OpFoldResult from, OpFoldResult extent,
                                    OpFoldResult size) {
  auto knownExtent = b.known(extent), knownSize = b.known(size);
  if (knownExtent && knownSize && *knownExtent % *knownSize == 0)
    return size;
  return b.min(b.sub(extent, from), size);
}

/// The blocks from one step of the reduction to another.
void TileEmitter::emitGroup(const NestPoint &point, OpFoldResult columns,
                            OpFoldResult from, OpFoldResult to) {
  OpFoldResult steps = nest.extents[plan.inner.front()];
  bool single = plan.reductionBlock == 0;
  loop(from, to, blockSteps, [&](OpFoldResult step) {
    Block block;
    block.point = nest.advance(b, point, plan.inner.front(), step);
    block.columns = columns;
    block.steps = single ? steps : countFrom(step, steps, blockSteps);
    if (!b.known(step))
      block.first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                          b.value(step), b.value(0));
    packColumns(block);
    loops(plan.shared, block.point, [&](const NestPoint &at) {
      block.point = at;
      emitRows(block);
    });
  });
}

/// All rows in tiles of plan.rows, then the rest: in one tile where their
/// number is known, else by halving.
void TileEmitter::emitRows(const Block &block) {
  if (plan.tiles)
    return emitTileRows(block);
  if (plan.rowDim < 0)
    return emitColumns(block, block.point, 1);
  auto tile = [&](OpFoldResult row, unsigned rows) {
    emitColumns(block, nest.advance(b, block.point, plan.rowDim, row), rows);
  };
  Range rows = pointsOf(plan.rowDim);
  // Those below are left of the diagonal.
  if (mirrors())
    rows.to =
        b.min(rows.to, b.add(block.point.index[plan.vectorDim], block.columns));
  wholeRuns(
      rows, nest.extents[plan.rowDim], plan.rows,
      [&](OpFoldResult row) { tile(row, plan.rows); },
      [&](const Range &rest) { emitLastRows(rest, tile); });
}

void TileEmitter::emitLastRows(
    const Range &rest, llvm::function_ref<void(OpFoldResult, unsigned)> tile) {
  OpFoldResult rows = nest.extents[plan.rowDim];
  OpFoldResult main = b.alignDown(rows, plan.rows);
  if (auto count = b.known(b.sub(rows, main)))
    return loop(rest.from, rest.to, plan.rows,
                [&](OpFoldResult row) { tile(row, *count); });
  // Who shares rows out leaves these to one thread.
  bool isShared = plan.splitDim == plan.rowDim;
  OpFoldResult at = main;
  for (unsigned size = llvm::PowerOf2Ceil(plan.rows) / 2; size >= 1;
       size /= 2) {
    OpFoldResult end = b.add(main, b.alignDown(b.sub(rows, main), size));
    // The remainder's bits say which sizes occur; each at most once.
    loop(isShared ? b.max(at, rest.from) : at,
         isShared ? b.min(end, rest.to) : end, size,
         [&](OpFoldResult row) { tile(row, size); });
    at = end;
  }
}

void TileEmitter::emitColumns(const Block &block, const NestPoint &point,
                              unsigned rows) {
  packRows(block, point, rows);
  auto advance = [&](OpFoldResult column) {
    NestPoint next = nest.advance(b, point, plan.vectorDim, column);
    for (auto [number, source] : llvm::enumerate(sources))
      if (!isPacked(number, Packing::None))
        next.offset[number] = b.mul(column, source.strides[plan.vectorDim]);
    return next;
  };
  // Tiles left of the diagonal are mirrored.
  OpFoldResult start = b.index(0);
  if (mirrors())
    start = b.alignDown(b.max(b.sub(point.index[plan.rowDim],
                                    block.point.index[plan.vectorDim]),
                              b.index(0)),
                        width());
  auto tiles = [&](OpFoldResult from, OpFoldResult to, Masks masks) {
    loop(from, to, width(), [&](OpFoldResult column) {
      emitTile(block, advance(column), rows, b.sub(block.columns, column),
               masks);
    });
  };
  if (wholeTiles())
    return tiles(start, block.columns, Masks::None);
  if (columnsArePacked())
    return tiles(start, block.columns, Masks::Results);
  // Masked accesses are slower even where the mask is full; the few tiles of
  // the last rows bear that, to keep the code small.
  if (target.maskedMemory && rows != plan.rows)
    return tiles(start, block.columns, Masks::All);
  OpFoldResult whole = b.alignDown(block.columns, width());
  tiles(start, whole, Masks::None);
  tiles(mirrors() ? b.max(whole, start) : whole, block.columns, Masks::All);
}

bool TileEmitter::columnsArePacked() const {
  for (auto [number, access] : llvm::enumerate(nest.problem.accesses))
    if (!access.output && access.dependsOn(plan.vectorDim) &&
        !isPacked(number, Packing::Columns))
      return false;
  return true;
}

OpFoldResult TileEmitter::columnOffset(unsigned operand, unsigned column) {
  if (isPacked(operand, Packing::Columns))
    return b.index(int64_t(column) * plan.lanes);
  return b.mul(sources[operand].strides[plan.vectorDim],
               b.index(int64_t(column) * plan.lanes));
}

void TileEmitter::emitTile(const Block &block, const NestPoint &point,
                           unsigned rows, OpFoldResult remaining, Masks masks) {
  inMain = rows == plan.rows && masks != Masks::All;
  Tile tile{block, point,   rows, b.sub(block.columns, remaining),
            {},    Value(), {}};
  for (unsigned column = 0; column < plan.vectors; ++column)
    tile.masks.push_back(
        masks == Masks::None
            ? Value()
            : maskFor(b.sub(remaining, b.index(int64_t(column) * plan.lanes)),
                      plan.lanes));
  if (masks == Masks::Results)
    tile.whole = arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                                       b.value(remaining), b.value(width()));
  for (auto [number, source] : llvm::enumerate(sources)) {
    auto &offsets = tile.offsets.emplace_back();
    for (unsigned row = 0; row < rows; ++row)
      offsets.push_back(
          plan.rowDim < 0
              ? point.offset[number]
              : b.add(point.offset[number],
                      b.mul(source.strides[plan.rowDim], b.index(row))));
  }
  if (plan.fetchesBlocks)
    fetchNext(tile);
  IndexList results = reduce(tile);
  withMasks(tile, TypeRange(), [&](bool masked) {
    storeResults(tile, results, masked);
    return IndexList();
  });
}

/// Fetches what tiles of these columns read in the next block: each row of
/// tiles its share of the points. Behind the last block that is whatever lies
/// there: a fetch of nothing does no harm.
void TileEmitter::fetchNext(const Tile &tile) {
  int64_t rowTiles =
      llvm::divideCeil(*b.known(nest.extents[plan.rowDim]), plan.rows);
  int64_t share = llvm::divideCeil(plan.reductionBlock, rowTiles);
  OpFoldResult first = b.mul(
      b.div(tile.point.index[plan.rowDim], b.index(plan.rows)), b.index(share));
  for (unsigned number = 0; number < nest.numInputs(); ++number) {
    const NestAccess &access = nest.problem.accesses[number];
    if (access.dependsOn(plan.rowDim) || access.strides[plan.vectorDim] != 1 ||
        !isPacked(number, Packing::None))
      continue;
    OpFoldResult step = sources[number].strides[plan.inner.front()];
    OpFoldResult at =
        b.add(tile.point.offset[number], b.mul(b.add(blockSteps, first), step));
    int64_t line = bufferAlignment * 8 / access.bits;
    for (int64_t point = 0; point < share; ++point)
      for (int64_t column = 0; column < width(); column += line)
        memref::PrefetchOp::create(
            b, sources[number].flat,
            b.value(
                b.add(b.add(at, b.mul(step, b.index(point))), b.index(column))),
            /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
  }
}

TileEmitter::IndexList
TileEmitter::withMasks(const Tile &tile, TypeRange types,
                       llvm::function_ref<IndexList(bool)> fn) {
  if (!tile.whole)
    return fn(true);
  auto ifOp = scf::IfOp::create(b, types, tile.whole, /*addThenBlock=*/true,
                                /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool masked : {false, true}) {
    b.setInsertionPointToStart(masked ? ifOp.elseBlock() : ifOp.thenBlock());
    scf::YieldOp::create(b, fn(masked));
  }
  return IndexList(ifOp.getResults());
}

SmallVector<Type> TileEmitter::accumulatorTypes(unsigned rows) {
  SmallVector<Type> types;
  for (const OutputBody &output : nest.outputs)
    types.append(rows * plan.vectors,
                 VectorType::get({plan.lanes}, output.yielded.getType()));
  return types;
}

TileEmitter::IndexList TileEmitter::loadResults(const Tile &tile, bool masked) {
  IndexList values;
  for (unsigned out = 0; out < nest.outputs.size(); ++out) {
    unsigned number = nest.numInputs() + out;
    for (unsigned row = 0; row < tile.rows; ++row)
      for (unsigned column = 0; column < plan.vectors; ++column)
        values.push_back(
            load(sources[number],
                 b.add(tile.offsets[number][row], columnOffset(number, column)),
                 sources[number].strides[plan.vectorDim], plan.lanes,
                 masked ? tile.masks[column] : Value()));
  }
  return values;
}

void TileEmitter::storeResults(const Tile &tile, ValueRange values,
                               bool masked) {
  for (unsigned row = 0; row < tile.rows; ++row)
    for (unsigned column = 0; column < plan.vectors; ++column)
      storeOutputs(
          sources,
          [&](unsigned output) {
            return values[(output * tile.rows + row) * plan.vectors + column];
          },
          [&](unsigned number) {
            return b.add(tile.offsets[number][row],
                         columnOffset(number, column));
          },
          masked ? tile.masks[column] : Value());
}

/// The accumulators before this block: from the buffer, or the fill's value at
/// the first block when the fill was folded in.
TileEmitter::IndexList TileEmitter::startValues(const Tile &tile) {
  auto fromBuffer = [&]() {
    return withMasks(tile, accumulatorTypes(tile.rows),
                     [&](bool masked) { return loadResults(tile, masked); });
  };
  if (!llvm::all_of(nest.initial, [](Value v) { return bool(v); }))
    return fromBuffer();

  IndexList start;
  for (Value initial : nest.initial) {
    Value wide = broadcastTo(b, initial, plan.lanes);
    start.append(tile.rows * plan.vectors, wide);
  }
  if (!tile.block.first)
    return start;
  auto ifOp = scf::IfOp::create(b, accumulatorTypes(tile.rows),
                                tile.block.first, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  scf::YieldOp::create(b, start);
  b.setInsertionPointToStart(ifOp.elseBlock());
  scf::YieldOp::create(b, fromBuffer());
  return IndexList(ifOp.getResults());
}

TileEmitter::IndexList TileEmitter::reductionLoops(
    const Block &block, const NestPoint &steps, ValueRange carried,
    llvm::function_ref<IndexList(const NestPoint &, ValueRange)> fn,
    unsigned level, unsigned levels) {
  if (level == std::min<unsigned>(levels, plan.inner.size()))
    return fn(steps, carried);
  return reductionPoints(block, steps, carried, fn, level, levels, b.index(0),
                         innerExtent(block, level));
}

TileEmitter::IndexList TileEmitter::reductionPoints(
    const Block &block, const NestPoint &steps, ValueRange carried,
    llvm::function_ref<IndexList(const NestPoint &, ValueRange)> fn,
    unsigned level, unsigned levels, OpFoldResult from, OpFoldResult count) {
  unsigned dim = plan.inner[level];
  auto step = [&](OpFoldResult iv, ValueRange values) {
    NestPoint next = steps;
    next.index[dim] = b.add(steps.index[dim], iv);
    for (auto [number, source] : llvm::enumerate(sources))
      next.offset[number] =
          b.add(steps.offset[number], b.mul(source.strides[dim], iv));
    return reductionLoops(block, next, values, fn, level + 1, levels);
  };
  auto unrolled = [&](OpFoldResult iv, ValueRange before, int64_t points) {
    IndexList values(before);
    for (int64_t point = 0; point < points; ++point)
      values = step(b.add(iv, b.index(point)), values);
    return values;
  };
  OpFoldResult to = b.add(from, count);
  auto known = b.known(count);
  bool innermost = level + 1 == plan.inner.size();
  int64_t most = std::min(known.value_or(unrolledSteps), unrolledSteps);
  if (!innermost || most * nest.problem.bodyCost > maxUnrolledCost)
    return loop(from, to, b.index(1), carried, step);
  // The few points of a window follow one another without a loop.
  if (known && *known <= unrolledSteps)
    return unrolled(from, carried, *known);
  if (!inMain)
    return loop(from, to, b.index(1), carried, step);
  OpFoldResult rounds = b.add(from, b.alignDown(count, unrolledSteps));
  IndexList values = loop(from, rounds, b.index(unrolledSteps), carried,
                          [&](OpFoldResult iv, ValueRange before) {
                            return unrolled(iv, before, unrolledSteps);
                          });
  if (known && *known % unrolledSteps == 0)
    return values;
  return loop(rounds, to, b.index(1), values, step);
}

/// Masks that are carried side by side, so that one does not wait for another.
constexpr unsigned orderMasks = 4;

/// The reduction of maxima and minima in which NaN wins and zeros have their
/// order takes five instructions per value where plain ones take one. So they
/// are reduced with plain ones, half an instruction per value looks for NaN,
/// and a tile that has seen any or may have taken the wrong zero is computed
/// again, slowly.
TileEmitter::IndexList TileEmitter::reduce(const Tile &tile) {
  if (addsBlocks) {
    IndexList sums = reductionOf(tile, zeros(tile.rows));
    for (auto [sum, start] : llvm::zip_equal(sums, startValues(tile)))
      sum = arith::AddFOp::create(b, start, sum);
    return sums;
  }
  if (columnSums) {
    IndexList carried = startValues(tile);
    subtractSums(tile, carried);
    return reductionOf(tile, carried);
  }
  if (!isExtreme() || tile.rows * plan.vectors < 8)
    return reductionOf(tile, startValues(tile));

  IndexList carried = startValues(tile);
  unsigned count = carried.size();
  carried.append(orderMasks, splat(b.getBoolAttr(true), plan.lanes));
  ignoresNaN = true;
  IndexList results = reductionOf(tile, carried);
  ignoresNaN = false;
  Value ordered = results.pop_back_val();
  while (results.size() > count)
    ordered = arith::AndIOp::create(b, ordered, results.pop_back_val());
  IndexList present(results);
  for (auto [number, result] : llvm::enumerate(present))
    if (Value mask = tile.masks[number % plan.vectors])
      result = arith::SelectOp::create(
          b, mask, result,
          splat(b.getFloatAttr(getElementTypeOrSelf(result), 1.0), plan.lanes));
  Value certain = haveCertainZeros(nest.outputs.front().combine, present);
  ordered = arith::AndIOp::create(b, ordered, certain);
  Value all =
      vector::ReductionOp::create(b, vector::CombiningKind::AND, ordered);
  auto ifOp = scf::IfOp::create(b, accumulatorTypes(tile.rows), all,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  scf::YieldOp::create(b, results);
  b.setInsertionPointToStart(ifOp.elseBlock());
  scf::YieldOp::create(b, reductionOf(tile, startValues(tile)));
  return IndexList(ifOp.getResults());
}

/// The larger or smaller of the two; `accumulator` where they do not compare.
Value TileEmitter::extreme(Value accumulator, Value value) {
  bool max = isa<arith::MaximumFOp>(nest.outputs.front().combine);
  Value better = arith::CmpFOp::create(
      b, max ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, value,
      accumulator);
  return arith::SelectOp::create(b, better, value, accumulator);
}

/// Takes lanes in which some value is NaN out of `masks`; two values at a time.
void TileEmitter::trackOrder(ValueRange values, MutableArrayRef<Value> masks) {
  for (unsigned i = 0; i < values.size(); i += 2) {
    Value partner = values[std::min<size_t>(i + 1, values.size() - 1)];
    Value ordered =
        arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, values[i], partner);
    Value &mask = masks[i / 2 % masks.size()];
    mask = arith::AndIOp::create(b, mask, ordered);
  }
}

Value TileEmitter::loadArgument(const Tile &tile, const NestPoint &steps,
                                unsigned number, Site site) {
  const NestOperand &source = sources[number];
  OpFoldResult offset =
      b.add(steps.offset[number], tile.offsets[number][site.row]);
  if (!nest.problem.accesses[number].dependsOn(plan.vectorDim))
    return loadScalar(source, offset);
  offset = b.add(offset, columnOffset(number, site.column));
  if (isPacked(number, Packing::Columns))
    return load(source, offset, b.index(1), plan.lanes, Value());
  return load(source, offset, source.strides[plan.vectorDim], plan.lanes,
              tile.masks[site.column]);
}

TileEmitter::IndexList TileEmitter::emitStep(const Tile &tile,
                                             const NestPoint &steps,
                                             ValueRange carried) {
  if (plan.dot != Dot::None)
    return emitDots(tile, steps, carried);
  BodyEmitter body(b, nest.body(), plan.lanes);
  for (auto [number, access] : llvm::enumerate(nest.problem.accesses)) {
    bool row = plan.rowDim >= 0 && access.dependsOn(plan.rowDim);
    bool column = access.dependsOn(plan.vectorDim);
    body.setArgumentVariance(number,
                             {access.output || row, access.output || column});
  }
  for (auto [dim, loop] : llvm::enumerate(nest.loopOf))
    body.setIndexVariance(dim, {loop >= 0 && loop == plan.rowDim,
                                loop >= 0 && unsigned(loop) == plan.vectorDim});

  auto accumulatorAt = [&](unsigned out, Site site) {
    return (out * tile.rows + site.row) * plan.vectors + site.column;
  };
  auto argument = [&](unsigned number, Site site) -> Value {
    if (number >= nest.numInputs())
      return carried[accumulatorAt(number - nest.numInputs(), site)];
    return loadArgument(tile, steps, number, site);
  };
  auto index = [&](unsigned dim, Site site) -> Value {
    NestPoint point = steps;
    if (plan.rowDim >= 0)
      point.index[plan.rowDim] =
          b.add(point.index[plan.rowDim], b.index(site.row));
    point.index[plan.vectorDim] =
        b.add(point.index[plan.vectorDim],
              b.index(int64_t(site.column) * plan.lanes));
    return indexAt(point, dim, plan.lanes, tile.masks[site.column]);
  };
  IndexList next, values;
  for (OutputBody &output : nest.outputs)
    for (unsigned row = 0; row < tile.rows; ++row)
      for (unsigned column = 0; column < plan.vectors; ++column) {
        Site site{row, column};
        if (!ignoresNaN) {
          next.push_back(
              body.evaluateVector(output.yielded, site, argument, index));
          continue;
        }
        values.push_back(
            body.evaluateVector(output.contribution, site, argument, index));
        next.push_back(extreme(carried[next.size()], values.back()));
      }
  if (ignoresNaN) {
    IndexList masks(carried.take_back(orderMasks));
    trackOrder(values, masks);
    next.append(masks);
  }
  return next;
}

} // namespace tapestry
