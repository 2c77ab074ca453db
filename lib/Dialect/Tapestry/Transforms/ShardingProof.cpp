//===- ShardingProof.cpp - Whether a graph is a sharding of another -------===//
//
// Every tensor of the sharded graph is a view of tensors of the whole one:
// selectors are looked through, a shard's result is the block of the result
// that its range says once it is shown to read what the whole reads there.
// Then every vertex has to be computed by its shards exactly once.
//
//===----------------------------------------------------------------------===//

#include "ShardingProof.h"
#include "EinsumViews.h"
#include "PartialResults.h"
#include "PlainVertex.h"
#include "ShardedOrder.h"
#include "VertexTable.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "tapestry/Support/Error.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {

/// What a shard is given that the whole does not read there.
struct Mismatch {
  unsigned operand = 0;
  /// A cell of the operand.
  llvm::SmallVector<int64_t> place;
  /// Nothing where it lies beside the operand.
  std::optional<ViewCell> expected, got;
  /// False where it is only not known that there is none.
  bool isFound = true;
};

class ShardingProof {
public:
  explicit ShardingProof(ShardedOrder &order) : order(order) {}

  LogicalResult prove(Block &whole, Block &sharded);

  int64_t numShards = 0;

private:
  LogicalResult see(Operation &op);
  LogicalResult seeSource(GraphNodeInterface source);
  LogicalResult seeSink(GraphNodeInterface sink);
  LogicalResult seeNodeShard(ShardOp shard, GraphNodeInterface node);
  std::optional<LogicalResult> seeCombination(BlockOpInterface op);
  LogicalResult seeVertex(BlockOpInterface op);
  LogicalResult reportNoVertex(BlockOpInterface op, StringRef noBlock);
  void setBlock(Value tensor, PartialBlock block);
  LogicalResult seeLoop(GraphLoopInterface loop);
  /// Whether an operation is a selector that is looked through.
  bool isSeenThrough(Operation *op) {
    return isa<SelectorInterface>(op) && !views.isOwn(op->getResult(0));
  }
  /// What is awaited is what it is without that; the order is proved apart.
  bool seeAwait(Operation *op) {
    auto await = dyn_cast<AwaitOp>(op);
    if (await)
      views.set(await.getResult(), TensorView(views.of(await.getInput())));
    return await != nullptr;
  }
  LogicalResult proveHandedOut(Operation *sink);
  LogicalResult expectTensor(Operation *op, const Twine &what, Value expected,
                             Value got);

  /// The first operand that is not what `range` of `whole` is given.
  std::optional<Mismatch> findMismatch(BlockOpInterface whole,
                                       BlockOpInterface op, const ZBox &range);
  LogicalResult reportMismatch(BlockOpInterface whole, BlockOpInterface op,
                               const Mismatch &fault);
  LogicalResult reportUnknown(BlockOpInterface op, BlockOpInterface left,
                              StringRef noBlock);
  LogicalResult reportStack(BlockOpInterface op, const CombinedStack &stack,
                            const StackFault &fault);
  /// Says of a sum that lacks points which is the first; nothing of any other
  /// cell.
  std::optional<LogicalResult>
  reportOpenSum(const std::optional<ViewCell> &cell);
  std::string nameOf(const std::optional<ViewCell> &cell);

  /// Of both graphs; numbers are those of tensors of the whole one, and of
  /// partial results.
  GraphViews views;
  /// Of the current block of the whole graph: what is not looked through.
  VertexTable table;
  llvm::StringMap<GraphNodeInterface> sources, sinks;
  /// Per sink of the whole graph the cells that are handed out.
  std::map<Operation *, std::vector<ZBox>> handedOut;
  PlainVertices plain;
  SmallVector<GraphLoopInterface> loops;
  unsigned numLoops = 0;
  /// Hears what each operation is a part of.
  ShardedOrder &order;
};

} // namespace

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

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
    return "a partial value of " +
           tensorName(block->whole->getResult(block->result)) + " over " +
           boxToString(block->range);
  return "cell " + pointText(cell->place) + " of " +
         tensorName(views.tensor(cell->tensor));
}

LogicalResult ShardingProof::reportMismatch(BlockOpInterface whole,
                                            BlockOpInterface op,
                                            const Mismatch &fault) {
  if (auto reported = reportOpenSum(fault.got))
    return *reported;
  InFlightDiagnostic diagnostic = op.emitError("'")
                                  << op.getVertexName()
                                  << (isa<ShardOp>(op.getOperation())
                                          ? "' is no shard of '"
                                          : "' is not '")
                                  << whole.getVertexName() << "': ";
  if (!fault.isFound)
    return diagnostic << "what it reads of operand " << fault.operand
                      << " cannot be compared";
  return diagnostic << "operand " << fault.operand << " has at "
                    << pointText(fault.place) << " " << nameOf(fault.got)
                    << ", expected " << nameOf(fault.expected);
}

LogicalResult ShardingProof::reportStack(BlockOpInterface op,
                                         const CombinedStack &stack,
                                         const StackFault &fault) {
  std::string whole = tensorName(fault.whole->getResult(fault.result));
  InFlightDiagnostic diagnostic = op.emitError("'")
                                  << op.getVertexName()
                                  << "' combines no block of " << whole << ": ";
  if (fault.times)
    return diagnostic << "at " << pointText(fault.cell) << " index point "
                      << pointText(fault.point) << " is combined "
                      << *fault.times << " times, expected 1";
  ArrayRef<int64_t> place(fault.cell);
  if (op.getTensorOperands().size() == 1)
    diagnostic << "the stack has at " << pointText(place);
  else
    diagnostic << "operand " << stack.operands[place.front()] << " has at "
               << pointText(place.drop_front());
  return diagnostic << " " << nameOf(stack.view.at(fault.cell))
                    << ", expected a partial value of " << whole
                    << " for the cells of the first row";
}

std::optional<LogicalResult>
ShardingProof::reportOpenSum(const std::optional<ViewCell> &cell) {
  const PartialBlock *block = cell ? views.partialBlock(cell->tensor) : nullptr;
  if (!block || block->blocks.empty())
    return std::nullopt;
  auto op = views.tensor(cell->tensor).getDefiningOp<BlockOpInterface>();
  auto uncovered = findSumFault(block->range, block->blocks);
  StackFault fault = {
      block->whole, block->result, {}, uncovered->point, uncovered->times};
  Projection written =
      cast<BlockOpInterface>(block->whole).getResultProjections()[fault.result];
  for (const ProjectionDim &dim : written.dims) {
    unsigned label = dim.terms.empty() ? 0 : dim.terms[0].dim;
    fault.cell.push_back(
        dim.terms.empty() ? 0 : fault.point[label] - block->range[label].lo);
  }
  return reportStack(op, {}, fault);
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
  if (auto reported = reportOpenSum(view.at(*cell)))
    return *reported;
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
  order.add(whole, {source});
  views.set(source.getNodeTensor(), views.of(whole.getNodeTensor()));
  return success();
}

LogicalResult ShardingProof::seeSink(GraphNodeInterface sink) {
  auto known = sinks.find(sink.getTensorName());
  if (known == sinks.end())
    return sink.emitError("'")
           << sink.getTensorName() << "' is no sink of the whole graph";
  GraphNodeInterface whole = known->second;
  order.add(whole, {sink});
  handedOut[whole].push_back(
      cast<BlockOpInterface>(whole.getOperation()).getIndexSpace());
  return expectTensor(sink, "sink '" + sink.getTensorName() + "'",
                      whole.getNodeTensor(), sink.getNodeTensor());
}

/// A part of a source is those cells of it; one of a sink hands out what the
/// whole does there.
LogicalResult ShardingProof::seeNodeShard(ShardOp shard,
                                          GraphNodeInterface node) {
  bool isSource = isGraphSource(node);
  GraphNodeInterface whole =
      (isSource ? sources : sinks).lookup(node.getTensorName());
  if (!whole || !table.computesAs(shard, whole))
    return shard.emitError("'")
           << shard.getName() << "' is of "
           << (isSource ? "source '" : "sink '") << node.getTensorName()
           << "' of type " << node.getNodeTensor().getType()
           << ", which is none of the whole graph";
  auto all = cast<BlockOpInterface>(whole.getOperation());
  auto op = cast<BlockOpInterface>(shard.getOperation());
  ++numShards;
  order.add(whole, {shard, shard.getBox()});
  if (isSource) {
    unsigned number = *views.of(whole.getNodeTensor()).asTensor();
    views.set(shard.getResult(0),
              viewOfBlock(all, /*result=*/0, shard.getBox(), number));
    return success();
  }
  handedOut[whole].push_back(shard.getBox());
  std::optional<Mismatch> fault = findMismatch(all, op, shard.getBox());
  return fault ? reportMismatch(all, op, *fault) : success();
}

/// Says that a tensor is a block of a vertex' result, or partial values of it.
void ShardingProof::setBlock(Value tensor, PartialBlock block) {
  auto whole = cast<BlockOpInterface>(block.whole);
  Value all = whole->getResult(block.result);
  if (block.blocks.empty() && isComplete(whole, block.result, block.range) &&
      getElementTypeOrSelf(tensor) == getElementTypeOrSelf(all)) {
    unsigned number = *views.of(all).asTensor();
    return views.set(tensor,
                     viewOfBlock(whole, block.result, block.range, number));
  }
  unsigned number = views.addTensor(tensor);
  auto type = cast<RankedTensorType>(tensor.getType());
  views.setPartial(number, std::move(block));
  views.set(tensor, TensorView::of(number, type.getShape()));
}

/// What combines partial values, or reads nothing else; nothing of any other.
std::optional<LogicalResult>
ShardingProof::seeCombination(BlockOpInterface op) {
  auto viewOf = [&](Value operand) { return views.of(operand); };
  const PartialBlock *part = views.partialOperand(op, viewOf);
  if (!part)
    return std::nullopt;
  auto whole = cast<BlockOpInterface>(part->whole);
  unsigned result = part->result;
  std::optional<CombinedStack> stack = stackOf(op, whole, result, viewOf);
  StackFault fault;
  if (!stack) {
    bool isCombined = llvm::all_of(op.getTensorOperands(), [&](Value operand) {
      return llvm::all_of(views.of(operand).pieces,
                          [&](const ViewPiece &piece) {
                            return views.partialBlock(piece.tensor) != nullptr;
                          });
    });
    if (!isCombined || !op.getScalarRegion())
      return std::nullopt;
    return op.emitError("'")
           << op.getVertexName() << "' combines partial values of "
           << tensorName(whole->getResult(result)) << " by another monoid";
  }
  auto block = views.combined(stack->view, &fault);
  if (!block)
    return reportStack(op, *stack, fault);
  setBlock(op->getResult(0), std::move(*block));
  return success();
}

std::optional<Mismatch> ShardingProof::findMismatch(BlockOpInterface whole,
                                                    BlockOpInterface op,
                                                    const ZBox &range) {
  for (auto [number, input] : llvm::enumerate(op->getOperands())) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    Value wanted = whole->getOperand(number);
    if (!type)
      continue;
    TensorView expected = views.of(wanted);
    Mismatch fault;
    fault.operand = number;
    if (isa<ShardOp>(op.getOperation())) {
      // A shard is given slices.
      ZBox slice = getSliceOf(whole, number, range);
      TensorView part;
      part.shape = shapeOf(slice);
      fault.isFound =
          part.add(expected, viewOfCells(0, slice).pieces[0].projection,
                   boxOfShape(part.shape));
      if (!fault.isFound)
        return fault;
      expected = std::move(part);
    }
    const TensorView &got = views.of(input);
    auto cell = findDifference(expected, got);
    if (!cell)
      continue;
    fault.place = *cell;
    fault.expected = expected.at(*cell);
    fault.got = got.at(*cell);
    return fault;
  }
  return std::nullopt;
}

LogicalResult ShardingProof::reportUnknown(BlockOpInterface op,
                                           BlockOpInterface left,
                                           StringRef noBlock) {
  InFlightDiagnostic diagnostic = op.emitError("'")
                                  << op.getVertexName() << "'";
  if (auto shard = dyn_cast<ShardOp>(op.getOperation()))
    diagnostic << " with the range " << boxToString(shard.getBox());
  if (left) {
    ZBox space = left.getIndexSpace();
    return diagnostic << " leaves the index space " << boxToString(space)
                      << " of '" << left.getVertexName() << "': index point "
                      << pointText(firstOutside(rangeIn(left, op), space))
                      << " is the first outside";
  }
  diagnostic << " computes as no vertex of the whole graph";
  if (!noBlock.empty())
    return diagnostic << ", not as a block of " << noBlock;
  if (auto nearest =
          dyn_cast_or_null<BlockOpInterface>(table.nearest(op, views))) {
    diagnostic << ", not as '" << nearest.getVertexName() << "': "
               << table.computationOf(op).differenceFrom(
                      table.computationOf(nearest));
    diagnostic.attachNote(nearest.getLoc())
        << "'" << nearest.getVertexName() << "' of the whole graph";
  }
  return diagnostic;
}

/// Says of what computes as no vertex, or of other operands, what that vertex
/// would be.
LogicalResult ShardingProof::reportNoVertex(BlockOpInterface op,
                                            StringRef noBlock) {
  BlockOpInterface likely, left;
  std::optional<Mismatch> fault;
  for (const TableVertex &vertex : table.vertices) {
    auto whole = cast<BlockOpInterface>(vertex.op);
    if (!table.computesAs(op, whole))
      continue;
    ZBox range = rangeIn(whole, op);
    if (!contains(whole.getIndexSpace(), range)) {
      left = whole;
      continue;
    }
    // The one of which the most is right explains best.
    std::optional<Mismatch> found = findMismatch(whole, op, range);
    if (!fault || std::pair(found->operand, found->place) >
                      std::pair(fault->operand, fault->place)) {
      likely = whole;
      fault = std::move(found);
    }
  }
  return likely ? reportMismatch(likely, op, *fault)
                : reportUnknown(op, left, noBlock);
}

/// A vertex of the whole graph or a shard of one.
LogicalResult ShardingProof::seeVertex(BlockOpInterface op) {
  TableVertex *chosen = nullptr;
  ZBox block;
  for (unsigned number : table.likely(op, views)) {
    TableVertex &vertex = table.vertices[number];
    auto whole = cast<BlockOpInterface>(vertex.op);
    if (!table.computesAs(op, whole))
      continue;
    ZBox range = rangeIn(whole, op);
    if (!contains(whole.getIndexSpace(), range) ||
        findMismatch(whole, op, range))
      continue;
    // It may be of several that read the same there: rather of one that
    // nobody has computed so far.
    bool isOpen = llvm::count_if(vertex.ranges, [&](const ZBox &other) {
                    return !isEmpty(intersect(other, range));
                  }) < static_cast<int64_t>(vertex.equals.size());
    if (!chosen || isOpen) {
      chosen = &vertex;
      block = std::move(range);
    }
    if (isOpen)
      break;
  }
  if (!chosen) {
    auto isRight = [&](BlockOpInterface whole, ShardOp shard) {
      return !findMismatch(whole, cast<BlockOpInterface>(shard.getOperation()),
                           shard.getBox());
    };
    // An einsum that computes nothing is what it hands on.
    constexpr size_t mostPieces = 1024;
    auto einsum = dyn_cast<EinsumOp>(op.getOperation());
    auto view = einsum ? viewOfEinsum(einsum, views, mostPieces) : std::nullopt;
    std::string noBlock;
    ShardOp shard = plain.replace(op, table, views, isRight,
                                  /*onlyRight=*/view.has_value(), noBlock);
    if (!shard && view) {
      views.set(einsum.getResult(), std::move(*view));
      return success();
    }
    return shard ? seeVertex(cast<BlockOpInterface>(shard.getOperation()))
                 : reportNoVertex(op, noBlock);
  }
  numShards += isa<ShardOp>(op.getOperation()) ? 1 : 0;
  chosen->ranges.push_back(block);
  chosen->parts.push_back(op);
  for (OpResult result : op->getResults())
    if (isa<RankedTensorType>(result.getType()))
      setBlock(result, {chosen->op, block, result.getResultNumber()});
  return success();
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
  order.add(whole, {loop});
  order.add(other.getTerminator(), {body.getTerminator()});
  // Its vertices are proved by themselves, its tensors looked up here.
  ShardingProof inner(order);
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
  if (auto shard = dyn_cast<ShardOp>(op))
    if (auto node =
            dyn_cast<GraphNodeInterface>(shard.getWholeOp().getOperation()))
      return seeNodeShard(shard, node);
  if (isSeenThrough(&op) || seeAwait(&op))
    return success();
  auto vertex = dyn_cast<BlockOpInterface>(op);
  if (!vertex)
    return op.emitError("is nothing that a sharding is proved of");
  if (std::optional<LogicalResult> seen = seeCombination(vertex))
    return *seen;
  return seeVertex(vertex);
}

//===----------------------------------------------------------------------===//
// The proof
//===----------------------------------------------------------------------===//

/// Every cell of a sink is handed out once.
LogicalResult ShardingProof::proveHandedOut(Operation *sink) {
  auto op = cast<BlockOpInterface>(sink);
  auto known = handedOut.find(sink);
  if (known == handedOut.end())
    return sink->emitError("sink '")
           << op.getVertexName() << "' is none of the sharded graph";
  auto fault = findCoverageFault(op.getIndexSpace(), known->second);
  if (!fault)
    return success();
  return sink->emitError("cell ")
         << pointText(fault->point) << " of sink '" << op.getVertexName()
         << "' is handed out " << fault->times
         << " times in the sharded graph, expected 1";
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
    } else if (isa<BlockOpInterface>(op) && !isSeenThrough(&op) &&
               !seeAwait(&op)) {
      table.add(&op, views);
    }
  }
  // Operators may be replaced by shards.
  for (Operation &op : llvm::make_early_inc_range(sharded))
    if (!op.hasTrait<OpTrait::IsTerminator>() && failed(see(op)))
      return failure();
  if (numLoops != loops.size())
    return loops[numLoops].emitError("'")
           << loops[numLoops].getLoopName()
           << "' has no loop in the sharded graph";
  for (Operation &op : whole)
    if (isGraphSink(&op) && failed(proveHandedOut(&op)))
      return failure();
  if (failed(table.proveCoverage()))
    return failure();
  for (const TableVertex &vertex : table.vertices) {
    std::vector<OrderedPart> parts;
    for (auto [part, range] : llvm::zip_equal(vertex.parts, vertex.ranges))
      parts.push_back({part, range});
    order.addEqual(vertex.equals, std::move(parts));
  }
  return success();
}

FailureOr<int64_t> teg::proveSharding(GraphOp whole, GraphOp sharded) {
  ShardedOrder order;
  ShardingProof proof(order);
  if (failed(proof.prove(whole.getBody().front(), sharded.getBody().front())) ||
      failed(order.prove(whole, sharded)))
    return failure();
  return proof.numShards;
}
