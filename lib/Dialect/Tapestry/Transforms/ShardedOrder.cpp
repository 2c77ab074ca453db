//===- ShardedOrder.cpp - Whether a sharding keeps the order --------------===//

#include "ShardedOrder.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryShard.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Support/Sharding.h"
#include <map>

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

namespace {
/// What a point waits for of an operation: all, or these boxes of its results.
struct WaitedCells {
  bool isWhole = false;
  llvm::SmallVector<std::pair<unsigned, ZBox>, 1> boxes = {};

  void add(unsigned result, const ZBox &box) {
    if (!llvm::any_of(boxes, [&](const std::pair<unsigned, ZBox> &known) {
          return known.first == result && contains(known.second, box);
        }))
      boxes.emplace_back(result, box);
  }
};
using Waited = llvm::MapVector<Operation *, WaitedCells>;

/// What awaits a point.
struct Awaiter {
  Operation *whole, *part;
};
} // namespace

class ShardedOrder::Proof {
public:
  Proof(ShardedOrder &given, GraphOp whole, GraphOp sharded)
      : given(given), whole(whole), sharded(sharded),
        observed(this->sharded.observed()) {}

  void takeApart();
  LogicalResult prove();

private:
  const Waited &waitedBy(Operation *point);
  void addAwaiters(Operation *op, const OrderedPart &part);
  LogicalResult proveObserved(Operation *point);
  LogicalResult proveFollowed(Operation *point);
  ArrayRef<OrderedPart> partsOf(Operation *op) const {
    auto known = given.parts.find(op);
    return known == given.parts.end() ? ArrayRef<OrderedPart>()
                                      : ArrayRef(known->second);
  }
  /// The parts of what a point waits for, each with what it is a part of.
  std::vector<std::pair<Operation *, Operation *>>
  waitedParts(Operation *point);

  ShardedOrder &given;
  HappensBefore whole, sharded;
  llvm::BitVector observed;
  std::map<Operation *, Waited> waited;
  llvm::DenseMap<Operation *, std::vector<Awaiter>> awaiters;
};

//===----------------------------------------------------------------------===//
// Equal operators
//===----------------------------------------------------------------------===//

/// Says of which of equal operators each part is: the order, which is all that
/// they differ in, is that of the points around them.
void ShardedOrder::Proof::takeApart() {
  std::vector<unsigned> wholeBefore = whole.countPoints(/*isAfter=*/false),
                        wholeAfter = whole.countPoints(/*isAfter=*/true),
                        before = sharded.countPoints(/*isAfter=*/false),
                        after = sharded.countPoints(/*isAfter=*/true);
  for (auto &[wholes, parts] : given.equals) {
    llvm::sort(wholes, [&](Operation *a, Operation *b) {
      unsigned x = whole.startOf(a), y = whole.startOf(b);
      return std::tuple(wholeBefore[x], wholeAfter[y], x) <
             std::tuple(wholeBefore[y], wholeAfter[x], y);
    });
    llvm::sort(parts, [&](const OrderedPart &a, const OrderedPart &b) {
      unsigned x = sharded.startOf(a.op), y = sharded.startOf(b.op);
      return std::tuple(before[x], after[y], x) <
             std::tuple(before[y], after[x], y);
    });
    for (OrderedPart &part : parts) {
      auto *fits = llvm::find_if(wholes, [&](Operation *op) {
        return llvm::none_of(partsOf(op), [&](const OrderedPart &other) {
          return !isEmpty(intersect(other.range, part.range));
        });
      });
      given.add(fits == wholes.end() ? wholes.back() : *fits, std::move(part));
    }
  }
}

//===----------------------------------------------------------------------===//
// What the whole graph orders
//===----------------------------------------------------------------------===//

const Waited &ShardedOrder::Proof::waitedBy(Operation *point) {
  auto known = waited.find(point);
  if (known != waited.end())
    return known->second;
  Waited all;
  llvm::SetVector<Operation *> earlier;
  for (Value each : cast<GraphNodeInterface>(point).getAwaitedValues()) {
    Operation *maker = each.getDefiningOp();
    if (!isa<RankedTensorType>(each.getType())) {
      if (isGraphPoint(maker))
        earlier.insert(maker);
      else if (maker)
        all[maker].isWhole = true;
      continue;
    }
    OrderedReads reads = whole.readsOf(each, std::nullopt, /*isBound=*/true);
    for (auto &[tensor, cells] : reads.tensors)
      // What a loop begins with is there before its body.
      if (auto made = dyn_cast<OpResult>(tensor))
        all[made.getOwner()].add(made.getResultNumber(), cells);
    earlier.insert_range(reads.points);
  }
  for (Operation *other : earlier)
    for (const auto &[op, cells] : waitedBy(other)) {
      auto [known, isNew] = all.try_emplace(op, cells);
      if (isNew)
        continue;
      known->second.isWhole |= cells.isWhole;
      for (const auto &[result, box] : cells.boxes)
        known->second.add(result, box);
    }
  return waited[point] = std::move(all);
}

/// Whether a part makes some of the cells.
static bool makesSome(Operation *whole, const OrderedPart &part,
                      const WaitedCells &cells) {
  auto block = dyn_cast<BlockOpInterface>(whole);
  if (!block || !isa<ShardOp>(part.op) || cells.isWhole)
    return true;
  return llvm::any_of(cells.boxes, [&](const std::pair<unsigned, ZBox> &read) {
    ZBox made =
        partOfResult(block.getResultProjections()[read.first], part.range);
    return !isEmpty(intersect(made, read.second));
  });
}

std::vector<std::pair<Operation *, Operation *>>
ShardedOrder::Proof::waitedParts(Operation *point) {
  std::vector<std::pair<Operation *, Operation *>> found;
  for (const auto &[op, cells] : waitedBy(point))
    for (const OrderedPart &part : partsOf(op))
      if (makesSome(op, part, cells))
        found.emplace_back(op, part.op);
  return found;
}

/// Notes which points a part of an operation of the whole graph awaits.
void ShardedOrder::Proof::addAwaiters(Operation *op, const OrderedPart &part) {
  llvm::SetVector<Operation *> points;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    if (!isa<RankedTensorType>(operand.getType())) {
      if (isGraphPoint(operand.getDefiningOp()))
        points.insert(operand.getDefiningOp());
      continue;
    }
    std::optional<ZBox> cells;
    if (auto block = dyn_cast<BlockOpInterface>(op);
        block && isa<ShardOp>(part.op))
      cells = getSliceOf(block, number, part.range);
    OrderedReads reads = whole.readsOf(operand, cells, /*isBound=*/true);
    points.insert_range(reads.points);
  }
  points.insert_range(whole.pointsBehind(op));
  for (Operation *point : points)
    awaiters[point].push_back({op, part.op});
}

//===----------------------------------------------------------------------===//
// The proof
//===----------------------------------------------------------------------===//

static std::string nameOf(Operation *op) {
  auto quoted = [](StringRef name) { return ("'" + name + "'").str(); };
  if (auto node = dyn_cast<GraphNodeInterface>(op))
    return (isGraphSource(op) ? "source " : "sink ") +
           quoted(node.getTensorName());
  if (auto loop = dyn_cast<GraphLoopInterface>(op))
    return "loop " + quoted(loop.getLoopName());
  if (auto block = dyn_cast<BlockOpInterface>(op))
    return quoted(block.getVertexName());
  return "the end of a pass of " + nameOf(op->getParentOp());
}

LogicalResult ShardedOrder::Proof::proveFollowed(Operation *point) {
  auto known = awaiters.find(point);
  if (known == awaiters.end())
    return success();
  std::vector<std::pair<Operation *, Operation *>> earlier = waitedParts(point);
  if (earlier.empty())
    return success();
  for (const Awaiter &awaiter : known->second) {
    llvm::BitVector before =
        sharded.eventsBefore(sharded.startOf(awaiter.part));
    for (auto &[op, part] : earlier) {
      if (before.test(sharded.endOf(part)))
        continue;
      InFlightDiagnostic diagnostic =
          awaiter.part->emitError()
          << nameOf(awaiter.part) << " need not follow " << nameOf(part)
          << ": in the whole graph " << nameOf(op)
          << " happens before a sequence point that " << nameOf(awaiter.whole)
          << " awaits";
      diagnostic.attachNote(point->getLoc()) << "the sequence point";
      return diagnostic;
    }
  }
  return success();
}

/// What a point keeps alive has to be kept alive. Sources are anyway.
LogicalResult ShardedOrder::Proof::proveObserved(Operation *point) {
  for (auto &[op, part] : waitedParts(point)) {
    if (isGraphSource(op) || observed.test(sharded.endOf(part)))
      continue;
    InFlightDiagnostic diagnostic =
        part->emitError() << nameOf(part)
                          << " is observed by no sink and no sequence point: "
                             "in the whole graph one waits for "
                          << nameOf(op);
    diagnostic.attachNote(point->getLoc()) << "the sequence point";
    return diagnostic;
  }
  return success();
}

LogicalResult ShardedOrder::Proof::prove() {
  for (Operation *op : whole.operations())
    if (!isGraphPoint(op))
      for (const OrderedPart &part : partsOf(op))
        addAwaiters(op, part);
  for (Operation *op : whole.operations())
    if (isGraphPoint(op) &&
        (failed(proveFollowed(op)) || failed(proveObserved(op))))
      return failure();
  return success();
}

LogicalResult ShardedOrder::prove(GraphOp whole, GraphOp sharded) {
  WalkResult found = whole.walk([](GraphNodeInterface node) {
    return isGraphPoint(node) ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return success();
  Proof proof(*this, whole, sharded);
  proof.takeApart();
  return proof.prove();
}
