//===- ShardingProof.cpp - Whether a graph is a sharding of another -------===//
//
// Every tensor of the sharded graph is a view of tensors of the whole one:
// selectors are looked through, a shard's result is the block of the result
// that its range says once it is shown to read what the whole reads there.
// Then every vertex has to be computed by its shards exactly once.
//
//===----------------------------------------------------------------------===//

#include "ShardingProof.h"
#include "GraphViews.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

class ShardingProof {
public:
  LogicalResult prove(Block &whole, Block &sharded);

  int64_t numShards = 0;

private:
  LogicalResult see(Operation &op);
  LogicalResult seeSource(GraphNodeInterface source);
  LogicalResult seeSink(GraphNodeInterface sink);
  LogicalResult seeReduction(ShardInterface op, PartialBlock block);
  LogicalResult seeShard(BlockOpInterface op);
  void setBlock(Value tensor, PartialBlock block);
  LogicalResult seeOther(BlockOpInterface op);
  LogicalResult seeLoop(GraphLoopInterface loop);
  bool areEqual(Operation *a, Operation *b);
  void addVertex(Operation *op);
  LogicalResult proveCoverage();
  LogicalResult expectTensor(Operation *op, const Twine &what, Value expected,
                             Value got);

  OperandRead readOf(BlockOpInterface op, unsigned operand) {
    return {cast<ShardInterface>(op.getOperation()).getSubscripts(operand),
            views.of(op.getTensorOperands()[operand])};
  }
  /// The first operand that a shard reads otherwise than `whole`.
  std::optional<std::pair<unsigned, ReadFault>>
  findFault(BlockOpInterface whole, BlockOpInterface shard, const ZBox &range);
  InFlightDiagnostic reportRead(BlockOpInterface whole, BlockOpInterface shard,
                                unsigned operand, const ReadFault &fault);
  std::string nameOf(const std::optional<ViewCell> &cell);

  /// Of both graphs; numbers are those of tensors of the whole one, and of
  /// partial results.
  GraphViews views;
  /// The vertices of the current block of the whole graph, in order, with the
  /// ranges of their shards.
  struct Computed {
    std::vector<ZBox> ranges;
    /// How many vertices are equal, of which this is the first: any shard may
    /// be of any.
    unsigned times = 1;
  };
  llvm::MapVector<Operation *, Computed> vertices;
  llvm::StringMap<GraphNodeInterface> sources, sinks;
  SmallVector<GraphLoopInterface> loops;
  unsigned numLoops = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string pointText(llvm::ArrayRef<int64_t> point) {
  std::string text = "(";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(point, os);
  return text + ")";
}

static std::string tensorName(Value tensor) {
  auto op = tensor.getDefiningOp<BlockOpInterface>();
  return op ? "'" + op.getResultName(cast<OpResult>(tensor).getResultNumber()) +
                  "'"
            : "what the loop carries";
}

std::string ShardingProof::nameOf(const std::optional<ViewCell> &cell) {
  if (!cell)
    return "beside the operand";
  if (const PartialBlock *block = views.partialBlock(cell->tensor))
    return "a partial value of " + tensorName(block->whole->getResult(0));
  return "cell " + pointText(cell->place) + " of " +
         tensorName(views.tensor(cell->tensor));
}

InFlightDiagnostic ShardingProof::reportRead(BlockOpInterface whole,
                                             BlockOpInterface shard,
                                             unsigned operand,
                                             const ReadFault &fault) {
  InFlightDiagnostic diagnostic =
      shard.emitError("'") << shard.getVertexName() << "' is no shard of '"
                           << whole.getVertexName() << "': ";
  if (fault.isFound)
    diagnostic << "at index point " << pointText(fault.point) << " operand "
               << operand << " reads " << nameOf(fault.got) << ", expected "
               << nameOf(fault.expected);
  else
    diagnostic << "what it reads of operand " << operand
               << " cannot be compared";
  return diagnostic;
}

LogicalResult ShardingProof::expectTensor(Operation *op, const Twine &what,
                                          Value expected, Value got) {
  const TensorView wanted = views.of(expected);
  const TensorView &view = views.of(got);
  if (wanted.shape != view.shape)
    return op->emitError() << what << " is of type " << got.getType()
                           << ", expected " << expected.getType();
  std::optional<llvm::SmallVector<int64_t>> cell = findDifference(wanted, view);
  if (!cell)
    return success();
  return op->emitError() << what << " has at " << pointText(*cell) << " "
                         << nameOf(view.at(*cell)) << ", expected "
                         << nameOf(wanted.at(*cell));
}

//===----------------------------------------------------------------------===//
// Operations of the sharded graph
//===----------------------------------------------------------------------===//

LogicalResult ShardingProof::seeSource(GraphNodeInterface source) {
  GraphNodeInterface whole = sources.lookup(source.getTensorName());
  if (!whole ||
      whole.getNodeTensor().getType() != source.getNodeTensor().getType())
    return source.emitError("'")
           << source.getTensorName() << "' is no source of the whole graph of "
           << "type " << source.getNodeTensor().getType();
  views.set(source.getNodeTensor(), views.of(whole.getNodeTensor()));
  return success();
}

LogicalResult ShardingProof::seeSink(GraphNodeInterface sink) {
  auto known = sinks.find(sink.getTensorName());
  if (known == sinks.end())
    return sink.emitError("'")
           << sink.getTensorName() << "' is no sink of the whole graph";
  GraphNodeInterface whole = known->second;
  sinks.erase(known);
  return expectTensor(sink, "sink '" + sink.getTensorName() + "'",
                      whole.getNodeTensor(), sink.getNodeTensor());
}

/// Says that a tensor is a block of a vertex' result, or partial values of it.
void ShardingProof::setBlock(Value tensor, PartialBlock block) {
  auto whole = cast<BlockOpInterface>(block.whole);
  Value all = whole->getResult(0);
  if (isComplete(whole, block.range) &&
      getElementTypeOrSelf(tensor) == getElementTypeOrSelf(all)) {
    unsigned number = *views.of(all).asTensor();
    return views.set(tensor, viewOfBlock(whole, block.range, number));
  }
  unsigned number = views.addTensor(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  views.setPartial(number, std::move(block));
  views.set(tensor, TensorView::of(number, type.getShape()));
}

LogicalResult ShardingProof::seeReduction(ShardInterface op,
                                          PartialBlock block) {
  auto whole = cast<BlockOpInterface>(block.whole);
  auto vertex = cast<BlockOpInterface>(op.getOperation());
  if (!op.combinesAs(whole))
    return op.emitError("'")
           << vertex.getVertexName() << "' combines partial values of '"
           << whole.getVertexName() << "' by another monoid";
  setBlock(op->getResult(0), std::move(block));
  return success();
}

std::optional<std::pair<unsigned, ReadFault>>
ShardingProof::findFault(BlockOpInterface whole, BlockOpInterface shard,
                         const ZBox &range) {
  unsigned operands = whole.getTensorOperands().size();
  for (unsigned operand = 0; operand < operands; ++operand)
    if (auto fault = findReadFault(readOf(whole, operand),
                                   readOf(shard, operand), range))
      return std::pair(operand, std::move(*fault));
  return std::nullopt;
}

static bool overlap(const ZBox &a, const ZBox &b) {
  return llvm::all_of(llvm::zip_equal(a, b), [](const auto &ranges) {
    const auto &[x, y] = ranges;
    return x.lo < y.hi && y.lo < x.hi;
  });
}

/// The block of a vertex that an operation says to compute; points count from
/// where the vertex, which may be a shard itself, starts.
static ZBox rangeIn(ShardInterface whole, BlockOpInterface op) {
  std::optional<ZBox> said =
      cast<ShardInterface>(op.getOperation()).getShardRange();
  std::optional<ZBox> of = whole.getShardRange();
  ZBox range = said ? *said : op.getIndexSpace();
  if (said && of)
    for (auto [own, all] : llvm::zip_equal(range, *of))
      own = {own.lo - all.lo, own.hi - all.lo};
  return range;
}

LogicalResult ShardingProof::seeShard(BlockOpInterface op) {
  auto sharded = cast<ShardInterface>(op.getOperation());
  if (Value stack = sharded.getReducedStack())
    if (auto block = views.combined(views.of(stack)))
      return seeReduction(sharded, std::move(*block));
  BlockOpInterface likely, body;
  std::optional<PartialBlock> chosen;
  std::optional<std::pair<unsigned, ReadFault>> fault;
  for (auto &[vertex, computed] : vertices) {
    auto whole = cast<BlockOpInterface>(vertex);
    if (!isa<ShardInterface>(vertex))
      continue;
    if (!sharded.computesAs(vertex)) {
      if (whole.getLabelKinds() == op.getLabelKinds() && !body)
        body = whole;
      continue;
    }
    // Without a range labels count from 0.
    auto all = cast<ShardInterface>(vertex);
    if (all.getShardRange() && !sharded.getShardRange())
      continue;
    ZBox range = rangeIn(all, op);
    // Complete values that are not rounded alike are another's.
    if (!contains(whole.getIndexSpace(), range) ||
        (isComplete(whole, range) &&
         getElementTypeOrSelf(op->getResult(0)) !=
             getElementTypeOrSelf(vertex->getResult(0))))
      continue;
    auto found = findFault(whole, op, range);
    if (found) {
      // The one of which the most is right explains best.
      if (!fault || found->second.point > fault->second.point) {
        likely = whole;
        fault = std::move(found);
      }
      continue;
    }
    // It may be of several that read the same there: rather of one that
    // nobody has computed so far.
    bool isOpen = llvm::count_if(computed.ranges, [&](const ZBox &other) {
                    return overlap(other, range);
                  }) < computed.times;
    if (!chosen || isOpen)
      chosen = PartialBlock{vertex, range};
    if (isOpen)
      break;
  }
  if (chosen) {
    ++numShards;
    vertices[chosen->whole].ranges.push_back(chosen->range);
    setBlock(op->getResult(0), std::move(*chosen));
    return success();
  }
  if (likely)
    return reportRead(likely, op, fault->first, fault->second);
  std::optional<ZBox> said = sharded.getShardRange();
  InFlightDiagnostic diagnostic =
      op.emitError("'") << op.getVertexName() << "' with the range "
                        << boxToString(said ? *said : op.getIndexSpace())
                        << " computes as no vertex of the whole graph";
  if (body)
    diagnostic.attachNote(body.getLoc())
        << "'" << body.getVertexName() << "' has another body";
  return diagnostic;
}

/// What an operation says, but for its name and plan.
static DictionaryAttr meaningOf(Operation *op) {
  NamedAttrList said(op->getAttrDictionary());
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    said.erase(attribute.getName());
  for (StringRef name : {"name", "partition", "home", "home_route",
                         "operand_routes", "homes", "routes"})
    said.erase(name);
  return said.getDictionary(op->getContext());
}

/// Whether two views of one shape have the same cells.
static bool areSame(const TensorView &a, const TensorView &b) {
  return a.shape == b.shape && !findDifference(a, b);
}

/// Whether two vertices compute the same of equal operands.
bool ShardingProof::areEqual(Operation *a, Operation *b) {
  auto first = dyn_cast<ShardInterface>(a),
       second = dyn_cast<ShardInterface>(b);
  if (first && second) {
    auto x = cast<BlockOpInterface>(a), y = cast<BlockOpInterface>(b);
    if (a->getResultTypes() != b->getResultTypes() || !first.computesAs(b) ||
        x.getLabelExtents() != y.getLabelExtents() ||
        first.getShardRange() != second.getShardRange())
      return false;
    for (unsigned k = 0; k < x.getTensorOperands().size(); ++k) {
      OperandRead one = readOf(x, k), other = readOf(y, k);
      if (one.projection != other.projection ||
          !areSame(one.operand, other.operand))
        return false;
    }
    return true;
  }
  if (a->getName() != b->getName() ||
      a->getResultTypes() != b->getResultTypes() ||
      a->getNumOperands() != b->getNumOperands() ||
      meaningOf(a) != meaningOf(b) ||
      !llvm::all_of(llvm::zip_equal(a->getRegions(), b->getRegions()),
                    [](auto pair) {
                      return OperationEquivalence::isRegionEquivalentTo(
                          &std::get<0>(pair), &std::get<1>(pair),
                          OperationEquivalence::IgnoreLocations);
                    }))
    return false;
  return llvm::all_of(llvm::zip_equal(a->getOperands(), b->getOperands()),
                      [&](auto pair) {
                        auto [x, y] = pair;
                        if (!isa<RankedTensorType>(x.getType()) || x == y)
                          return x.getType() == y.getType();
                        TensorView wanted = views.of(x);
                        return areSame(wanted, views.of(y));
                      });
}

LogicalResult ShardingProof::seeOther(BlockOpInterface op) {
  for (auto &[vertex, computed] : vertices) {
    if (!areEqual(vertex, op))
      continue;
    computed.ranges.push_back(op.getIndexSpace());
    for (auto [mine, its] :
         llvm::zip_equal(op->getResults(), vertex->getResults()))
      views.set(mine, views.of(its));
    return success();
  }
  return op.emitError("'")
         << op.getVertexName()
         << "' has no shards, and the whole graph has no equal vertex of equal "
            "operands";
}

LogicalResult ShardingProof::seeLoop(GraphLoopInterface loop) {
  if (numLoops == loops.size())
    return loop.emitError("'")
           << loop.getLoopName() << "': the whole graph has only "
           << loops.size() << " loops";
  GraphLoopInterface whole = loops[numLoops++];
  if (whole.getMostPasses() != loop.getMostPasses() ||
      whole->getNumOperands() != loop->getNumOperands() ||
      static_cast<bool>(whole.getStop()) != static_cast<bool>(loop.getStop()))
    return loop.emitError("'")
           << loop.getLoopName() << "' differs from '" << whole.getLoopName()
           << "' of the whole graph in its passes or in what it carries";
  Block &body = loop.getLoopBody(), &other = whole.getLoopBody();
  for (auto [number, init] : llvm::enumerate(loop->getOperands())) {
    if (failed(expectTensor(loop, "operand " + Twine(number),
                            whole->getOperand(number), init)))
      return failure();
    views.set(body.getArgument(number), views.of(other.getArgument(number)));
    views.set(loop->getResult(number), views.of(whole->getResult(number)));
  }
  // Its vertices are proved by themselves, its tensors looked up here.
  ShardingProof inner;
  inner.views = std::move(views);
  LogicalResult proved = inner.prove(other, body);
  views = std::move(inner.views);
  numShards += inner.numShards;
  if (failed(proved))
    return failure();
  for (auto [number, next] :
       llvm::enumerate(body.getTerminator()->getOperands()))
    if (failed(expectTensor(body.getTerminator(), "operand " + Twine(number),
                            other.getTerminator()->getOperand(number), next)))
      return failure();
  return success();
}

LogicalResult ShardingProof::see(Operation &op) {
  if (auto node = dyn_cast<GraphNodeInterface>(op)) {
    switch (node.getNodeKind()) {
    case GraphNodeKind::Source:
      return seeSource(node);
    case GraphNodeKind::Sink:
      return seeSink(node);
    case GraphNodeKind::Point:
      return success();
    }
  }
  if (auto loop = dyn_cast<GraphLoopInterface>(op))
    return seeLoop(loop);
  if (auto selector = dyn_cast<SelectorInterface>(op))
    if (selector.isTransparent())
      return success();
  if (isa<ShardInterface>(op))
    return seeShard(cast<BlockOpInterface>(op));
  if (auto vertex = dyn_cast<BlockOpInterface>(op))
    return seeOther(vertex);
  return op.emitError("is nothing that a sharding is proved of");
}

//===----------------------------------------------------------------------===//
// The proof
//===----------------------------------------------------------------------===//

/// Ranges of equal vertices, of each apart; what is too much is the last's.
static std::vector<std::vector<ZBox>> takeApart(ArrayRef<ZBox> ranges,
                                                unsigned times) {
  std::vector<std::vector<ZBox>> groups(times);
  for (const ZBox &range : ranges) {
    auto fits = llvm::find_if(groups, [&](const std::vector<ZBox> &group) {
      return llvm::none_of(
          group, [&](const ZBox &other) { return overlap(other, range); });
    });
    (fits == groups.end() ? groups.back() : *fits).push_back(range);
  }
  return groups;
}

LogicalResult ShardingProof::proveCoverage() {
  for (auto &[vertex, computed] : vertices) {
    auto whole = cast<BlockOpInterface>(vertex);
    // What nobody observes need not be computed.
    if (computed.ranges.empty() && vertex->use_empty())
      continue;
    std::vector<std::vector<ZBox>> groups = {computed.ranges};
    if (computed.times > 1)
      groups = takeApart(computed.ranges, computed.times);
    for (const std::vector<ZBox> &ranges : groups)
      if (auto fault = findCoverageFault(whole.getIndexSpace(), ranges))
        return whole.emitError("index point ")
               << pointText(fault->point) << " of '" << whole.getVertexName()
               << "' is computed " << fault->times
               << " times in the sharded graph, expected 1";
  }
  return success();
}

/// Adds a vertex of the whole graph. Of equal ones the results are, too.
void ShardingProof::addVertex(Operation *op) {
  for (auto &[vertex, computed] : vertices)
    if (areEqual(vertex, op)) {
      ++computed.times;
      for (auto [mine, its] :
           llvm::zip_equal(op->getResults(), vertex->getResults()))
        views.set(mine, views.of(its));
      return;
    }
  vertices.insert({op, Computed()});
}

LogicalResult ShardingProof::prove(Block &whole, Block &sharded) {
  for (Operation &op : whole) {
    if (auto node = dyn_cast<GraphNodeInterface>(op)) {
      if (node.getNodeKind() == GraphNodeKind::Source)
        sources[node.getTensorName()] = node;
      if (node.getNodeKind() == GraphNodeKind::Sink)
        sinks[node.getTensorName()] = node;
    } else if (auto loop = dyn_cast<GraphLoopInterface>(op)) {
      loops.push_back(loop);
    } else if (auto selector = dyn_cast<SelectorInterface>(op);
               isa<BlockOpInterface>(op) &&
               !(selector && selector.isTransparent())) {
      addVertex(&op);
    }
  }
  for (Operation &op : sharded)
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(see(op)))
      return failure();
  if (numLoops != loops.size())
    return loops[numLoops].emitError("'")
           << loops[numLoops].getLoopName()
           << "' has no loop in the sharded graph";
  for (Operation &op : whole)
    if (auto node = dyn_cast<GraphNodeInterface>(op))
      if (node.getNodeKind() == GraphNodeKind::Sink &&
          sinks.contains(node.getTensorName()))
        return node.emitError("sink '")
               << node.getTensorName() << "' is none of the sharded graph";
  return proveCoverage();
}

FailureOr<int64_t> teg::proveSharding(GraphOp whole, GraphOp sharded) {
  ShardingProof proof;
  if (failed(proof.prove(whole.getBody().front(), sharded.getBody().front())))
    return failure();
  return proof.numShards;
}
