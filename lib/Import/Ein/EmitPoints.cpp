//===- EmitPoints.cpp - Sequence points of a .ein file --------------------===//

#include "EmitPoints.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::ein;

const Graph::Point *PointEmitter::next(unsigned end) const {
  bool isThere = points.size() < graph.points.size() &&
                 graph.points[points.size()].position <= end;
  return isThere ? &graph.points[points.size()] : nullptr;
}

void PointEmitter::emit(OpBuilder &builder, Location loc,
                        ArrayRef<Value> values, ArrayRef<Value> outputs) {
  const Graph::Point &point = graph.points[points.size()];
  SmallVector<Value> before;
  for (unsigned tensor : point.tensors)
    before.push_back(values[tensor]);
  llvm::append_range(before, outputs);
  for (unsigned earlier : point.points)
    before.push_back(points[earlier]);
  points.push_back(teg::SequencePointOp::create(builder, loc, before));
}

/// Whether a value is known where `block` begins or in it.
static bool isKnownIn(Value value, mlir::Block *block) {
  while (block && block != value.getParentBlock())
    block = block->getParentOp() ? block->getParentOp()->getBlock() : nullptr;
  return block != nullptr;
}

Value PointEmitter::awaited(Value tensor, unsigned point, Operation *reader,
                            StringRef name) {
  Value &made = awaits[{tensor, point}];
  if (made)
    return made;
  mlir::Block *block = points[point].getParentBlock();
  OpBuilder builder(block->findAncestorOpInBlock(*reader));
  std::string own = (name + ".after." + Twine(++numbers[name])).str();
  auto op = teg::AwaitOp::create(
      builder, reader->getLoc(), tensor.getType(), builder.getStringAttr(own),
      tensor, points[point], nullptr, nullptr, nullptr, nullptr);
  followers.insert({op, point});
  made = op.getResult();
  return made;
}

void PointEmitter::holdBack(llvm::iterator_range<mlir::Block::iterator> ops,
                            StringRef name, ArrayRef<unsigned> after) {
  for (unsigned point : after) {
    mlir::Block *block = points[point].getParentBlock();
    for (Operation &op : ops) {
      if (followers.contains({&op, point}))
        continue;
      for (OpOperand &operand : op.getOpOperands()) {
        Value tensor = operand.get();
        Operation *maker = tensor.getDefiningOp();
        if (isKnownIn(tensor, block) &&
            !(maker && followers.contains({maker, point})))
          operand.set(awaited(tensor, point, &op, name));
      }
      followers.insert({&op, point});
    }
  }
}

SmallVector<Value>
PointEmitter::resultsOf(llvm::iterator_range<mlir::Block::iterator> ops,
                        StringRef name, ArrayRef<unsigned> after) {
  Operation *op = &*std::prev(ops.end());
  SmallVector<Value> results(op->getResults());
  SmallVector<Value> awaitedPoints;
  for (unsigned point : after)
    if (points[point].getParentBlock() == op->getBlock())
      awaitedPoints.push_back(points[point]);
  if (awaitedPoints.empty() || llvm::any_of(ops, [](Operation &each) {
        return each.getNumOperands() != 0;
      }))
    return results;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value &result : results) {
    std::string own = (name + ".after." + Twine(++numbers[name])).str();
    auto await = teg::AwaitOp::create(
        builder, op->getLoc(), result.getType(), builder.getStringAttr(own),
        result, awaitedPoints, nullptr, nullptr, nullptr, nullptr);
    for (unsigned point : after)
      followers.insert({await, point});
    result = await.getResult();
  }
  return results;
}
