//===- EmitMap.cpp - Elementwise nests ------------------------------------===//
//
// Every point is computed once: parallel loops around one loop of vectors.
//
//===----------------------------------------------------------------------===//

#include "NestEmitter.h"

using namespace mlir;

namespace tapestry {
namespace {

class MapEmitter : public NestEmitter {
public:
  using NestEmitter::NestEmitter;
  void emit();

private:
  void emitBlocks(const NestPoint &point);
  void emitVectors(const NestPoint &point, OpFoldResult extent);
  void emitBody(const NestPoint &point, unsigned lanes, Value mask);
};

void MapEmitter::emit() {
  if (plan.blockDim < 0)
    return outerLoops(nest.origin(b), [&](const NestPoint &point) {
      emitVectors(point, nest.extents[plan.vectorDim]);
    });
  NestPlan around = plan;
  around.outer.pop_back();
  MapEmitter(b, nest, around, target)
      .outerLoops(nest.origin(b),
                  [&](const NestPoint &point) { emitBlocks(point); });
}

/// Blocks of the last outer loop around blocks of vectors.
void MapEmitter::emitBlocks(const NestPoint &point) {
  unsigned across = plan.blockDim;
  OpFoldResult lines = nest.extents[across];
  OpFoldResult length = nest.extents[plan.vectorDim];
  loop(b.index(0), lines, plan.blockSize, [&](OpFoldResult line) {
    NestPoint atLine = nest.advance(b, point, across, line);
    OpFoldResult numLines = b.min(b.sub(lines, line), b.index(plan.blockSize));
    loop(b.index(0), length, plan.vectorBlock, [&](OpFoldResult start) {
      NestPoint atBlock = nest.advance(b, atLine, plan.vectorDim, start);
      OpFoldResult size =
          b.min(b.sub(length, start), b.index(plan.vectorBlock));
      loop(b.index(0), numLines, 1, [&](OpFoldResult iv) {
        emitVectors(nest.advance(b, atBlock, across, iv), size);
      });
    });
  });
}

void MapEmitter::emitVectors(const NestPoint &point, OpFoldResult extent) {
  unsigned wide = plan.lanes * plan.vectors;
  OpFoldResult main = b.alignDown(extent, wide);
  loop(b.index(0), main, wide, [&](OpFoldResult iv) {
    emitBody(nest.advance(b, point, plan.vectorDim, iv), wide, nullptr);
  });
  loop(main, extent, plan.lanes, [&](OpFoldResult iv) {
    emitBody(nest.advance(b, point, plan.vectorDim, iv), plan.lanes,
             maskFor(b.sub(extent, iv), plan.lanes));
  });
}

void MapEmitter::emitBody(const NestPoint &point, unsigned lanes, Value mask) {
  BodyEmitter body(b, nest.body(), lanes);
  auto argument = [&](unsigned number, Site) {
    const NestOperand &operand = nest.operands[number];
    return load(operand, point.offset[number], operand.strides[plan.vectorDim],
                lanes, mask);
  };
  auto index = [&](unsigned dim, Site) {
    return indexAt(point, dim, lanes, mask);
  };
  SmallVector<Value> results;
  for (OutputBody &output : nest.outputs)
    results.push_back(
        body.evaluateVector(output.yielded, Site(), argument, index));
  for (auto [number, result] : llvm::enumerate(results)) {
    unsigned at = nest.numInputs() + number;
    store(result, nest.operands[at], point.offset[at],
          nest.operands[at].strides[plan.vectorDim], mask);
  }
}

} // namespace

void emitMap(IndexBuilder &b, Nest &nest, const NestPlan &plan,
             const TargetInfo &target) {
  MapEmitter(b, nest, plan, target).emit();
}

} // namespace tapestry
