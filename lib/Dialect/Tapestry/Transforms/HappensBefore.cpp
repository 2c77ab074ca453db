//===- HappensBefore.cpp - What of a graph happens before what ------------===//

#include "HappensBefore.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "tapestry/Support/Sharding.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

HappensBefore::HappensBefore(GraphOp graph) {
  // Views end at what is awaited, and at selectors that even without that are
  // no boxes of other tensors: those read all that they are given.
  auto endAt = [&](Value tensor) {
    auto shape = cast<RankedTensorType>(tensor.getType()).getShape();
    views.set(tensor, TensorView::of(views.addTensor(tensor), shape));
  };
  GraphViews through;
  graph.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto await = dyn_cast<AwaitOp>(op)) {
      through.set(await.getResult(), TensorView(through.of(await.getInput())));
      endAt(await.getResult());
    } else if (isa<SelectorInterface>(op) && through.isOwn(op->getResult(0))) {
      endAt(op->getResult(0));
    }
  });
  addEvents(graph.getBody().front());
  addOrder(graph.getBody().front());
}

void HappensBefore::addEvents(Block &block) {
  for (Operation &op : block) {
    if (isa<AwaitOp>(op) ||
        (isa<SelectorInterface>(op) && !views.isOwn(op.getResult(0))))
      continue;
    ops.push_back(&op);
    unsigned event = addEvent(&op);
    starts[&op] = event;
    if (auto loop = dyn_cast<GraphLoopInterface>(op)) {
      addEvents(loop.getLoopBody());
      event = addEvent(&op);
    }
    ends[&op] = event;
  }
}

/// The event after which there is a tensor or a token.
unsigned HappensBefore::madeAt(Value value) const {
  if (Operation *op = value.getDefiningOp())
    return endOf(op);
  return startOf(value.getParentBlock()->getParentOp());
}

void HappensBefore::addNeeded(unsigned event, Operation &op) {
  llvm::SetVector<unsigned> needed;
  for (Value operand : op.getOperands()) {
    if (!isa<RankedTensorType>(operand.getType())) {
      if (operand.getDefiningOp())
        needed.insert(madeAt(operand));
      continue;
    }
    OrderedReads reads = readsOf(operand, std::nullopt, /*isBound=*/false);
    for (auto &[tensor, cells] : reads.tensors)
      needed.insert(madeAt(tensor));
    for (Operation *point : reads.points)
      needed.insert(endOf(point));
  }
  for (Operation *point : pointsBehind(&op))
    needed.insert(endOf(point));
  llvm::append_range(events[event].needed, needed);
}

void HappensBefore::addOrder(Block &block) {
  for (Operation &op : block) {
    auto known = starts.find(&op);
    if (known == starts.end())
      continue;
    addNeeded(known->second, op);
    auto loop = dyn_cast<GraphLoopInterface>(op);
    if (!loop)
      continue;
    addOrder(loop.getLoopBody());
    unsigned start = startOf(&op), end = endOf(&op);
    for (Operation &inner : loop.getLoopBody())
      if (starts.contains(&inner)) {
        events[startOf(&inner)].over.push_back(start);
        events[end].over.push_back(endOf(&inner));
      }
    events[end].needed = {start, endOf(loop.getLoopBody().getTerminator())};
  }
}

//===----------------------------------------------------------------------===//
// Reads
//===----------------------------------------------------------------------===//

OrderedReads HappensBefore::readsOf(Value tensor, std::optional<ZBox> cells,
                                    bool isBound) {
  std::vector<TensorView> open = {views.of(tensor)};
  if (cells) {
    TensorView part;
    part.shape = shapeOf(*cells);
    if (part.add(open[0], viewOfCells(0, *cells).pieces[0].projection,
                 boxOfShape(part.shape)))
      open[0] = std::move(part);
    else if (!isBound)
      return {};
  }
  OrderedReads reads;
  llvm::SmallPtrSet<Operation *, 4> whole;
  while (!open.empty()) {
    TensorView view = std::move(open.back());
    open.pop_back();
    for (const ViewPiece &piece : view.pieces) {
      if (isEmpty(piece.cells))
        continue;
      Value made = views.tensor(piece.tensor);
      auto await = made.getDefiningOp<AwaitOp>();
      if (!await) {
        reads.tensors.emplace_back(made, piece.projection.image(piece.cells));
        continue;
      }
      for (Value point : await.getPoints())
        if (Operation *op = point.getDefiningOp())
          reads.points.insert(op);
      TensorView part;
      part.shape = view.shape;
      if (part.add(views.of(await.getInput()), piece))
        open.push_back(std::move(part));
      else if (isBound && whole.insert(await).second)
        open.push_back(views.of(await.getInput()));
    }
  }
  return reads;
}

SmallVector<Operation *> HappensBefore::pointsBehind(Operation *op) {
  auto isView = [&](Operation *selector) {
    return !views.isOwn(selector->getResult(0));
  };
  return llvm::map_to_vector(teg::pointsBehind(op, isView),
                             [](Value point) { return point.getDefiningOp(); });
}

//===----------------------------------------------------------------------===//
// The order
//===----------------------------------------------------------------------===//

llvm::BitVector HappensBefore::eventsBefore(unsigned event) const {
  llvm::BitVector before(events.size());
  SmallVector<unsigned> open = {event};
  while (!open.empty()) {
    const Event &next = events[open.pop_back_val()];
    for (unsigned earlier :
         llvm::concat<const unsigned>(next.needed, next.over))
      if (!before.test(earlier)) {
        before.set(earlier);
        open.push_back(earlier);
      }
  }
  return before;
}

llvm::BitVector HappensBefore::observed() const {
  llvm::BitVector seen(events.size());
  SmallVector<unsigned> open;
  auto see = [&](unsigned event) {
    if (!seen.test(event))
      open.push_back(event);
    seen.set(event);
  };
  for (auto [number, event] : llvm::enumerate(events)) {
    auto shard = dyn_cast<ShardOp>(event.op);
    if (isGraphPoint(event.op) || isGraphSink(event.op) ||
        (shard && isGraphSink(shard.getWholeOp())))
      see(number);
  }
  while (!open.empty())
    for (unsigned earlier : events[open.pop_back_val()].needed)
      see(earlier);
  return seen;
}

std::vector<unsigned> HappensBefore::countPoints(bool isAfter) const {
  std::vector<SmallVector<unsigned, 4>> earlier(events.size());
  for (auto [number, event] : llvm::enumerate(events))
    for (unsigned other :
         llvm::concat<const unsigned>(event.needed, event.over))
      if (isAfter)
        earlier[other].push_back(number);
      else
        earlier[number].push_back(other);
  std::vector<unsigned> counts(events.size());
  llvm::BitVector isKnown(events.size());
  SmallVector<std::pair<unsigned, unsigned>> open;
  for (unsigned event = 0; event < events.size(); ++event) {
    open.emplace_back(event, 0);
    while (!open.empty()) {
      auto &[next, place] = open.back();
      if (isKnown.test(next) || place == earlier[next].size()) {
        if (!isKnown.test(next))
          for (unsigned other : earlier[next])
            counts[next] = std::max(
                counts[next], counts[other] + isGraphPoint(events[other].op));
        isKnown.set(next);
        open.pop_back();
        continue;
      }
      open.emplace_back(earlier[next][place++], 0);
    }
  }
  return counts;
}
