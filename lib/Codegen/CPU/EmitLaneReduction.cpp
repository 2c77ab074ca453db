//===- EmitLaneReduction.cpp - Reductions over vector lanes ---------------===//
//
// Lanes run along a reduction loop: each lane holds a partial result, started
// with the neutral element, and the lanes are combined once per result.
// Results of other outputs that have the loop's own points are stored on the
// way (an exponential and its sum, for example). Long sums are added in blocks.
// Where one operand has few columns, these lie in a panel, vector by vector,
// and the results of rows x columns are computed together.
//
//===----------------------------------------------------------------------===//

#include "LaneReductionEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {

/// Values that a lane adds one after the other in a long sum; a sum of up to
/// twice as many is not long.
constexpr int64_t blockSteps = 32;
/// The sums of so many blocks, a group, are added as they are.
constexpr int64_t groupBlocks = 8;

/// Blocks take whole rounds of as many of the innermost loops as are short.
void LaneReductionEmitter::findBlocks() {
  blockPoints = blockSteps;
  if (llvm::none_of(nest.outputs, addsFloats))
    return;
  int64_t below = 1;
  for (unsigned level = plan.inner.size() + 1; level-- > 0;) {
    bool isVectors = level == plan.inner.size();
    auto extent =
        b.known(nest.extents[isVectors ? plan.vectorDim : plan.inner[level]]);
    if (isVectors && plan.vectorBlock)
      extent = plan.vectorBlock;
    if (extent && isVectors)
      extent = llvm::divideCeil(*extent, wide());
    if (!extent || below * *extent > 2 * blockSteps) {
      isBlocked = true;
      blockLevel = level;
      blockPoints = std::max<int64_t>(blockSteps / below, 1);
      return;
    }
    below *= std::max<int64_t>(*extent, 1);
  }
}

/// 1 where there are several groups, 0 where not.
OpFoldResult LaneReductionEmitter::manyGroups() {
  if (!isBlocked)
    return b.index(0);
  OpFoldResult points = b.index(1);
  for (unsigned dim : ArrayRef(plan.inner).take_front(blockLevel + 1))
    points = b.mul(points, nest.extents[dim]);
  if (blockLevel == plan.inner.size())
    points =
        b.mul(points, b.ceilDiv(plan.vectorBlock ? b.index(plan.vectorBlock)
                                                 : nest.extents[plan.vectorDim],
                                b.index(wide())));
  return b.min(b.div(points, b.index(groupBlocks * blockPoints + 1)),
               b.index(1));
}

/// Where the length is known at run time only, the nest is built twice, so that
/// short sums do not bear what long ones need.
void LaneReductionEmitter::emit() {
  takeShare();
  OpFoldResult many = manyGroups();
  if (auto known = b.known(many)) {
    inGroups = *known != 0;
    return emitNest();
  }
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                          b.value(many), b.value(0));
  auto ifOp = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool groups : {true, false}) {
    b.setInsertionPointToStart(groups ? ifOp.thenBlock() : ifOp.elseBlock());
    inGroups = groups;
    emitNest();
  }
}

void LaneReductionEmitter::emitNest() {
  allocatePanels();
  loops(plan.outer, nest.origin(b), [&](const NestPoint &point) {
    SmallVector<NestOperand, 4> operands = nest.operands;
    emitBlocks(packColumns(point));
    nest.operands = operands;
  });
  for (const std::optional<NestOperand> &panel : panels)
    if (panel)
      memref::DeallocOp::create(b, panel->flat);
}

/// Blocks of even size, the rows of a tile of which stay in the L1 cache while
/// its columns pass by.
void LaneReductionEmitter::emitBlocks(const NestPoint &point) {
  OpFoldResult all = nest.extents[plan.vectorDim];
  points = all;
  if (!plan.vectorBlock)
    return emitRowTiles(point);
  OpFoldResult blocks = b.ceilDiv(all, b.index(plan.vectorBlock));
  OpFoldResult step = b.alignUp(b.ceilDiv(all, blocks), wide());
  loop(b.index(0), all, step, [&](OpFoldResult at) {
    points = b.min(b.sub(all, at), step);
    isFirst = Value();
    if (!b.known(at))
      isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.value(at),
                                      b.value(0));
    emitRowTiles(nest.advance(b, point, plan.vectorDim, at));
  });
}

void LaneReductionEmitter::emitRowTiles(const NestPoint &point) {
  if (plan.rowDim < 0)
    return emitRows({point, 1});
  auto tile = [&](OpFoldResult row, unsigned rows) {
    emitColumns(nest.advance(b, point, plan.rowDim, row), rows);
  };
  wholeRuns(
      pointsOf(plan.rowDim), nest.extents[plan.rowDim], plan.rows,
      [&](OpFoldResult row) { tile(row, plan.rows); },
      [&](const Range &rest) {
        loop(rest.from, rest.to, 1, [&](OpFoldResult row) { tile(row, 1); });
      });
}

void LaneReductionEmitter::emitColumns(const NestPoint &point, unsigned rows) {
  if (plan.columnDim < 0)
    return emitRows({point, rows});
  int64_t columns = *b.known(nest.extents[plan.columnDim]);
  int64_t main = columns / plan.columns * plan.columns;
  loop(b.index(0), b.index(main), plan.columns, [&](OpFoldResult column) {
    emitRows(
        {nest.advance(b, point, plan.columnDim, column), rows, plan.columns});
  });
  if (main < columns)
    emitRows({nest.advance(b, point, plan.columnDim, b.index(main)), rows,
              unsigned(columns - main)});
}

OpFoldResult LaneReductionEmitter::offsetAt(const NestPoint &point,
                                            unsigned operand, Site site) {
  const NestOperand &of = nest.operands[operand];
  OpFoldResult offset = point.offset[operand];
  if (plan.rowDim >= 0)
    offset = b.add(offset, b.mul(of.strides[plan.rowDim], b.index(site.row)));
  if (plan.columnDim >= 0)
    offset =
        b.add(offset, b.mul(of.strides[plan.columnDim], b.index(site.column)));
  return offset;
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::identities(unsigned results, unsigned lanes) {
  IndexList values;
  for (OutputBody &output : nest.outputs)
    if (output.accumulates)
      values.append(
          results,
          splat(identityOf(output.combine, output.yielded.getType()), lanes));
  return values;
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::allIdentities(unsigned results) {
  IndexList values = identities(results, wide());
  if (hasTail())
    values.append(identities(results, plan.lanes));
  return values;
}

/// What combines each of the partial results.
SmallVector<Operation *> LaneReductionEmitter::combinesOf(unsigned results) {
  SmallVector<Operation *> combines;
  for (unsigned part = 0; part < (hasTail() ? 2 : 1); ++part)
    for (OutputBody &output : nest.outputs)
      if (output.accumulates)
        combines.append(results, output.combine);
  return combines;
}

/// Combines `sums` from number `from` on with partial results. Behind all the
/// sums lie the low parts of those that have one.
void LaneReductionEmitter::addPartials(ArrayRef<Operation *> combines,
                                       IndexList &sums, ValueRange partials,
                                       unsigned from) {
  unsigned low = combines.size();
  for (auto [number, combine] : llvm::enumerate(combines)) {
    bool adds = isa<arith::AddFOp>(combine);
    unsigned lowAt = adds ? low++ : 0;
    if (number < from || number >= from + partials.size())
      continue;
    Value partial = partials[number - from];
    if (!adds) {
      unsigned lanes = cast<VectorType>(partial.getType()).getNumElements();
      sums[number] = cloneOnVectors(b, combine, {sums[number], partial}, lanes);
      continue;
    }
    FloatPair sum = addTo({sums[number], sums[lowAt]}, partial);
    sums[number] = sum.high;
    sums[lowAt] = sum.low;
  }
}

/// The loop that is cut: blocks, whose partial results from `start` on `block`
/// gives, in groups.
LaneReductionEmitter::IndexList LaneReductionEmitter::sumBlocks(
    unsigned results, OpFoldResult extent, ValueRange sums, ValueRange start,
    llvm::function_ref<IndexList(OpFoldResult, OpFoldResult)> block) {
  SmallVector<Operation *> combines = combinesOf(results);
  OpFoldResult step = b.index(
      blockLevel < plan.inner.size() ? blockPoints : blockPoints * wide());
  auto sumGroup = [&](OpFoldResult from, OpFoldResult to, ValueRange values) {
    return loop(from, to, step, values, [&](OpFoldResult iv, ValueRange old) {
      IndexList next = block(iv, b.min(b.add(iv, step), to));
      for (auto [combine, before, value] : llvm::zip(combines, old, next)) {
        unsigned lanes = cast<VectorType>(value.getType()).getNumElements();
        value = cloneOnVectors(b, combine, {before, value}, lanes);
      }
      return next;
    });
  };
  if (!inGroups)
    return sumGroup(b.index(0), extent, sums);
  OpFoldResult group = b.mul(step, b.index(groupBlocks));
  return loop(b.index(0), extent, group, sums,
              [&](OpFoldResult from, ValueRange values) {
                OpFoldResult to = b.min(b.add(from, group), extent);
                IndexList next(values);
                addPartials(combines, next, sumGroup(from, to, start), 0);
                return next;
              });
}

/// Partial results travel through the loops as one list: the wide vectors of
/// all outputs and rows, then the narrow ones of the tail.
LaneReductionEmitter::IndexList
LaneReductionEmitter::emitPartials(const Rows &rows) {
  IndexList partials = allIdentities(rows.results());
  if (!inGroups)
    return innerLoops(rows, rows.point, partials, 0, isBlocked);
  SmallVector<Operation *> combines = combinesOf(rows.results());
  IndexList sums = partials;
  for (auto [combine, partial] : llvm::zip_equal(combines, partials))
    if (isa<arith::AddFOp>(combine))
      sums.push_back(partial);
  sums = innerLoops(rows, rows.point, sums, 0, isBlocked);
  unsigned low = combines.size();
  for (auto [number, combine] : llvm::enumerate(combines))
    partials[number] = isa<arith::AddFOp>(combine)
                           ? rounded({sums[number], sums[low++]})
                           : sums[number];
  return partials;
}

/// The results of all outputs and rows that accumulate.
LaneReductionEmitter::IndexList
LaneReductionEmitter::resultsOf(const Rows &rows) {
  IndexList partials = emitPartials(rows), results;
  unsigned numWide = hasTail() ? partials.size() / 2 : partials.size();
  for (OutputBody &output : nest.outputs)
    for (unsigned i = 0; output.accumulates && i < rows.results(); ++i) {
      unsigned at = results.size();
      Value narrow = hasTail() ? partials[numWide + at] : Value();
      results.push_back(combineLanes(output.combine, partials[at], narrow));
    }
  return results;
}

/// Extremes without regard to signs of zeros take three instructions per value
/// in place of five. Where one ends in a zero that another would have beaten,
/// the rows are computed again.
LaneReductionEmitter::IndexList
LaneReductionEmitter::extremesOf(const Rows &rows) {
  ignoresZeros = true;
  IndexList results = resultsOf(rows);
  ignoresZeros = false;
  Value certain = haveCertainZeros(nest.outputs.front().combine, results);
  auto ifOp = scf::IfOp::create(b, TypeRange(ValueRange(results)), certain,
                                /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  scf::YieldOp::create(b, results);
  b.setInsertionPointToStart(ifOp.elseBlock());
  scf::YieldOp::create(b, resultsOf(rows));
  return IndexList(ifOp.getResults());
}

void LaneReductionEmitter::emitRows(const Rows &rows) {
  IndexList results = isExtreme() ? extremesOf(rows) : resultsOf(rows);
  unsigned at = 0;
  for (auto [out, output] : llvm::enumerate(nest.outputs)) {
    if (!output.accumulates)
      continue;
    unsigned number = nest.numInputs() + out;
    const NestOperand &operand = nest.operands[number];
    for (unsigned i = 0; i < rows.results(); ++i, ++at) {
      OpFoldResult offset =
          offsetAt(rows.point, number, {i / rows.columns, i % rows.columns});
      Value start = nest.initial[out];
      if (!start || isFirst) {
        Value before = loadScalar(operand, offset);
        start =
            start ? arith::SelectOp::create(b, isFirst, start, before) : before;
      }
      Value result = cloneOnVectors(b, output.combine, {start, results[at]}, 1);
      memref::StoreOp::create(b, result, operand.flat, b.value(offset));
    }
  }
}

/// As `combine` does.
Value LaneReductionEmitter::combined(Operation *combine, Value a, Value c,
                                     unsigned lanes) {
  Value result = cloneOnVectors(b, combine, {a, c}, lanes);
  if (!ignoresZeros)
    return result;
  auto flags = arith::FastMathFlags::nsz;
  Operation *op = result.getDefiningOp();
  auto relaxed = cast<arith::ArithFastMathInterface>(op);
  if (arith::FastMathFlagsAttr old = relaxed.getFastMathFlagsAttr())
    flags = flags | old.getValue();
  op->setAttr(relaxed.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(op->getContext(), flags));
  return result;
}

/// The loops from plan.inner[level] on; `inBlocks` when one of them is cut.
LaneReductionEmitter::IndexList
LaneReductionEmitter::innerLoops(const Rows &rows, const NestPoint &point,
                                 ValueRange carried, unsigned level,
                                 bool inBlocks) {
  if (level == plan.inner.size())
    return emitVectors(rows, point, carried, inBlocks);
  unsigned dim = plan.inner[level];
  OpFoldResult extent = nest.extents[dim];
  auto points = [&](OpFoldResult from, OpFoldResult to, ValueRange start,
                    bool below) {
    return loop(from, to, b.index(1), start,
                [&](OpFoldResult iv, ValueRange values) {
                  return innerLoops(rows, nest.advance(b, point, dim, iv),
                                    values, level + 1, below);
                });
  };
  if (!inBlocks || level != blockLevel)
    return points(b.index(0), extent, carried, inBlocks);
  IndexList start = allIdentities(rows.results());
  return sumBlocks(rows.results(), extent, carried, start,
                   [&](OpFoldResult from, OpFoldResult to) {
                     return points(from, to, start, /*below=*/false);
                   });
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::mainLoop(const Rows &rows, const NestPoint &point,
                               OpFoldResult from, OpFoldResult to,
                               ValueRange partials) {
  return loop(from, to, b.index(wide()), partials,
              [&](OpFoldResult iv, ValueRange values) {
                NestPoint at = nest.advance(b, point, plan.vectorDim, iv);
                if (plan.columnDim >= 0 && rows.count == plan.rows)
                  fetchRows(rows, at);
                return emitStep(rows, at, wide(), Value(), values);
              });
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::tailLoop(const Rows &rows, const NestPoint &point,
                               ValueRange partials) {
  return loop(b.alignDown(points, wide()), points, b.index(plan.lanes),
              partials, [&](OpFoldResult iv, ValueRange values) {
                return emitStep(
                    rows, nest.advance(b, point, plan.vectorDim, iv),
                    plan.lanes, tailMask(b.sub(points, iv), plan.lanes),
                    values);
              });
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::emitVectors(const Rows &rows, const NestPoint &point,
                                  ValueRange carried, bool inBlocks) {
  OpFoldResult main = b.alignDown(points, wide());
  IndexList start = identities(rows.results(), wide());
  auto block = [&](OpFoldResult from, OpFoldResult to) {
    return mainLoop(rows, point, from, to, start);
  };
  bool addsGroups = inBlocks && inGroups;
  ValueRange before = addsGroups ? carried : carried.take_front(start.size());
  IndexList results =
      inBlocks ? sumBlocks(rows.results(), main, before, start, block)
               : mainLoop(rows, point, b.index(0), main, before);
  if (!hasTail())
    return results;
  if (addsGroups)
    addPartials(combinesOf(rows.results()), results,
                tailLoop(rows, point, identities(rows.results(), plan.lanes)),
                start.size());
  else
    results.append(tailLoop(rows, point, carried.drop_front(start.size())));
  return results;
}

/// One vector of every row; returns the new partial results.
LaneReductionEmitter::IndexList
LaneReductionEmitter::emitStep(const Rows &rows, const NestPoint &point,
                               unsigned lanes, Value mask,
                               ValueRange partials) {
  BodyEmitter body(b, nest.body(), lanes);
  for (auto [number, access] : llvm::enumerate(nest.problem.accesses))
    body.setArgumentVariance(
        number, {plan.rowDim >= 0 && access.dependsOn(plan.rowDim),
                 plan.columnDim >= 0 && access.dependsOn(plan.columnDim)});
  for (auto [dim, loop] : llvm::enumerate(nest.loopOf))
    body.setIndexVariance(dim, {loop >= 0 && loop == plan.rowDim,
                                loop >= 0 && loop == plan.columnDim});
  auto argument = [&](unsigned number, Site site) {
    const NestOperand &operand = nest.operands[number];
    OpFoldResult offset = offsetAt(point, number, site);
    // Panels hold whole vectors.
    if (panels[number])
      return load(operand, offset, b.index(1), lanes, Value());
    return load(operand, offset, operand.strides[plan.vectorDim], lanes, mask);
  };
  auto index = [&](unsigned dim, Site site) {
    NestPoint at = point;
    if (plan.rowDim >= 0)
      at.index[plan.rowDim] = b.add(at.index[plan.rowDim], b.index(site.row));
    if (plan.columnDim >= 0)
      at.index[plan.columnDim] =
          b.add(at.index[plan.columnDim], b.index(site.column));
    return indexAt(at, dim, lanes, mask);
  };

  IndexList next;
  for (auto [out, output] : llvm::enumerate(nest.outputs)) {
    unsigned number = nest.numInputs() + out;
    for (unsigned i = 0; i < rows.results(); ++i) {
      Site site{i / rows.columns, i % rows.columns};
      if (!output.accumulates) {
        Value result =
            body.evaluateVector(output.yielded, site, argument, index);
        store(result, nest.operands[number], offsetAt(point, number, site),
              nest.operands[number].strides[plan.vectorDim], mask);
        continue;
      }
      Value partial = partials[next.size()];
      Value value =
          body.evaluateVector(output.contribution, site, argument, index);
      Value sum = combined(output.combine, partial, value, lanes);
      if (mask)
        sum = arith::SelectOp::create(b, mask, sum, partial);
      next.push_back(sum);
    }
  }
  return next;
}

/// All lanes of `wide` and `narrow` (which may be null) in one scalar.
Value LaneReductionEmitter::combineLanes(Operation *combine, Value wide,
                                         Value narrow) {
  auto halve = [&](Value vector) {
    int64_t half = cast<VectorType>(vector.getType()).getNumElements() / 2;
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, half));
    auto high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    Value a = vector::ShuffleOp::create(b, vector, vector, low);
    Value c = vector::ShuffleOp::create(b, vector, vector, high);
    return combined(combine, a, c, half);
  };
  unsigned lanes = this->wide();
  for (; lanes > plan.lanes; lanes /= 2)
    wide = halve(wide);
  if (narrow)
    wide = combined(combine, wide, narrow, plan.lanes);
  for (; lanes > 1; lanes /= 2)
    wide = halve(wide);
  return vector::ExtractOp::create(b, wide, ArrayRef<int64_t>{0});
}

void emitLaneReduction(IndexBuilder &b, Nest &nest, const NestPlan &plan,
                       const TargetInfo &target) {
  LaneReductionEmitter(b, nest, plan, target).emit();
}

} // namespace tapestry
