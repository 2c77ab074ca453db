//===- Shard.cpp - A planned graph, shard by shard ------------------------===//
//
// Every vertex that has blocks becomes one shard per block of its partition, on
// slices of its operands, and concatenations of what they compute; where a
// label is cut that a result lacks, partial results are stacked and combined.
//
//===----------------------------------------------------------------------===//

#include "FreshNames.h"
#include "PartialResults.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "tapestry/Support/Sharding.h"
#include <map>

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYSHARD
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static RankedTensorType tensorType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

namespace {

/// Emits the shards of one vertex and what puts their results together.
class ShardEmitter {
public:
  ShardEmitter(BlockOpInterface op, std::vector<std::vector<ZRange>> blocks,
               FreshNames &names)
      : op(op), blocks(std::move(blocks)), names(names), b(op),
        tensors(op.getTensorOperands()), range(op.getIndexRank()) {}

  Value emit(unsigned result);
  /// The shards of what has no results.
  void emitAll(unsigned next = 0);

  int64_t numShards() const { return shards.size(); }

private:
  Value emitCells(unsigned dim);
  Value emitReduced();
  void emitPartial(unsigned next, SmallVectorImpl<Value> &partial);
  ShardOp emitShard();
  Value emitSlice(Value tensor, ZBox box, const Twine &name);
  bool isCut(ArrayRef<unsigned> labels) {
    return llvm::any_of(
        labels, [&](unsigned label) { return blocks[label].size() > 1; });
  }
  /// What is made last has the vertex' name.
  std::string nameOf(bool isLast, StringRef what) {
    return isLast ? op.getResultName(result)
                  : names.next(op.getResultName(result) + "." + what);
  }

  BlockOpInterface op;
  std::vector<std::vector<ZRange>> blocks;
  FreshNames &names;
  OpBuilder b;
  SmallVector<Value> tensors;
  /// The result that is put together; of its dimensions those that have labels
  /// with these, and the labels that it lacks.
  unsigned result = 0;
  SmallVector<std::pair<unsigned, unsigned>> writtenLabels;
  SmallVector<unsigned> lackedLabels;
  /// The block that is emitted, as far as it has been chosen.
  ZBox range;
  /// The shards that there are, by the first points of their ranges: results
  /// share them.
  std::map<std::vector<int64_t>, ShardOp> shards;
  /// The slices that there are: of a tensor, of these cells.
  std::vector<std::tuple<Value, ZBox, Value>> slices;
};

} // namespace

Value ShardEmitter::emit(unsigned number) {
  result = number;
  writtenLabels.clear();
  lackedLabels.clear();
  llvm::SmallBitVector lacked(blocks.size(), true);
  Projection written = op.getResultProjections()[number];
  for (auto [dim, of] : llvm::enumerate(written.dims))
    if (!of.terms.empty()) {
      writtenLabels.emplace_back(dim, of.terms[0].dim);
      lacked.reset(of.terms[0].dim);
    }
  for (unsigned label : lacked.set_bits())
    lackedLabels.push_back(label);
  return emitCells(/*dim=*/0);
}

void ShardEmitter::emitAll(unsigned next) {
  if (next == blocks.size()) {
    emitShard();
    return;
  }
  for (const ZRange &block : blocks[next]) {
    range[next] = block;
    emitAll(next + 1);
  }
}

/// The cells that the blocks of the result's labels up to `next` leave.
Value ShardEmitter::emitCells(unsigned next) {
  if (next == writtenLabels.size())
    return emitReduced();
  auto [dim, label] = writtenLabels[next];
  SmallVector<Value> parts;
  for (const ZRange &block : blocks[label]) {
    range[label] = block;
    parts.push_back(emitCells(next + 1));
  }
  if (parts.size() == 1)
    return parts.front();
  bool isLast =
      llvm::none_of(ArrayRef(writtenLabels).take_front(next),
                    [&](auto earlier) { return isCut(earlier.second); });
  return ConcatOp::create(b, op.getLoc(), nameOf(isLast, "concat"), parts, dim);
}

Value ShardEmitter::emitReduced() {
  SmallVector<Value> partial;
  emitPartial(/*next=*/0, partial);
  if (!isCut(lackedLabels))
    return partial.front();
  for (Value &part : partial)
    part = UnsqueezeOp::create(b, op.getLoc(), nameOf(false, "row"), part, 0);
  Value stack =
      ConcatOp::create(b, op.getLoc(), nameOf(false, "stack"), partial, 0);
  bool isLast = llvm::none_of(
      writtenLabels, [&](auto written) { return isCut(written.second); });
  return createReduction(b, op, result, nameOf(isLast, "total"), stack,
                         tensorType(op->getResult(result)).getElementType())
      .getResult();
}

/// The shards of all blocks of the labels that the result lacks from number
/// `next` on.
void ShardEmitter::emitPartial(unsigned next, SmallVectorImpl<Value> &partial) {
  if (next == lackedLabels.size()) {
    partial.push_back(emitShard()->getResult(result));
    return;
  }
  for (const ZRange &block : blocks[lackedLabels[next]]) {
    range[lackedLabels[next]] = block;
    emitPartial(next + 1, partial);
  }
}

ShardOp ShardEmitter::emitShard() {
  std::vector<int64_t> first;
  for (const ZRange &label : range)
    first.push_back(label.lo);
  auto [known, isNew] = shards.try_emplace(std::move(first));
  ShardOp &shard = known->second;
  if (!isNew)
    return shard;
  // A sink may be called as the vertex is that it hands out.
  StringRef stem = isGraphSink(op) ? ".out." : ".";
  std::string name =
      names.next(op.getVertexName() + stem + Twine(shards.size()));
  SmallVector<Value> operands;
  for (auto [number, tensor] : llvm::enumerate(tensors))
    operands.push_back(emitSlice(tensor, getSliceOf(op, number, range),
                                 name + "." + Twine(number)));
  shard = ShardOp::create(b, op.getLoc(), name, op, range, operands);
  return shard;
}

Value ShardEmitter::emitSlice(Value tensor, ZBox box, const Twine &name) {
  if (box == boxOfShape(tensorType(tensor).getShape()))
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
    (void)forEachVertex(graph, [&](BlockOpInterface op) {
      vertices.push_back(op);
      return success();
    });
    FreshNames names(graph);
    // While it is known where what they hand out lies.
    if (cutsNodes)
      for (GraphNodeInterface sink :
           graphNodes(graph.getBody().front(), GraphNodeKind::Sink))
        cutSink(sink, devices, names);
    for (BlockOpInterface op : vertices)
      if ((cutsNodes || !isGraphSource(op)) &&
          !(keepsLoops && op->getParentOp() != graph) &&
          failed(shard(op, devices, names)))
        return signalPassFailure();
    // The plan has become operations; the new graph has none.
    graph.removeGridAttr();
    (void)forEachVertex(graph, [](BlockOpInterface op) {
      forgetPlan(op);
      return success();
    });
  }

private:
  LogicalResult shard(BlockOpInterface op, const DeviceGrid &devices,
                      FreshNames &names);
  void cutSink(GraphNodeInterface sink, const DeviceGrid &devices,
               FreshNames &names);
};
} // namespace

/// A sink hands out the parts of its tensor's home.
void TapestryShard::cutSink(GraphNodeInterface sink, const DeviceGrid &devices,
                            FreshNames &names) {
  auto made = dyn_cast<OpResult>(sink.getNodeTensor());
  auto maker = made ? dyn_cast<BlockOpInterface>(made.getOwner()) : nullptr;
  auto home =
      maker ? maker.getHomeLayout(made.getResultNumber()) : std::nullopt;
  auto op = cast<BlockOpInterface>(sink.getOperation());
  if (!home || !home->second.isPlain() || getShardedLabels(op).none())
    return;
  Partition partition;
  for (const LayoutDim &dim : home->second.dims)
    partition.cuts.emplace_back(dim.cut());
  auto blocks = blocksOf(devices, op.getLabelExtents(), partition);
  if (llvm::all_of(blocks, [](const auto &cut) { return cut.size() == 1; }) ||
      llvm::is_contained(op.getLabelExtents(), 0))
    return;
  ShardEmitter emitter(op, std::move(blocks), names);
  emitter.emitAll();
  numShards += emitter.numShards();
  ++numCut;
  op->erase();
}

LogicalResult TapestryShard::shard(BlockOpInterface op,
                                   const DeviceGrid &devices,
                                   FreshNames &names) {
  FailureOr<std::optional<Partition>> partition = op.getPartitionOn(devices);
  if (failed(partition))
    return failure();
  SmallVector<int64_t> extents = op.getLabelExtents();
  if (!*partition || llvm::is_contained(extents, 0))
    return success();
  llvm::SmallBitVector labels = getShardedLabels(op);
  labels.resize(extents.size());
  for (unsigned label = 0; label < extents.size(); ++label)
    if (!labels.test(label))
      (*partition)->cuts[label].clear();
  auto blocks = blocksOf(devices, extents, **partition);
  if (llvm::all_of(blocks, [](const auto &cut) { return cut.size() == 1; }))
    return success();
  // Shards are made of what has no plan.
  forgetPlan(op);
  ShardEmitter emitter(op, std::move(blocks), names);
  for (OpResult result : op->getResults()) {
    Value whole = emitter.emit(result.getResultNumber());
    result.replaceAllUsesWith(whole);
  }
  numShards += emitter.numShards();
  ++numCut;
  op->erase();
  return success();
}
