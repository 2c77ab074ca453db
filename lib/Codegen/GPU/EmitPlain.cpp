//===- EmitPlain.cpp - Operations on buffers as they are ------------------===//
//
// For subscripts that divide or wrap, and bodies that do more than compute
// numbers: a thread per point of the parallel loops, which folds what is
// reduced into memory.
//
//===----------------------------------------------------------------------===//

#include "LaunchEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tapestry {
namespace {

class PlainEmitter : public LaunchEmitter {
public:
  PlainEmitter(IndexBuilder &b, linalg::GenericOp op)
      : LaunchEmitter(b), op(op) {}

  LogicalResult emit();
  /// By `threads` threads of each block of a launch that there is.
  LogicalResult emitIn(gpu::LaunchOp made, int64_t threads);
  void emitPoint(ArrayRef<OpFoldResult> index);

private:
  LogicalResult readExtents();
  void readLoops();
  void emitFrom(OpFoldResult first, OpFoldResult step);
  void emitPoints(MutableArrayRef<OpFoldResult> index,
                  ArrayRef<unsigned> loops);
  IndexList placeOf(OpOperand &operand, ValueRange index);

  linalg::GenericOp op;
  SmallVector<OpFoldResult> extents;
  /// The parallel loops with their extents and the number of their points.
  SmallVector<unsigned> parallel, reduced;
  SmallVector<OpFoldResult> sizes;
  OpFoldResult points;
};

LogicalResult PlainEmitter::readExtents() {
  extents.assign(op.getNumLoops(), OpFoldResult());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    for (auto [at, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
        OpFoldResult &extent = extents[dim.getPosition()];
        if (!extent)
          extent = type.isDynamicDim(at)
                       ? OpFoldResult(memref::DimOp::create(b, operand.get(),
                                                            b.value(at))
                                          .getResult())
                       : b.index(type.getDimSize(at));
      }
  }
  if (llvm::all_of(extents, [](OpFoldResult e) { return bool(e); }))
    return success();
  return op.emitError("has a loop whose extent no operand of it has");
}

PlainEmitter::IndexList PlainEmitter::placeOf(OpOperand &operand,
                                              ValueRange index) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  IndexList place;
  for (unsigned at = 0; at < map.getNumResults(); ++at)
    place.push_back(
        affine::AffineApplyOp::create(b, map.getSubMap({at}), index));
  return place;
}

void PlainEmitter::emitPoint(ArrayRef<OpFoldResult> at) {
  IndexList index;
  for (OpFoldResult place : at)
    index.push_back(b.value(place));
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands()) {
    Value argument = op.getMatchingBlockArgument(&operand);
    if (!isa<MemRefType>(operand.get().getType()))
      mapping.map(argument, operand.get());
    else if (!argument.use_empty())
      mapping.map(argument, Value(memref::LoadOp::create(
                                b, operand.get(), placeOf(operand, index))));
  }
  for (Operation &inner : op.getBody()->without_terminator())
    if (auto number = dyn_cast<linalg::IndexOp>(inner))
      mapping.map(number.getResult(), index[number.getDim()]);
    else
      b.clone(inner, mapping);
  for (auto [number, value] :
       llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
    OpOperand &output = op.getDpsInitsMutable()[number];
    memref::StoreOp::create(b, mapping.lookupOrDefault(value), output.get(),
                            placeOf(output, index));
  }
}

void PlainEmitter::emitPoints(MutableArrayRef<OpFoldResult> index,
                              ArrayRef<unsigned> loops) {
  if (loops.empty())
    return emitPoint(index);
  loop(b.index(0), extents[loops.front()], b.index(1), [&](OpFoldResult iv) {
    index[loops.front()] = iv;
    emitPoints(index, loops.drop_front());
  });
}

void PlainEmitter::readLoops() {
  points = b.index(1);
  for (auto [number, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel) {
      parallel.push_back(number);
      sizes.push_back(extents[number]);
      points = b.mul(points, extents[number]);
    } else {
      reduced.push_back(number);
    }
}

void PlainEmitter::emitFrom(OpFoldResult first, OpFoldResult step) {
  loop(first, points, step, [&](OpFoldResult number) {
    SmallVector<OpFoldResult> index(extents.size(), b.index(0));
    for (auto [loop, place] :
         llvm::zip_equal(parallel, takeApart(number, sizes)))
      index[loop] = place;
    emitPoints(index, reduced);
  });
}

LogicalResult PlainEmitter::emit() {
  if (failed(readExtents()))
    return failure();
  readLoops();
  auto [own, step] = beginGrid(points);
  emitFrom(own, step);
  end();
  return success();
}

LogicalResult PlainEmitter::emitIn(gpu::LaunchOp made, int64_t threads) {
  if (failed(readExtents()))
    return failure();
  readLoops();
  emitFrom(made.getThreadIds().x, b.index(threads));
  return success();
}

} // namespace

LogicalResult emitPlain(IndexBuilder &b, linalg::GenericOp op) {
  return PlainEmitter(b, op).emit();
}

void emitPlainAt(IndexBuilder &b, linalg::GenericOp op,
                 ArrayRef<OpFoldResult> index) {
  PlainEmitter(b, op).emitPoint(index);
}

LogicalResult emitPlainIn(IndexBuilder &b, linalg::GenericOp op,
                          gpu::LaunchOp launch, int64_t threads) {
  return PlainEmitter(b, op).emitIn(launch, threads);
}

} // namespace tapestry
