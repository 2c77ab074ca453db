//===- EmitMap.cpp - Elementwise nests ------------------------------------===//
//
// Every point is computed once: parallel loops around one loop of vectors. A
// transposed operand is copied block by block, in squares that are transposed
// in registers.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tapestry {
namespace {

class MapEmitter : public NestEmitter {
public:
  MapEmitter(IndexBuilder &b, Nest &nest, const NestPlan &plan,
             const TargetInfo &target)
      : NestEmitter(b, nest, plan, target), sources(nest.operands) {}
  void emit();

private:
  bool isTransposed(unsigned operand) const;
  void emitBlocks(const NestPoint &point);
  void emitBlock(const NestPoint &point, OpFoldResult lines,
                 OpFoldResult length);
  void emitVectors(const NestPoint &point, const Range &points,
                   OpFoldResult extent);
  void emitFetches(const NestPoint &point);
  OpFoldResult rowAt(memref::LoadOp op, const NestPoint &point, int64_t ahead);
  void emitBody(const NestPoint &point, unsigned lanes, Value mask);
  Value emitLoad(memref::LoadOp op, ValueRange indices, unsigned lanes,
                 Value mask);

  /// The operands as the body reads them: copies of blocks in place of
  /// transposed ones.
  SmallVector<NestOperand, 4> sources;
};

/// An input that is contiguous along the loop across.
bool MapEmitter::isTransposed(unsigned operand) const {
  const NestAccess &access = nest.problem.accesses[operand];
  return plan.blockDim >= 0 && !access.output &&
         access.strides[plan.blockDim] == 1 &&
         access.strides[plan.vectorDim] > 1;
}

void MapEmitter::emit() {
  takeShare();
  if (plan.blockDim < 0)
    return loops(plan.outer, nest.origin(b), [&](const NestPoint &point) {
      emitFetches(point);
      emitVectors(point, pointsOf(plan.vectorDim),
                  nest.extents[plan.vectorDim]);
    });
  int64_t size = (plan.blockSize + plan.lanes) * plan.vectorBlock;
  for (auto [number, source] : llvm::enumerate(sources))
    if (isTransposed(number)) {
      source = allocate(source.elementType, b.index(size));
      source.strides[plan.vectorDim] = b.index(1);
      source.strides[plan.blockDim] = b.index(plan.vectorBlock);
    }
  loops(plan.outer, nest.origin(b),
        [&](const NestPoint &point) { emitBlocks(point); });
  for (auto [number, source] : llvm::enumerate(sources))
    if (isTransposed(number))
      memref::DeallocOp::create(b, source.flat);
}

/// Blocks of the loop across around blocks of vectors.
void MapEmitter::emitBlocks(const NestPoint &point) {
  unsigned across = plan.blockDim;
  OpFoldResult lines = nest.extents[across];
  OpFoldResult length = nest.extents[plan.vectorDim];
  auto [from, to] = pointsOf(across);
  loop(from, to, plan.blockSize, [&](OpFoldResult line) {
    NestPoint atLine = nest.advance(b, point, across, line);
    loop(b.index(0), length, plan.vectorBlock, [&](OpFoldResult start) {
      emitBlock(nest.advance(b, atLine, plan.vectorDim, start),
                b.min(b.sub(lines, line), b.index(plan.blockSize)),
                b.min(b.sub(length, start), b.index(plan.vectorBlock)));
    });
  });
}

void MapEmitter::emitBlock(const NestPoint &point, OpFoldResult lines,
                           OpFoldResult length) {
  for (auto [number, source] : llvm::enumerate(sources))
    if (isTransposed(number))
      copyTransposed(nest.operands[number], point.offset[number],
                     nest.operands[number].strides[plan.vectorDim], lines,
                     length, source, b.index(0), plan.vectorBlock);
  loop(b.index(0), lines, 1, [&](OpFoldResult line) {
    NestPoint atLine = nest.advance(b, point, plan.blockDim, line);
    for (auto [number, source] : llvm::enumerate(sources))
      if (isTransposed(number))
        atLine.offset[number] = b.mul(line, source.strides[plan.blockDim]);
    emitVectors(atLine, {b.index(0), length}, length);
  });
}

/// The `points` of `extent` in a line.
void MapEmitter::emitVectors(const NestPoint &point, const Range &points,
                             OpFoldResult extent) {
  unsigned wide = plan.lanes * plan.vectors;
  auto advance = [&](OpFoldResult iv) {
    NestPoint next = nest.advance(b, point, plan.vectorDim, iv);
    for (unsigned number = 0; number < sources.size(); ++number)
      if (isTransposed(number))
        next.offset[number] = b.add(point.offset[number], iv);
    return next;
  };
  wholeRuns(
      points, extent, wide,
      [&](OpFoldResult iv) { emitBody(advance(iv), wide, nullptr); },
      [&](const Range &rest) {
        loop(rest.from, rest.to, plan.lanes, [&](OpFoldResult iv) {
          emitBody(advance(iv), plan.lanes,
                   tailMask(b.sub(extent, iv), plan.lanes));
        });
      });
}

/// Fetches the rows of points to come; of the last ones, the last row again. Of
/// each its first lines: with these the hardware has seen where it goes on.
void MapEmitter::emitFetches(const NestPoint &point) {
  constexpr int64_t mostLines = 16, manyLines = 8;
  for (auto op : nest.body().getOps<memref::LoadOp>()) {
    unsigned number = nest.loadNumbers.lookup(op);
    int64_t ahead = plan.fetchAhead[number];
    if (ahead == 0)
      continue;
    int64_t length = *b.known(nest.extents[plan.vectorDim]);
    int64_t line =
        bufferAlignment * 8 / *packedBits(op.getMemRefType().getElementType());
    OpFoldResult row = rowAt(op, point, ahead);
    OpBuilder::InsertionGuard guard(b);
    // Where indices are sorted, most rows are there already.
    if (length >= manyLines * line) {
      Value isOther =
          arith::CmpIOp::create(b, arith::CmpIPredicate::ne, b.value(row),
                                b.value(rowAt(op, point, ahead - 1)));
      auto ifOp = scf::IfOp::create(b, isOther, /*withElseRegion=*/false);
      b.setInsertionPointToStart(ifOp.thenBlock());
    }
    auto fetch = [&](int64_t element) {
      memref::PrefetchOp::create(
          b, nest.loads[number].flat, b.value(b.add(row, b.index(element))),
          /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
    };
    for (int64_t at = 0; at < std::min(length, mostLines * line); at += line)
      fetch(at);
    // A row of parts of lines may begin within one.
    if (length % line != 0 && length < mostLines * line)
      fetch(length - 1);
  }
}

/// Where the row begins that `op` reads `ahead` points after `point`.
OpFoldResult MapEmitter::rowAt(memref::LoadOp op, const NestPoint &point,
                               int64_t ahead) {
  unsigned along = plan.outer.back();
  OpFoldResult at = point.index[along];
  OpFoldResult to =
      b.min(b.add(at, b.index(ahead)), b.sub(nest.extents[along], b.index(1)));
  NestPoint there = nest.advance(b, point, along, b.sub(to, at));
  BodyEmitter body(b, nest.body(), /*lanes=*/1);
  auto argument = [&](unsigned number, Site) {
    return loadScalar(nest.operands[number], there.offset[number]);
  };
  auto index = [&](unsigned dim, Site) {
    int loop = nest.loopOf[dim];
    return loop < 0 ? b.value(0) : b.value(there.index[loop]);
  };
  body.setLoad([&](Operation *op, ValueRange indices) {
    return emitLoad(cast<memref::LoadOp>(op), indices, 1, nullptr);
  });
  const NestLoad &from = nest.loads[nest.loadNumbers.lookup(op)];
  OpFoldResult place = from.offset;
  for (auto [operand, stride] :
       llvm::zip_equal(op.getIndices(), from.strides)) {
    Value position = body.evaluate(operand, Site(), argument, index);
    place = b.add(place, b.mul(position, stride));
  }
  return place;
}

/// Reads at places that the body computes. Lanes behind the mask read nothing:
/// their places are any.
Value MapEmitter::emitLoad(memref::LoadOp op, ValueRange indices,
                           unsigned lanes, Value mask) {
  unsigned number = nest.loadNumbers.lookup(op);
  const NestLoad &from = nest.loads[number];
  Type element = op.getMemRefType().getElementType();
  NestOperand flat;
  flat.flat = from.flat;
  flat.elementType = element;
  bool isOne = llvm::none_of(indices.getTypes(), llvm::IsaPred<VectorType>);
  bool isRow = nest.problem.loads[number].strides[plan.vectorDim] == 1;
  OpFoldResult place = from.offset;
  Value places;
  for (auto [index, stride] : llvm::zip_equal(indices, from.strides)) {
    bool isVector = isa<VectorType>(index.getType());
    if (!isVector || isRow) {
      Value first =
          isVector ? Value(vector::ExtractOp::create(b, index, 0)) : index;
      place = b.add(place, b.mul(first, stride));
      continue;
    }
    Value step = broadcastTo(b, b.value(stride), lanes);
    Value one = arith::MulIOp::create(b, index, step);
    places = places ? arith::AddIOp::create(b, places, one) : one;
  }
  if (isOne)
    return loadScalar(flat, place);
  if (isRow)
    return load(flat, place, b.index(1), lanes, mask);
  if (!mask)
    mask = splat(b.getBoolAttr(true), lanes);
  Value rest = splat(cast<TypedAttr>(b.getZeroAttr(element)), lanes);
  return vector::GatherOp::create(b, VectorType::get({lanes}, element),
                                  from.flat, b.value(place), places, mask,
                                  rest);
}

void MapEmitter::emitBody(const NestPoint &point, unsigned lanes, Value mask) {
  BodyEmitter body(b, nest.body(), lanes);
  auto argument = [&](unsigned number, Site) {
    const NestOperand &operand = sources[number];
    return load(operand, point.offset[number], operand.strides[plan.vectorDim],
                lanes, mask);
  };
  auto index = [&](unsigned dim, Site) {
    return indexAt(point, dim, lanes, mask);
  };
  body.setLoad([&](Operation *op, ValueRange indices) {
    return emitLoad(cast<memref::LoadOp>(op), indices, lanes, mask);
  });
  SmallVector<Value> results;
  for (OutputBody &output : nest.outputs)
    results.push_back(
        body.evaluateVector(output.yielded, Site(), argument, index));
  storeOutputs(
      nest.operands, [&](unsigned output) { return results[output]; },
      [&](unsigned operand) { return point.offset[operand]; }, mask);
}

} // namespace

void emitMap(IndexBuilder &b, Nest &nest, const NestPlan &plan,
             const TargetInfo &target) {
  MapEmitter(b, nest, plan, target).emit();
}

} // namespace tapestry
