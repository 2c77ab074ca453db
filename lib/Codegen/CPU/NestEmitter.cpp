//===- NestEmitter.cpp - What the nest emitters share ---------------------===//
//
// Loops that fold when they run once, masks, and loads and stores by stride.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "tapestry/Dialect/Index/IR/IndexShare.h"

using namespace mlir;

namespace tapestry {

void NestEmitter::loop(OpFoldResult from, OpFoldResult to, OpFoldResult step,
                       llvm::function_ref<void(OpFoldResult)> fn) {
  loop(from, to, step, ValueRange(), [&](OpFoldResult iv, ValueRange) {
    fn(iv);
    return IndexList();
  });
}

NestEmitter::IndexList
NestEmitter::loop(OpFoldResult from, OpFoldResult to, OpFoldResult step,
                  ValueRange carried,
                  llvm::function_ref<IndexList(OpFoldResult, ValueRange)> fn) {
  auto lo = b.known(from), hi = b.known(to), by = b.known(step);
  if (lo && hi && *lo >= *hi)
    return IndexList(carried);
  if (lo && hi && by && *lo + *by >= *hi)
    return fn(from, carried);
  auto forOp =
      scf::ForOp::create(b, b.value(from), b.value(to), b.value(step), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  IndexList results = fn(forOp.getInductionVar(), forOp.getRegionIterArgs());
  if (carried.empty())
    return {};
  scf::YieldOp::create(b, results);
  return IndexList(forOp.getResults());
}

/// The side of the largest triangle of 1 + 2 + 3 + ... points that has at most
/// `points`: (sqrt(8 points + 1) - 1) / 2, rounded down.
static Value sideOf(IndexBuilder &b, Value points) {
  Type number = b.getF64Type();
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(b, b.getF64FloatAttr(value));
  };
  Value side = arith::SIToFPOp::create(
      b, number, arith::IndexCastOp::create(b, b.getI64Type(), points));
  side = arith::MulFOp::create(b, side, constant(8));
  side = math::SqrtOp::create(b, arith::AddFOp::create(b, side, constant(1)));
  side = arith::SubFOp::create(b, side, constant(1));
  side = arith::MulFOp::create(b, side, constant(0.5));
  return arith::IndexCastOp::create(
      b, b.getIndexType(), arith::FPToSIOp::create(b, b.getI64Type(), side));
}

void NestEmitter::takeShare(bool isTriangle) {
  if (plan.splitDim < 0)
    return;
  OpFoldResult step = b.index(plan.splitStep);
  OpFoldResult extent = nest.extents[plan.splitDim];
  OpFoldResult units = b.ceilDiv(extent, step);
  if (isTriangle)
    units = b.div(b.mul(units, b.add(units, b.index(1))), b.index(2));
  auto taken = index::ShareOp::create(b, b.value(units));
  Value from = taken.getBegin(), to = taken.getEnd();
  if (isTriangle) {
    from = sideOf(b, from);
    to = sideOf(b, to);
  }
  share = {b.mul(from, step), b.min(b.mul(to, step), extent)};
}

NestEmitter::Range NestEmitter::pointsOf(unsigned dim) {
  if (share && int(dim) == plan.splitDim)
    return *share;
  return {b.index(0), nest.extents[dim]};
}

void NestEmitter::wholeRuns(const Range &points, OpFoldResult extent,
                            int64_t step,
                            llvm::function_ref<void(OpFoldResult)> fn,
                            llvm::function_ref<void(const Range &)> rest) {
  OpFoldResult whole = b.alignDown(extent, step);
  if (points.to == extent && b.known(points.from) == 0) {
    loop(points.from, whole, step, fn);
    rest({whole, extent});
    return;
  }
  loop(points.from, b.min(points.to, whole), step, fn);
  if (b.known(b.sub(extent, whole)) != 0)
    rest({b.max(points.from, whole), points.to});
}

void NestEmitter::loops(ArrayRef<unsigned> dims, const NestPoint &point,
                        llvm::function_ref<void(const NestPoint &)> fn) {
  if (dims.empty())
    return fn(point);
  auto [from, to] = pointsOf(dims.front());
  loop(from, to, 1, [&](OpFoldResult iv) {
    loops(dims.drop_front(), nest.advance(b, point, dims.front(), iv), fn);
  });
}

Value NestEmitter::maskFor(OpFoldResult remaining, unsigned lanes) {
  auto known = b.known(remaining);
  if (known && *known >= int64_t(lanes))
    return nullptr;
  auto type = VectorType::get({lanes}, b.getI1Type());
  return vector::CreateMaskOp::create(b, type, b.value(remaining));
}

Value NestEmitter::tailMask(OpFoldResult remaining, unsigned lanes) {
  Value mask = maskFor(remaining, lanes);
  if (mask)
    mask.getDefiningOp()->setAttr(tailMaskAttrName, b.getUnitAttr());
  return mask;
}

Value NestEmitter::splat(TypedAttr value, unsigned lanes) {
  auto type = VectorType::get({lanes}, value.getType());
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, value));
}

FloatPair NestEmitter::addTo(FloatPair sum, Value value) {
  FloatEmitter f(b, b.getLoc(), value.getType(), target.fusedMultiplyAdd);
  FloatPair next = f.sum(sum.high, value);
  // The low part stays small, or its own errors would pile up. Infinite sums
  // have none.
  FloatPair total = f.orderedSum(next.high, f.add(sum.low, next.low));
  return {f.select(f.isNaN(total.high), next.high, total.high), total.low};
}

Value NestEmitter::rounded(FloatPair sum) {
  FloatEmitter f(b, b.getLoc(), sum.high.getType(), target.fusedMultiplyAdd);
  // Infinite sums have no error.
  Value result = f.add(sum.high, sum.low);
  return f.select(f.isNaN(result), sum.high, result);
}

bool NestEmitter::isExtreme() const {
  Operation *combine = nest.outputs.front().combine;
  return nest.outputs.size() == 1 && combine &&
         isa<arith::MaximumFOp, arith::MinimumFOp>(combine);
}

/// As integers these zeros are the least of all: -0 of signed, +0 of unsigned
/// ones.
Value NestEmitter::haveCertainZeros(Operation *combine, ValueRange results) {
  bool max = isa<arith::MaximumFOp>(combine);
  Type type = results.front().getType();
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  Type bitsType = b.getIntegerType(element.getWidth());
  APFloat zero = APFloat::getZero(element.getFloatSemantics(), max);
  TypedAttr weaker = b.getIntegerAttr(bitsType, zero.bitcastToAPInt());
  if (auto shaped = dyn_cast<VectorType>(type)) {
    bitsType = shaped.clone(bitsType);
    weaker = DenseElementsAttr::get(cast<VectorType>(bitsType), weaker);
  }
  Value least;
  for (Value result : results) {
    Value bits = arith::BitcastOp::create(b, bitsType, result);
    if (!least)
      least = bits;
    else if (max)
      least = arith::MinSIOp::create(b, least, bits);
    else
      least = arith::MinUIOp::create(b, least, bits);
  }
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, least,
                               arith::ConstantOp::create(b, weaker));
}

Value NestEmitter::stepVector(unsigned lanes) {
  auto values = llvm::to_vector(llvm::seq<int64_t>(0, lanes));
  return arith::ConstantOp::create(b, b.getIndexVectorAttr(values));
}

Value NestEmitter::laneOffsets(OpFoldResult stride, unsigned lanes) {
  if (auto known = b.known(stride)) {
    SmallVector<int64_t> values;
    for (unsigned lane = 0; lane < lanes; ++lane)
      values.push_back(lane * *known);
    return arith::ConstantOp::create(b, b.getIndexVectorAttr(values));
  }
  return arith::MulIOp::create(b, stepVector(lanes),
                               broadcastTo(b, b.value(stride), lanes));
}

Value NestEmitter::loadScalar(const NestOperand &operand, OpFoldResult offset) {
  if (operand.scalar)
    return operand.scalar;
  return memref::LoadOp::create(b, operand.flat, b.value(offset));
}

Value NestEmitter::load(const NestOperand &operand, OpFoldResult offset,
                        OpFoldResult stride, unsigned lanes, Value mask) {
  auto step = b.known(stride);
  if (operand.scalar || (step && *step == 0))
    return loadScalar(operand, offset);
  auto type = VectorType::get({lanes}, operand.elementType);
  Value base = b.value(offset);
  if (step && *step == 1 && !mask)
    return vector::LoadOp::create(b, type, operand.flat, base);

  // What lanes without data hold must not make the body trap; the first
  // element of the vector always exists.
  Value rest;
  if (mask && nest.problem.mayTrap)
    rest = broadcastTo(b, loadScalar(operand, offset), lanes);
  else
    rest = splat(cast<TypedAttr>(b.getZeroAttr(operand.elementType)), lanes);
  if (step && *step == 1)
    return vector::MaskedLoadOp::create(b, type, operand.flat, base, mask,
                                        rest);
  if (step && *step == 2)
    return loadEveryOther(operand, offset, mask, rest);
  if (!mask)
    mask = splat(b.getBoolAttr(true), lanes);
  return vector::GatherOp::create(b, type, operand.flat, base,
                                  laneOffsets(stride, lanes), mask, rest);
}

void NestEmitter::storeScalar(Value scalar, const NestOperand &operand,
                              OpFoldResult offset) {
  if (operand.conversion)
    scalar = cloneOnVectors(b, operand.conversion, scalar, /*lanes=*/1);
  memref::StoreOp::create(b, scalar, operand.flat, b.value(offset));
}

void NestEmitter::store(Value vector, const NestOperand &operand,
                        OpFoldResult offset, OpFoldResult stride, Value mask) {
  unsigned lanes = cast<VectorType>(vector.getType()).getNumElements();
  if (operand.conversion)
    vector = cloneOnVectors(b, operand.conversion, vector, lanes);
  auto step = b.known(stride);
  Value base = b.value(offset);
  if (step && *step == 1) {
    if (mask)
      vector::MaskedStoreOp::create(b, operand.flat, base, mask, vector);
    else
      vector::StoreOp::create(b, vector, operand.flat, base);
    return;
  }
  // Without an instruction for it, a masked scatter becomes a branch per lane,
  // and LLVM takes seconds over some hundreds of them.
  if (!target.maskedMemory || *packedBits(operand.elementType) < 32)
    return storeEachLane(vector, operand, offset, stride, mask);
  if (!mask)
    mask = splat(b.getBoolAttr(true), lanes);
  vector::ScatterOp::create(b, /*resultType=*/Type(), operand.flat, base,
                            laneOffsets(stride, lanes), mask, vector);
}

Value NestEmitter::scaledMask(Value mask, int64_t factor, int64_t shift) {
  auto lanes = cast<VectorType>(mask.getType()).getNumElements();
  OpFoldResult bound =
      mask.getDefiningOp<vector::CreateMaskOp>().getOperands().front();
  OpFoldResult count = b.min(bound, b.index(lanes));
  Value scaled = b.value(b.add(b.mul(count, b.index(factor)), b.index(shift)));
  return vector::CreateMaskOp::create(b, mask.getType(), scaled);
}

/// Lanes that are two apart, from two vectors that end with the last one.
Value NestEmitter::loadEveryOther(const NestOperand &operand,
                                  OpFoldResult offset, Value mask, Value rest) {
  auto type = cast<VectorType>(rest.getType());
  int64_t lanes = type.getNumElements();
  auto part = [&](int64_t shift) -> Value {
    Value base = b.value(b.add(offset, b.index(shift)));
    if (!mask)
      return vector::LoadOp::create(b, type, operand.flat, base);
    return vector::MaskedLoadOp::create(b, type, operand.flat, base,
                                        scaledMask(mask, 2, -1 - shift), rest);
  };
  Value low = part(0), high = part(lanes - 1);
  SmallVector<int64_t> places;
  for (int64_t at = 0; at < 2 * lanes; at += 2)
    places.push_back(at < lanes ? at : at + 1);
  return vector::ShuffleOp::create(b, low, high, places);
}

void NestEmitter::storeParts(Value first, Value second,
                             const NestOperand &operand, OpFoldResult offset,
                             Value mask) {
  int64_t lanes = cast<VectorType>(first.getType()).getNumElements();
  for (int64_t half : {0, 1}) {
    SmallVector<int64_t> places;
    for (int64_t at = half * lanes / 2; at < (half + 1) * lanes / 2; ++at)
      places.append({at, lanes + at});
    Value both = vector::ShuffleOp::create(b, first, second, places);
    Value some = mask ? scaledMask(mask, 2, -half * lanes) : Value();
    store(both, operand, b.add(offset, b.index(half * lanes)), b.index(1),
          some);
  }
}

void NestEmitter::storeOutputs(
    ArrayRef<NestOperand> operands, llvm::function_ref<Value(unsigned)> valueOf,
    llvm::function_ref<OpFoldResult(unsigned)> offsetOf, Value mask) {
  for (unsigned output = 0; output < nest.outputs.size(); ++output) {
    unsigned at = nest.numInputs() + output;
    OpFoldResult stride = operands[at].strides[plan.vectorDim];
    Value value = valueOf(output);
    // One after the other along the lanes.
    if (nest.isFirstPart(output) && b.known(stride) == 2)
      storeParts(value, valueOf(++output), operands[at], offsetOf(at), mask);
    else
      store(value, operands[at], offsetOf(at), stride, mask);
  }
}

void NestEmitter::storeEachLane(Value vector, const NestOperand &operand,
                                OpFoldResult offset, OpFoldResult stride,
                                Value mask) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  Value copy;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(
        &nest.op->getParentOfType<FunctionOpInterface>().front());
    copy = memref::AllocaOp::create(
        b, MemRefType::get({lanes}, operand.elementType),
        b.getI64IntegerAttr(64));
  }
  vector::StoreOp::create(b, vector, copy, b.value(b.index(0)));
  OpFoldResult count = b.index(lanes);
  if (mask)
    count =
        b.min(mask.getDefiningOp<vector::CreateMaskOp>().getOperands().front(),
              count);
  loop(b.index(0), count, 1, [&](OpFoldResult lane) {
    Value element = memref::LoadOp::create(b, copy, b.value(lane));
    memref::StoreOp::create(b, element, operand.flat,
                            b.value(b.add(offset, b.mul(lane, stride))));
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

void NestEmitter::copySquares(
    llvm::function_ref<Value(OpFoldResult, OpFoldResult)> lanesAt,
    unsigned lanes, OpFoldResult line, OpFoldResult columns,
    const NestOperand &target, OpFoldResult targetOffset,
    int64_t targetStride) {
  OpFoldResult last = b.sub(columns, b.index(1));
  loop(b.index(0), columns, lanes, [&](OpFoldResult column) {
    SmallVector<Value> square;
    for (unsigned lane = 0; lane < lanes; ++lane)
      // Past the last column, repeat it: no one looks at the copy.
      square.push_back(
          lanesAt(line, b.min(b.add(column, b.index(lane)), last)));
    transposeSquare(b, square);
    OpFoldResult to =
        b.add(b.add(targetOffset, column), b.mul(line, b.index(targetStride)));
    for (unsigned lane = 0; lane < lanes; ++lane)
      store(square[lane], target,
            b.add(to, b.index(int64_t(lane) * targetStride)), b.index(1),
            Value());
  });
}

void NestEmitter::copyTransposed(const NestOperand &operand,
                                 OpFoldResult offset, OpFoldResult columnStride,
                                 OpFoldResult lines, OpFoldResult columns,
                                 const NestOperand &target,
                                 OpFoldResult targetOffset,
                                 int64_t targetStride) {
  unsigned lanes = plan.lanes;
  auto squares = [&](OpFoldResult line, Value mask) {
    auto lanesAt = [&](OpFoldResult first, OpFoldResult column) {
      OpFoldResult at =
          b.add(b.add(offset, first), b.mul(columnStride, column));
      return load(operand, at, b.index(1), lanes, mask);
    };
    copySquares(lanesAt, lanes, line, columns, target, targetOffset,
                targetStride);
  };
  OpFoldResult whole = b.alignDown(lines, lanes);
  loop(b.index(0), whole, lanes,
       [&](OpFoldResult line) { squares(line, Value()); });
  loop(whole, lines, lanes, [&](OpFoldResult line) {
    squares(line, maskFor(b.sub(lines, line), lanes));
  });
}

NestOperand NestEmitter::allocate(Type elementType, OpFoldResult size) {
  NestOperand result;
  result.elementType = elementType;
  result.offset = b.index(0);
  result.strides.assign(nest.extents.size(), b.index(0));
  SmallVector<Value> dynamic;
  if (!b.known(size))
    dynamic.push_back(b.value(size));
  auto type = MemRefType::get({b.known(size).value_or(ShapedType::kDynamic)},
                              elementType);
  result.flat = memref::AllocOp::create(b, type, dynamic);
  return result;
}

Value NestEmitter::indexAt(const NestPoint &point, unsigned dim, unsigned lanes,
                           Value mask) {
  int loop = nest.loopOf[dim];
  if (loop < 0)
    return b.value(0);
  Value base = b.value(point.index[loop]);
  if (unsigned(loop) != plan.vectorDim)
    return base;
  Value first = broadcastTo(b, base, lanes);
  Value all = arith::AddIOp::create(b, first, stepVector(lanes));
  if (mask && nest.problem.mayTrap)
    return arith::SelectOp::create(b, mask, all, first);
  return all;
}

} // namespace tapestry
