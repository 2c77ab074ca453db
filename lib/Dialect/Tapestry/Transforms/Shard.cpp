//===- Shard.cpp - A planned graph, shard by shard ------------------------===//
//
// Every vertex that can say a block of itself becomes one operation per block
// of its partition, on slices of its operands, and concatenations of what they
// compute; where a reduced label is cut, partial results are stacked and
// combined.
//
//===----------------------------------------------------------------------===//

#include "FreshNames.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Support/Sharding.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYSHARD
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// Emits the shards of one vertex and what puts their results together.
class ShardEmitter {
public:
  ShardEmitter(BlockOpInterface op, std::vector<std::vector<ZRange>> blocks,
               FreshNames &names)
      : op(op), sharded(cast<ShardInterface>(op.getOperation())),
        blocks(std::move(blocks)), names(names), b(op),
        tensors(op.getTensorOperands()), range(op.getIndexRank()) {
    Projection written = op.getResultProjections().front();
    for (const ProjectionDim &dim : written.dims)
      resultLabels.push_back(dim.terms[0].dim);
    for (auto [label, kind] : llvm::enumerate(op.getLabelKinds()))
      if (kind != LabelKind::Parallel)
        reducedLabels.push_back(label);
    for (unsigned operand = 0; operand < tensors.size(); ++operand)
      projections.push_back(sharded.getSubscripts(operand));
  }

  Value emit() { return emitCells(/*dim=*/0); }

  int64_t numShards = 0;

private:
  Value emitCells(unsigned dim);
  Value emitReduced();
  void emitPartial(unsigned next, SmallVectorImpl<Value> &partial);
  Value emitShard();
  Value emitSlice(Value tensor, ZBox box, const Twine &name);
  Type elementType(bool isPartial) {
    if (isPartial)
      return getElementTypeOrSelf(op.getMonoidIdentity(/*result=*/0));
    return cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
  }
  bool isCut(ArrayRef<unsigned> labels) {
    return llvm::any_of(
        labels, [&](unsigned label) { return blocks[label].size() > 1; });
  }
  /// What is made last has the vertex' name.
  std::string nameOf(bool isLast, StringRef what) {
    std::string name = op.getVertexName().str();
    return isLast ? name : names.next(name + "." + what);
  }

  BlockOpInterface op;
  ShardInterface sharded;
  std::vector<std::vector<ZRange>> blocks;
  FreshNames &names;
  OpBuilder b;
  SmallVector<Value> tensors;
  std::vector<Projection> projections;
  SmallVector<unsigned> resultLabels, reducedLabels;
  /// The block that is emitted, as far as it has been chosen.
  ZBox range;
  /// The slices that there are: of a tensor, of these cells.
  std::vector<std::tuple<Value, ZBox, Value>> slices;
};

} // namespace

/// The cells that the blocks of the result's dimensions up to `dim` leave.
Value ShardEmitter::emitCells(unsigned dim) {
  if (dim == resultLabels.size())
    return emitReduced();
  unsigned label = resultLabels[dim];
  SmallVector<Value> parts;
  for (const ZRange &block : blocks[label]) {
    range[label] = block;
    parts.push_back(emitCells(dim + 1));
  }
  if (parts.size() == 1)
    return parts.front();
  bool isLast = !isCut(ArrayRef(resultLabels).take_front(dim));
  return ConcatOp::create(b, op.getLoc(), nameOf(isLast, "concat"), parts, dim);
}

Value ShardEmitter::emitReduced() {
  SmallVector<Value> partial;
  emitPartial(/*next=*/0, partial);
  if (!isCut(reducedLabels))
    return partial.front();
  for (Value &part : partial)
    part = UnsqueezeOp::create(b, op.getLoc(), nameOf(false, "row"), part, 0);
  Value stack =
      ConcatOp::create(b, op.getLoc(), nameOf(false, "stack"), partial, 0);
  return sharded
      .createReduction(b, nameOf(!isCut(resultLabels), "total"), stack,
                       elementType(/*isPartial=*/false))
      ->getResult(0);
}

/// The shards of all blocks of the reduced labels from number `next` on.
void ShardEmitter::emitPartial(unsigned next, SmallVectorImpl<Value> &partial) {
  if (next == reducedLabels.size()) {
    partial.push_back(emitShard());
    return;
  }
  for (const ZRange &block : blocks[reducedLabels[next]]) {
    range[reducedLabels[next]] = block;
    emitPartial(next + 1, partial);
  }
}

Value ShardEmitter::emitShard() {
  std::string name = names.next(op.getVertexName() + "." + Twine(++numShards));
  SmallVector<Value> operands;
  SmallVector<Projection> reads;
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    ShardRead read =
        readOfShard(projections[number], range,
                    cast<RankedTensorType>(tensor.getType()).getShape());
    operands.push_back(
        emitSlice(tensor, std::move(read.slice), name + "." + Twine(number)));
    reads.push_back(std::move(read.projection));
  }
  ShardedBlock block;
  block.name = name;
  block.range = range;
  // A shard is cut into shards of what it is one of.
  if (std::optional<ZBox> outer = sharded.getShardRange())
    for (auto [inner, around] : llvm::zip_equal(block.range, *outer))
      inner = {around.lo + inner.lo, around.lo + inner.hi};
  block.operands = operands;
  block.projections = reads;
  block.elementType = elementType(isCut(reducedLabels));
  return sharded.createBlock(b, block)->getResult(0);
}

Value ShardEmitter::emitSlice(Value tensor, ZBox box, const Twine &name) {
  if (box == boxOfShape(cast<RankedTensorType>(tensor.getType()).getShape()))
    return tensor;
  for (auto &[of, cells, slice] : slices)
    if (of == tensor && cells == box)
      return slice;
  Value slice = SliceOp::create(b, op.getLoc(), names.next(name), tensor, box);
  slices.emplace_back(tensor, std::move(box), slice);
  return slice;
}

namespace {
struct TapestryShard : teg::impl::TapestryShardBase<TapestryShard> {
  using TapestryShardBase::TapestryShardBase;

  void runOnOperation() override {
    GraphOp graph = getOperation();
    index::GridAttr grid = graph.getGridAttr();
    if (!grid) {
      graph.emitError("'") << graph.getSymName()
                           << "' has no grid of devices: plan the graph first";
      return signalPassFailure();
    }
    const DeviceGrid &devices = grid.getDeviceGrid();
    SmallVector<BlockOpInterface> vertices;
    graph.walk([&](BlockOpInterface op) { vertices.push_back(op); });
    FreshNames names(graph);
    for (BlockOpInterface op : vertices)
      if (isa<ShardInterface>(op.getOperation()) &&
          !(keepsLoops && op->getParentOp() != graph) &&
          failed(shard(op, devices, names)))
        return signalPassFailure();
    forgetPlan(graph);
  }

private:
  LogicalResult shard(BlockOpInterface op, const DeviceGrid &devices,
                      FreshNames &names);
  void forgetPlan(GraphOp graph);
};
} // namespace

LogicalResult TapestryShard::shard(BlockOpInterface op,
                                   const DeviceGrid &devices,
                                   FreshNames &names) {
  FailureOr<std::optional<Partition>> partition = op.getPartitionOn(devices);
  if (failed(partition))
    return failure();
  SmallVector<int64_t> extents = op.getLabelExtents();
  if (!*partition || llvm::is_contained(extents, 0))
    return success();
  auto blocks = blocksOf(devices, extents, **partition);
  if (llvm::all_of(blocks, [](const auto &cut) { return cut.size() == 1; }))
    return success();
  ShardEmitter emitter(op, std::move(blocks), names);
  Value result = emitter.emit();
  numShards += emitter.numShards;
  ++numCut;
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
  return success();
}

/// The plan has become operations; the new graph has none.
void TapestryShard::forgetPlan(GraphOp graph) {
  graph.removeGridAttr();
  graph.walk([](BlockOpInterface op) {
    for (StringRef name : {"partition", "home", "home_route", "operand_routes"})
      if (op->getInherentAttr(name))
        op->removeAttr(name);
  });
}
