//===- EmitLaneReduction.cpp - Reductions over vector lanes ---------------===//
//
// Lanes run along a reduction loop: each lane holds a partial result, started
// with the neutral element, and the lanes are combined once per result.
// Results of other outputs that have the loop's own points are stored on the
// way (an exponential and its sum, for example).
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {
namespace {

class LaneReductionEmitter : public NestEmitter {
public:
  using NestEmitter::NestEmitter;
  void emit();

private:
  /// A run of rows whose results are computed together.
  struct Rows {
    NestPoint point;
    unsigned count;
  };

  void emitRows(const Rows &rows);
  IndexList innerLoops(const Rows &rows, const NestPoint &point,
                       ValueRange partials, unsigned level);
  IndexList emitVectors(const Rows &rows, const NestPoint &point,
                        ValueRange partials);
  IndexList emitStep(const Rows &rows, const NestPoint &point, unsigned lanes,
                     Value mask, ValueRange partials);
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
};

void LaneReductionEmitter::emit() {
  outerLoops(nest.origin(b), [&](const NestPoint &point) {
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

/// Partial results travel through the loops as one list: the wide vectors of
/// all outputs and rows, then the narrow ones of the tail.
void LaneReductionEmitter::emitRows(const Rows &rows) {
  IndexList partials = identities(rows.count, wide());
  unsigned numWide = partials.size();
  if (hasTail())
    partials.append(identities(rows.count, plan.lanes));
  partials = innerLoops(rows, rows.point, partials, 0);

  unsigned at = 0;
  for (auto [out, output] : llvm::enumerate(nest.outputs)) {
    if (!output.accumulates)
      continue;
    unsigned number = nest.numInputs() + out;
    const NestOperand &operand = nest.operands[number];
    for (unsigned row = 0; row < rows.count; ++row, ++at) {
      Value narrow = hasTail() ? partials[numWide + at] : Value();
      Value result = combineLanes(output.combine, partials[at], narrow);
      OpFoldResult offset = rowOffset(rows.point, number, row);
      Value start =
          nest.initial[out] ? nest.initial[out] : loadScalar(operand, offset);
      result = cloneOnVectors(b, output.combine, {start, result}, 1);
      memref::StoreOp::create(b, result, operand.flat, b.value(offset));
    }
  }
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::innerLoops(const Rows &rows, const NestPoint &point,
                                 ValueRange partials, unsigned level) {
  if (level == plan.inner.size())
    return emitVectors(rows, point, partials);
  unsigned dim = plan.inner[level];
  return loop(b.index(0), nest.extents[dim], b.index(1), partials,
              [&](OpFoldResult iv, ValueRange values) {
                return innerLoops(rows, nest.advance(b, point, dim, iv), values,
                                  level + 1);
              });
}

LaneReductionEmitter::IndexList
LaneReductionEmitter::emitVectors(const Rows &rows, const NestPoint &point,
                                  ValueRange partials) {
  OpFoldResult extent = nest.extents[plan.vectorDim];
  OpFoldResult main = b.alignDown(extent, wide());
  unsigned half = hasTail() ? partials.size() / 2 : partials.size();
  IndexList results =
      loop(b.index(0), main, b.index(wide()), partials.take_front(half),
           [&](OpFoldResult iv, ValueRange values) {
             return emitStep(rows, nest.advance(b, point, plan.vectorDim, iv),
                             wide(), Value(), values);
           });
  if (!hasTail())
    return results;
  results.append(
      loop(main, extent, b.index(plan.lanes), partials.drop_front(half),
           [&](OpFoldResult iv, ValueRange values) {
             return emitStep(rows, nest.advance(b, point, plan.vectorDim, iv),
                             plan.lanes, maskFor(b.sub(extent, iv), plan.lanes),
                             values);
           }));
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
      Value sum = cloneOnVectors(b, output.combine, {partial, value}, lanes);
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
    return cloneOnVectors(b, combine, {a, c}, half);
  };
  unsigned lanes = this->wide();
  for (; lanes > plan.lanes; lanes /= 2)
    wide = halve(wide);
  if (narrow)
    wide = cloneOnVectors(b, combine, {wide, narrow}, plan.lanes);
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
