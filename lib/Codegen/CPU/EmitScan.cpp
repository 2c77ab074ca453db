//===- EmitScan.cpp - Running values --------------------------------------===//
//
// Each element is read and written once. Along contiguous data the prefixes of
// a vector are computed inside the register, in log2(lanes) steps, and one
// value is carried from vector to vector. Where lanes run across lines, what
// each line carries lies in a buffer that stays in the first-level cache. Sums
// of floats are carried with their rounding errors.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {
namespace {

class ScanEmitter : public NestEmitter {
public:
  ScanEmitter(IndexBuilder &b, Nest &nest, const NestPlan &plan,
              const TargetInfo &target)
      : NestEmitter(b, nest, plan, target), scan(*nest.scan),
        isSum(isa<arith::AddFOp>(scan.combine)),
        elementsAt(nest.numInputs() + scan.elements),
        carriedAt(nest.numInputs() + scan.carried) {}
  void emit();

private:
  bool isAlongLanes() const { return plan.inner.empty(); }
  void emitLine(const NestPoint &point);
  IndexList emitGroup(const NestPoint &point, ValueRange before, unsigned count,
                      Value mask);
  Value prefixes(Value vector);
  /// sum + value, of which the high part is the rounded sum.
  FloatPair addTo(FloatPair sum, Value value);
  /// What changes nothing that it is combined with: of sums of floats -0.0,
  /// which is an operand like any other where a register of 0.0 is not.
  Value nothing() {
    TypedAttr value = identityOf(scan.combine, type());
    if (isSum)
      value = b.getFloatAttr(type(), -0.0);
    return splat(value, plan.lanes);
  }
  void emitLines(const NestPoint &point);
  void emitAcross(const NestPoint &point, OpFoldResult lowAt, Value mask);
  /// `fn` on whole vectors, then on what is left of them under a mask.
  void vectors(OpFoldResult extent,
               llvm::function_ref<void(OpFoldResult, Value)> fn);
  Value contribution(BodyEmitter &body, const NestPoint &point, Value mask);
  void storeElements(BodyEmitter &body, const NestPoint &point, Value values,
                     Value mask);
  Value evaluate(BodyEmitter &body, Value value, const NestPoint &point,
                 Value mask);
  Value combine(Value before, Value value) {
    return cloneOnVectors(b, scan.combine, {before, value}, plan.lanes);
  }
  Type type() { return scan.combine->getResult(0).getType(); }
  FloatEmitter floats(Type of) {
    return FloatEmitter(b, b.getLoc(), of, target.fusedMultiplyAdd);
  }

  const ScanBody &scan;
  bool isSum;
  unsigned elementsAt, carriedAt;
  /// Across lines: the errors of what they carry.
  NestOperand lows;
};

} // namespace

void ScanEmitter::emit() {
  takeShare();
  if (isAlongLanes())
    return loops(plan.outer, nest.origin(b),
                 [&](const NestPoint &point) { emitLine(point); });
  if (isSum)
    lows = allocate(type(), b.index(plan.vectorBlock));
  loops(plan.outer, nest.origin(b),
        [&](const NestPoint &point) { emitLines(point); });
  if (isSum)
    memref::DeallocOp::create(b, lows.flat);
}

Value ScanEmitter::evaluate(BodyEmitter &body, Value value,
                            const NestPoint &point, Value mask) {
  auto argument = [&](unsigned number, Site) {
    const NestOperand &operand = nest.operands[number];
    return load(operand, point.offset[number], operand.strides[plan.vectorDim],
                plan.lanes, mask);
  };
  auto index = [&](unsigned dim, Site) {
    return indexAt(point, dim, plan.lanes, mask);
  };
  return body.evaluateVector(value, Site(), argument, index);
}

Value ScanEmitter::contribution(BodyEmitter &body, const NestPoint &point,
                                Value mask) {
  return evaluate(body, scan.contribution, point, mask);
}

void ScanEmitter::storeElements(BodyEmitter &body, const NestPoint &point,
                                Value values, Value mask) {
  body.define(scan.combine->getResult(0), values);
  const NestOperand &operand = nest.operands[elementsAt];
  store(evaluate(body, nest.outputs[scan.elements].yielded, point, mask),
        operand, point.offset[elementsAt], operand.strides[plan.vectorDim],
        mask);
}

void ScanEmitter::vectors(OpFoldResult extent,
                          llvm::function_ref<void(OpFoldResult, Value)> fn) {
  OpFoldResult main = b.alignDown(extent, plan.lanes);
  loop(b.index(0), main, plan.lanes, [&](OpFoldResult iv) { fn(iv, Value()); });
  loop(main, extent, plan.lanes, [&](OpFoldResult iv) {
    fn(iv, tailMask(b.sub(extent, iv), plan.lanes));
  });
}

/// The low part is kept small, or its own errors would pile up.
FloatPair ScanEmitter::addTo(FloatPair sum, Value value) {
  FloatEmitter f = floats(value.getType());
  FloatPair next = f.sum(sum.high, value);
  FloatPair total = f.orderedSum(next.high, f.add(sum.low, next.low));
  // Infinite sums have no error: what lies ahead of an element is added to it.
  Value isLost = f.isNaN(f.sub(total.high, total.high));
  return {f.select(isLost, next.high, total.high),
          f.select(isLost, f.constant(0), total.low)};
}

//===----------------------------------------------------------------------===//
// Lanes along the line
//===----------------------------------------------------------------------===//

void ScanEmitter::emitLine(const NestPoint &point) {
  const NestOperand &carried = nest.operands[carriedAt];
  IndexList state = {loadScalar(carried, point.offset[carriedAt])};
  if (isSum)
    state.push_back(floats(type()).constant(0));
  OpFoldResult extent = nest.extents[plan.vectorDim];
  OpFoldResult from = b.index(0);
  // Groups of vectors first, of which one value is carried on; then what is
  // left, vector by vector.
  for (unsigned count : {plan.vectors, 1u}) {
    int64_t step = int64_t(plan.lanes) * count;
    OpFoldResult to = b.alignDown(extent, step);
    state = loop(from, to, b.index(step), state,
                 [&](OpFoldResult iv, ValueRange before) {
                   return emitGroup(nest.advance(b, point, plan.vectorDim, iv),
                                    before, count, Value());
                 });
    from = to;
  }
  state = loop(from, extent, b.index(plan.lanes), state,
               [&](OpFoldResult iv, ValueRange before) {
                 return emitGroup(nest.advance(b, point, plan.vectorDim, iv),
                                  before, 1,
                                  tailMask(b.sub(extent, iv), plan.lanes));
               });
  memref::StoreOp::create(b, state.front(), carried.flat,
                          b.value(point.offset[carriedAt]));
}

/// The prefixes of a vector, in its lanes.
Value ScanEmitter::prefixes(Value vector) {
  int64_t lanes = plan.lanes;
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    SmallVector<int64_t> from;
    for (int64_t lane = 0; lane < lanes; ++lane)
      from.push_back(lane < distance ? lanes : lane - distance);
    Value shifted = vector::ShuffleOp::create(b, vector, nothing(), from);
    vector = combine(shifted, vector);
  }
  return vector;
}

ScanEmitter::IndexList ScanEmitter::emitGroup(const NestPoint &point,
                                              ValueRange before, unsigned count,
                                              Value mask) {
  Value high = before.front();
  // What precedes a vector, but for `high` of a sum.
  Value ahead = before.back();
  Value total;
  for (unsigned number = 0; number < count; ++number) {
    NestPoint at = nest.advance(b, point, plan.vectorDim,
                                b.index(int64_t(number) * plan.lanes));
    BodyEmitter body(b, nest.body(), plan.lanes);
    Value own = contribution(body, at, mask);
    if (mask)
      own = arith::SelectOp::create(b, mask, own, nothing());
    own = prefixes(own);
    Value last = vector::ExtractOp::create(b, own, plan.lanes - 1);
    Value values = combine(broadcastTo(b, ahead, plan.lanes), own);
    if (isSum)
      values = combine(broadcastTo(b, high, plan.lanes), values);
    storeElements(body, at, values, mask);
    ahead = combine(ahead, last);
    total = total ? combine(total, last) : last;
  }
  if (!isSum)
    return {ahead};
  FloatPair next = addTo({high, before.back()}, total);
  return {next.high, next.low};
}

//===----------------------------------------------------------------------===//
// Lanes across lines
//===----------------------------------------------------------------------===//

/// Blocks of lines, each walked from its start to its end.
void ScanEmitter::emitLines(const NestPoint &point) {
  unsigned along = plan.inner.front();
  OpFoldResult lines = nest.extents[plan.vectorDim];
  loop(b.index(0), lines, plan.vectorBlock, [&](OpFoldResult first) {
    NestPoint block = nest.advance(b, point, plan.vectorDim, first);
    OpFoldResult count = b.min(b.sub(lines, first), b.index(plan.vectorBlock));
    if (isSum)
      vectors(count, [&](OpFoldResult iv, Value mask) {
        Value zero = splat(cast<TypedAttr>(b.getZeroAttr(type())), plan.lanes);
        store(zero, lows, iv, b.index(1), mask);
      });
    loop(b.index(0), nest.extents[along], 1, [&](OpFoldResult at) {
      NestPoint row = nest.advance(b, block, along, at);
      vectors(count, [&](OpFoldResult iv, Value mask) {
        emitAcross(nest.advance(b, row, plan.vectorDim, iv), iv, mask);
      });
    });
  });
}

void ScanEmitter::emitAcross(const NestPoint &point, OpFoldResult lowAt,
                             Value mask) {
  BodyEmitter body(b, nest.body(), plan.lanes);
  const NestOperand &carried = nest.operands[carriedAt];
  OpFoldResult offset = point.offset[carriedAt];
  OpFoldResult stride = carried.strides[plan.vectorDim];
  Value before = load(carried, offset, stride, plan.lanes, mask);
  Value value = contribution(body, point, mask);
  if (!isSum) {
    Value next = combine(before, value);
    store(next, carried, offset, stride, mask);
    return storeElements(body, point, next, mask);
  }
  Value low = load(lows, lowAt, b.index(1), plan.lanes, mask);
  FloatPair next = addTo({before, low}, value);
  store(next.high, carried, offset, stride, mask);
  store(next.low, lows, lowAt, b.index(1), mask);
  storeElements(body, point, next.high, mask);
}

void emitScan(IndexBuilder &b, Nest &nest, const NestPlan &plan,
              const TargetInfo &target) {
  ScanEmitter(b, nest, plan, target).emit();
}

} // namespace tapestry
