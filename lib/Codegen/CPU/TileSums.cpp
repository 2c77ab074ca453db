//===- TileSums.cpp - Long sums of a register tile ------------------------===//
//
// Registers add runs of terms, blocks their runs; where there are many of
// either, groups of them are added with their rounding errors.
//
//===----------------------------------------------------------------------===//

#include "TileEmitter.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tapestry {

/// Terms that a register adds one after the other, a run: twice as many where
/// there is one block. A sum of up to two runs is one.
constexpr int64_t runTerms = 64;
/// The sums of so many runs are added as they are.
constexpr int64_t groupRuns = 16;

/// Runs take whole rounds of as many of the innermost loops as are short: of
/// all but the outermost where these have few points.
void TileEmitter::planRuns(OpFoldResult below) {
  // Words have several terms each.
  int64_t terms = runTerms / group();
  if (!isLong && plan.reductionBlock && plan.reductionBlock <= terms)
    return;
  if (!plan.reductionBlock)
    terms *= 2;
  unsigned level = 0;
  OpFoldResult extent = blockSteps;
  if (isLong || b.known(below).value_or(0) > 2 * terms) {
    below = b.index(1);
    for (level = plan.inner.size() - 1;; --level) {
      extent = nest.extents[plan.inner[level]];
      auto points = b.known(b.mul(below, extent));
      if (!points || *points > 2 * terms)
        break;
      below = b.index(*points);
    }
  }
  auto points = b.known(b.mul(below, extent));
  if (points && *points <= 2 * terms)
    return;
  OpFoldResult most =
      b.max(b.div(b.index(terms), b.max(below, b.index(1))), b.index(1));
  OpFoldResult runs = b.max(b.ceilDiv(extent, most), b.index(1));
  runLevel = level;
  runSteps = b.max(b.ceilDiv(extent, runs), b.index(1));
}

/// Moves the sums of the group of blocks from `step` to `end` out of the
/// results, which are 0 then; the last group brings the totals back.
void TileEmitter::addGroup(const NestPoint &point, OpFoldResult columns,
                           OpFoldResult step, OpFoldResult end) {
  OpBuilder::InsertionGuard guard(b);
  if (!b.known(manyBlocks)) {
    Value many = arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                       b.value(manyBlocks), b.value(0));
    auto ifOp = scf::IfOp::create(b, many, /*withElseRegion=*/false);
    b.setInsertionPointToStart(ifOp.thenBlock());
  }
  Value first = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                      b.value(step), b.value(0));
  Value last = arith::CmpIOp::create(b, arith::CmpIPredicate::sge, b.value(end),
                                     b.value(nest.extents[plan.inner.front()]));
  Range rows{b.index(0), b.index(1)};
  if (plan.rowDim >= 0)
    rows = pointsOf(plan.rowDim);
  loop(rows.from, rows.to, 1, [&](OpFoldResult row) {
    NestPoint atRow =
        plan.rowDim < 0 ? point : nest.advance(b, point, plan.rowDim, row);
    loop(b.index(0), columns, plan.lanes, [&](OpFoldResult column) {
      addToTotals(nest.advance(b, atRow, plan.vectorDim, column),
                  b.add(b.mul(row, totalsLine), column),
                  maskFor(b.sub(columns, column), plan.lanes), first, last);
    });
  });
}

/// The same for a vector of each result; its totals start at `at`.
void TileEmitter::addToTotals(const NestPoint &point, OpFoldResult at,
                              Value mask, Value first, Value last) {
  for (auto [out, parts] : llvm::enumerate(totals)) {
    unsigned number = nest.numInputs() + out;
    const NestOperand &operand = nest.operands[number];
    OpFoldResult offset = point.offset[number];
    OpFoldResult stride = operand.strides[plan.vectorDim];
    Value sum = load(operand, offset, stride, plan.lanes, mask);
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(sum.getType()));
    auto part = [&](const NestOperand &from) -> Value {
      Value value = load(from, at, b.index(1), plan.lanes, Value());
      return arith::SelectOp::create(b, first, zero, value);
    };
    FloatPair total = addTo({part(parts.first), part(parts.second)}, sum);
    store(total.high, parts.first, at, b.index(1), Value());
    store(total.low, parts.second, at, b.index(1), Value());
    Value rest = arith::SelectOp::create(b, last, rounded(total), zero);
    store(rest, operand, offset, stride, mask);
  }
}

TileEmitter::IndexList TileEmitter::reductionOf(const Tile &tile,
                                                const IndexList &carried) {
  NestPoint steps = tile.point;
  steps.offset.assign(sources.size(), b.index(0));
  auto step = [&](const NestPoint &at, ValueRange values) {
    return emitStep(tile, at, values);
  };
  if (!runLevel)
    return reductionLoops(tile.block, steps, carried, step);

  OpFoldResult extent = innerExtent(tile.block, *runLevel);
  auto addRuns = [&](const NestPoint &at, OpFoldResult from, OpFoldResult to,
                     ValueRange sums) {
    return loop(from, to, runSteps, sums, [&](OpFoldResult iv, ValueRange old) {
      IndexList run =
          reductionPoints(tile.block, at, zeros(tile.rows), step, *runLevel,
                          ~0u, iv, countFrom(iv, to, runSteps));
      for (auto [sum, before] : llvm::zip_equal(run, old))
        sum = arith::AddFOp::create(b, before, sum);
      return run;
    });
  };
  if (!isLong) {
    auto runs = [&](const NestPoint &at, ValueRange sums) {
      return addRuns(at, b.index(0), extent, sums);
    };
    return reductionLoops(tile.block, steps, carried, runs, 0, *runLevel);
  }

  OpFoldResult group = b.mul(runSteps, b.index(groupRuns));
  size_t count = carried.size();
  auto addGroups = [&](const NestPoint &at, ValueRange sums) {
    return loop(b.index(0), extent, group, sums,
                [&](OpFoldResult iv, ValueRange old) {
                  IndexList next(old);
                  OpFoldResult to = b.min(b.add(iv, group), extent);
                  IndexList part = addRuns(at, iv, to, zeros(tile.rows));
                  for (size_t i = 0; i < count; ++i) {
                    FloatPair sum = addTo({old[i], old[count + i]}, part[i]);
                    next[i] = sum.high;
                    next[count + i] = sum.low;
                  }
                  return next;
                });
  };
  IndexList sums = carried;
  sums.append(zeros(tile.rows));
  sums = reductionLoops(tile.block, steps, sums, addGroups, 0, *runLevel);
  for (size_t i = 0; i < count; ++i)
    sums[i] = rounded({sums[i], sums[count + i]});
  sums.truncate(count);
  return sums;
}

TileEmitter::IndexList TileEmitter::zeros(unsigned rows) {
  IndexList values;
  for (Type type : accumulatorTypes(rows))
    values.push_back(arith::ConstantOp::create(b, b.getZeroAttr(type)));
  return values;
}

/// Where it is known at run time only whether the inner loops of a sum are
/// long, the nest is built twice.
void emitTile(IndexBuilder &b, Nest &nest, const NestPlan &plan,
              const TargetInfo &target) {
  WordLoop words = countWords(b, nest, plan);
  auto emit = [&](bool isLong) {
    TileEmitter(b, nest, plan, target, words, isLong).emit();
  };
  OpFoldResult below = b.index(1);
  for (unsigned dim : ArrayRef(plan.inner).drop_front())
    below = b.mul(below, nest.extents[dim]);
  if (!plan.reductionBlock ||
      !llvm::all_of(nest.outputs, TileEmitter::addsFloats))
    return emit(false);
  if (auto known = b.known(below))
    return emit(*known > groupRuns * runTerms);
  Value condition =
      arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, b.value(below),
                            b.value(b.index(groupRuns * runTerms)));
  auto ifOp = scf::IfOp::create(b, condition, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  for (bool isLong : {true, false}) {
    b.setInsertionPointToStart(isLong ? ifOp.thenBlock() : ifOp.elseBlock());
    emit(isLong);
  }
}

} // namespace tapestry
