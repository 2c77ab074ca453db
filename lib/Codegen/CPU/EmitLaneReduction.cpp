//===- EmitLaneReduction.cpp - Reductions over vector lanes ---------------===//
//
// Lanes run along a reduction loop: each lane holds a partial result, started
// with the neutral element, and the lanes are combined once per result.
// Results of other outputs that have the loop's own points are stored on the
// way (an exponential and its sum, for example). Long sums are added in blocks.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {
namespace {

/// Values that a lane adds one after the other in a long sum; a sum of up to
/// twice as many is not long.
constexpr int64_t blockSteps = 32;
/// The sums of so many blocks, a group, are added as they are.
constexpr int64_t groupBlocks = 8;

class LaneReductionEmitter : public NestEmitter {
public:
  LaneReductionEmitter(IndexBuilder &b, Nest &nest, const NestPlan &plan,
                       const TargetInfo &target)
      : NestEmitter(b, nest, plan, target) {
    findBlocks();
  }
  void emit();

private:
  /// A run of rows whose results are computed together.
  struct Rows {
    NestPoint point;
    unsigned count;
  };

  void findBlocks();
  OpFoldResult manyGroups();
  void emitNest();
  void emitRows(const Rows &rows);
  IndexList resultsOf(const Rows &rows);
  IndexList extremesOf(const Rows &rows);
  IndexList emitPartials(const Rows &rows);
  IndexList mainLoop(const Rows &rows, const NestPoint &point,
                     OpFoldResult from, OpFoldResult to, ValueRange partials);
  IndexList tailLoop(const Rows &rows, const NestPoint &point,
                     ValueRange partials);
  IndexList allIdentities(unsigned rows);
  IndexList sumBlocks(
      unsigned rows, OpFoldResult extent, ValueRange sums, ValueRange start,
      llvm::function_ref<IndexList(OpFoldResult from, OpFoldResult to)> block);
  void addPartials(ArrayRef<Operation *> combines, IndexList &sums,
                   ValueRange partials, unsigned from);
  SmallVector<Operation *> combinesOf(unsigned rows);
  IndexList innerLoops(const Rows &rows, const NestPoint &point,
                       ValueRange carried, unsigned level, bool inBlocks);
  IndexList emitVectors(const Rows &rows, const NestPoint &point,
                        ValueRange carried, bool inBlocks);
  IndexList emitStep(const Rows &rows, const NestPoint &point, unsigned lanes,
                     Value mask, ValueRange partials);
  Value combined(Operation *combine, Value a, Value c, unsigned lanes);
  Value combineLanes(Operation *combine, Value wide, Value narrow);
  OpFoldResult rowOffset(const NestPoint &point, unsigned operand,
                         unsigned row);
  IndexList identities(unsigned rows, unsigned lanes);

  unsigned wide() const { return plan.lanes * plan.vectors; }
  /// Whether some vectors are narrower than `wide`.
  bool hasTail() const {
    auto extent = b.known(nest.extents[plan.vectorDim]);
    return !extent || *extent % wide() != 0;
  }

  /// Extremes are being reduced without regard to signs of zeros.
  bool ignoresZeros = false;
  /// Long sums are cut into blocks of so many points of the loop
  /// plan.inner[blockLevel], or vectors where that is past the last.
  bool isBlocked = false;
  unsigned blockLevel = 0;
  int64_t blockPoints = blockSteps;
  /// The loops carry the sums of groups with their errors; partial results
  /// where there is one group.
  bool inGroups = false;
};

/// Blocks take whole rounds of as many of the innermost loops as are short.
void LaneReductionEmitter::findBlocks() {
  if (llvm::none_of(nest.outputs, addsFloats))
    return;
  int64_t below = 1;
  for (unsigned level = plan.inner.size() + 1; level-- > 0;) {
    bool isVectors = level == plan.inner.size();
    auto extent =
        b.known(nest.extents[isVectors ? plan.vectorDim : plan.inner[level]]);
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
        b.mul(points, b.ceilDiv(nest.extents[plan.vectorDim], b.index(wide())));
  return b.min(b.div(points, b.index(groupBlocks * blockPoints + 1)),
               b.index(1));
}

/// Where the length is known at run time only, the nest is built twice, so that
/// short sums do not bear what long ones need.
void LaneReductionEmitter::emit() {
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
  loops(plan.outer, nest.origin(b), [&](const NestPoint &point) {
    if (plan.rowDim < 0)
      return emitRows({point, 1});
    OpFoldResult rows = nest.extents[plan.rowDim];
    OpFoldResult main = b.alignDown(rows, plan.rows);
    loop(b.index(0), main, plan.rows, [&](OpFoldResult row) {
      emitRows({nest.advance(b, point, plan.rowDim, row), plan.rows});
    });
    loop(main, rows, 1, [&](OpFoldResult row) {
      emitRows({nest.advance(b, point, plan.rowDim, row), 1});
    });
  });
}

OpFoldResult LaneReductionEmitter::rowOffset(const NestPoint &point,
                                             unsigned operand, unsigned row) {
  if (plan.rowDim < 0)
    return point.offset[operand];
  return b.add(
      point.offset[operand],
      b.mul(nest.operands[operand].strides[plan.rowDim], b.index(row)));
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::identities(unsigned rows, unsigned lanes) {
  IndexList values;
  for (OutputBody &output : nest.outputs)
    if (output.accumulates)
      values.append(
          rows,
          splat(identityOf(output.combine, output.yielded.getType()), lanes));
  return values;
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::allIdentities(unsigned rows) {
  IndexList values = identities(rows, wide());
  if (hasTail())
    values.append(identities(rows, plan.lanes));
  return values;
}

/// What combines each of the partial results.
SmallVector<Operation *> LaneReductionEmitter::combinesOf(unsigned rows) {
  SmallVector<Operation *> combines;
  for (unsigned part = 0; part < (hasTail() ? 2 : 1); ++part)
    for (OutputBody &output : nest.outputs)
      if (output.accumulates)
        combines.append(rows, output.combine);
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
    unsigned rows, OpFoldResult extent, ValueRange sums, ValueRange start,
    llvm::function_ref<IndexList(OpFoldResult, OpFoldResult)> block) {
  SmallVector<Operation *> combines = combinesOf(rows);
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
  IndexList partials = allIdentities(rows.count);
  if (!inGroups)
    return innerLoops(rows, rows.point, partials, 0, isBlocked);
  SmallVector<Operation *> combines = combinesOf(rows.count);
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
    for (unsigned row = 0; output.accumulates && row < rows.count; ++row) {
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
    for (unsigned row = 0; row < rows.count; ++row, ++at) {
      OpFoldResult offset = rowOffset(rows.point, number, row);
      Value start =
          nest.initial[out] ? nest.initial[out] : loadScalar(operand, offset);
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
  IndexList start = allIdentities(rows.count);
  return sumBlocks(rows.count, extent, carried, start,
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
                return emitStep(rows,
                                nest.advance(b, point, plan.vectorDim, iv),
                                wide(), Value(), values);
              });
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::tailLoop(const Rows &rows, const NestPoint &point,
                               ValueRange partials) {
  OpFoldResult extent = nest.extents[plan.vectorDim];
  return loop(b.alignDown(extent, wide()), extent, b.index(plan.lanes),
              partials, [&](OpFoldResult iv, ValueRange values) {
                return emitStep(
                    rows, nest.advance(b, point, plan.vectorDim, iv),
                    plan.lanes, tailMask(b.sub(extent, iv), plan.lanes),
                    values);
              });
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::emitVectors(const Rows &rows, const NestPoint &point,
                                  ValueRange carried, bool inBlocks) {
  OpFoldResult main = b.alignDown(nest.extents[plan.vectorDim], wide());
  IndexList start = identities(rows.count, wide());
  auto block = [&](OpFoldResult from, OpFoldResult to) {
    return mainLoop(rows, point, from, to, start);
  };
  bool addsGroups = inBlocks && inGroups;
  ValueRange before = addsGroups ? carried : carried.take_front(start.size());
  IndexList results = inBlocks
                          ? sumBlocks(rows.count, main, before, start, block)
                          : mainLoop(rows, point, b.index(0), main, before);
  if (!hasTail())
    return results;
  if (addsGroups)
    addPartials(combinesOf(rows.count), results,
                tailLoop(rows, point, identities(rows.count, plan.lanes)),
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
        number, {plan.rowDim >= 0 && access.dependsOn(plan.rowDim), false});
  for (auto [dim, loop] : llvm::enumerate(nest.loopOf))
    body.setIndexVariance(dim, {loop >= 0 && loop == plan.rowDim, false});
  auto argument = [&](unsigned number, Site site) {
    const NestOperand &operand = nest.operands[number];
    return load(operand, rowOffset(point, number, site.row),
                operand.strides[plan.vectorDim], lanes, mask);
  };
  auto index = [&](unsigned dim, Site site) {
    NestPoint at = point;
    if (plan.rowDim >= 0)
      at.index[plan.rowDim] = b.add(at.index[plan.rowDim], b.index(site.row));
    return indexAt(at, dim, lanes, mask);
  };

  IndexList next;
  for (auto [out, output] : llvm::enumerate(nest.outputs)) {
    unsigned number = nest.numInputs() + out;
    for (unsigned row = 0; row < rows.count; ++row) {
      if (!output.accumulates) {
        Value result =
            body.evaluateVector(output.yielded, {row, 0}, argument, index);
        store(result, nest.operands[number], rowOffset(point, number, row),
              nest.operands[number].strides[plan.vectorDim], mask);
        continue;
      }
      Value partial = partials[next.size()];
      Value value =
          body.evaluateVector(output.contribution, {row, 0}, argument, index);
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

} // namespace

void emitLaneReduction(IndexBuilder &b, Nest &nest, const NestPlan &plan,
                       const TargetInfo &target) {
  LaneReductionEmitter(b, nest, plan, target).emit();
}

} // namespace tapestry
