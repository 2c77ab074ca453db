//===- JoinNodes.cpp - Sources and sinks from their shards ----------------===//

#include "FreshNames.h"
#include "tapestry/Dialect/Tapestry/IR/TapestrySelectors.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYJOINNODES
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

static GraphNodeInterface nodeOf(ShardOp shard) {
  return dyn_cast<GraphNodeInterface>(shard.getWholeOp().getOperation());
}

/// "input 'X'"
static std::string describe(GraphNodeInterface node) {
  return (isGraphSource(node) ? "input '" : "output '") +
         node.getTensorName().str() + "'";
}

/// That shards of one name are of one source, or of one sink.
static LogicalResult verifyAlike(ArrayRef<ShardOp> shards) {
  ShardOp known = shards.front();
  GraphNodeInterface first = nodeOf(known);
  Computation wanted(known);
  for (ShardOp shard : shards.drop_front()) {
    if (Computation(shard).isOf(wanted))
      continue;
    GraphNodeInterface node = nodeOf(shard);
    Type type = node.getNodeTensor().getType();
    Type other = first.getNodeTensor().getType();
    InFlightDiagnostic diagnostic = shard.emitError("a shard of ")
                                    << describe(node);
    if (type != other)
      diagnostic << " is of " << type << ", another of " << other;
    else
      diagnostic << " says of it otherwise than another where it lies";
    diagnostic.attachNote(known.getLoc()) << "the other is here";
    return diagnostic;
  }
  return success();
}

/// That the shards of a sink hand every cell out once.
static LogicalResult verifyCoverage(ArrayRef<ShardOp> shards) {
  std::vector<ZBox> ranges;
  for (ShardOp shard : shards)
    ranges.push_back(shard.getBox());
  ShardOp last = shards.back();
  auto fault = findCoverageFault(last.getWholeOp().getIndexSpace(), ranges);
  if (!fault)
    return success();
  InFlightDiagnostic diagnostic = last.emitError("cell (");
  llvm::interleaveComma(fault->point, diagnostic);
  return diagnostic << ") of " << describe(nodeOf(last)) << " is handed out "
                    << fault->times << " times, expected 1";
}

namespace {
/// Puts the parts of a sink's tensor together, which are boxes of any kind.
class PartJoiner {
public:
  PartJoiner(OpBuilder &b, FreshNames &names, ArrayRef<ShardOp> shards);
  /// The cells of `box`, of which dimensions before `dim` lie between
  /// neighbouring ends of parts.
  Value join(ZBox box, unsigned dim);

private:
  Value take(const ZBox &box);

  OpBuilder &b;
  FreshNames &names;
  ArrayRef<ShardOp> shards;
  std::string name;
  /// Per dimension where parts begin and end, ascending.
  SmallVector<SmallVector<int64_t>> ends;
};
} // namespace

PartJoiner::PartJoiner(OpBuilder &b, FreshNames &names,
                       ArrayRef<ShardOp> shards)
    : b(b), names(names), shards(shards),
      name(nodeOf(shards.front()).getTensorName().str()),
      ends(ShardOp(shards.front()).getBox().size()) {
  for (ShardOp shard : shards)
    for (auto [dim, range] : llvm::enumerate(shard.getBox()))
      ends[dim].append({range.lo, range.hi});
  for (SmallVector<int64_t> &all : ends) {
    llvm::sort(all);
    all.erase(llvm::unique(all), all.end());
  }
}

Value PartJoiner::take(const ZBox &box) {
  for (ShardOp shard : shards) {
    ZBox part = shard.getBox();
    if (!contains(part, box))
      continue;
    Value tensor = shard.getInputs().front();
    if (part == box)
      return tensor;
    ZBox own = box;
    for (auto [range, all] : llvm::zip_equal(own, part))
      range = {range.lo - all.lo, range.hi - all.lo};
    return SliceOp::create(b, shard.getLoc(), names.next(name + ".part"),
                           tensor, own);
  }
  llvm_unreachable("the parts cover the tensor");
}

Value PartJoiner::join(ZBox box, unsigned dim) {
  // What one part has needs no cut.
  if (dim == box.size() || llvm::any_of(shards, [&](ShardOp shard) {
        return contains(shard.getBox(), box);
      }))
    return take(box);
  SmallVector<Value> parts;
  for (size_t number = 0; number + 1 < ends[dim].size(); ++number) {
    box[dim] = {ends[dim][number], ends[dim][number + 1]};
    parts.push_back(join(box, dim + 1));
  }
  if (parts.size() == 1)
    return parts.front();
  return ConcatOp::create(b, ShardOp(shards.front()).getLoc(),
                          names.next(name + ".parts"), parts, dim);
}

static void joinSource(ArrayRef<ShardOp> shards) {
  ShardOp first = shards.front();
  OpBuilder b(first);
  Operation *whole = b.clone(*first.getWholeOp());
  for (ShardOp shard : shards) {
    Value tensor = whole->getResult(0);
    b.setInsertionPoint(shard);
    if (tensor.getType() != shard.getResult(0).getType())
      tensor = SliceOp::create(b, shard.getLoc(), shard.getName(), tensor,
                               shard.getBox());
    shard.getResult(0).replaceAllUsesWith(tensor);
    shard.erase();
  }
}

static void joinSink(ArrayRef<ShardOp> shards, FreshNames &names) {
  // Behind all that is handed out.
  ShardOp last = shards.back();
  OpBuilder b(last);
  BlockOpInterface whole = last.getWholeOp();
  Value tensor = PartJoiner(b, names, shards).join(whole.getIndexSpace(), 0);
  b.clone(*whole)->setOperand(0, tensor);
  for (ShardOp shard : shards)
    shard.erase();
}

namespace {
struct TapestryJoinNodes : teg::impl::TapestryJoinNodesBase<TapestryJoinNodes> {
  void runOnOperation() override {
    llvm::MapVector<std::pair<int, StringRef>, SmallVector<ShardOp>> groups;
    GraphOp graph = getOperation();
    for (auto shard : graph.getOps<ShardOp>())
      if (GraphNodeInterface node = nodeOf(shard))
        groups[{isGraphSource(node), node.getTensorName()}].push_back(shard);
    if (groups.empty())
      return markAllAnalysesPreserved();
    for (auto node : graph.getOps<GraphNodeInterface>()) {
      auto *group = groups.find({isGraphSource(node), node.getTensorName()});
      if (node.getNodeKind() == GraphNodeKind::Point || group == groups.end())
        continue;
      node.emitError() << describe(node)
                       << " is whole here, but has shards, too";
      return signalPassFailure();
    }
    FreshNames names(graph);
    for (auto &[key, shards] : groups) {
      if (failed(verifyAlike(shards)) ||
          (!key.first && failed(verifyCoverage(shards))))
        return signalPassFailure();
      numShards += shards.size();
      if (key.first)
        joinSource(shards);
      else
        joinSink(shards, names);
    }
  }
};
} // namespace
