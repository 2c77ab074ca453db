//===- SegmentPrograms.cpp - Long programs as calls of parts --------------===//
//
// LLVM's time for a block grows faster than the block. A program's is one line
// of calls, so it can be cut anywhere: what is used across a cut is handed
// over.
//
//===----------------------------------------------------------------------===//

#include "ProgramAttributes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Conversion/Passes.h"

namespace tapestry {
#define GEN_PASS_DEF_SEGMENTPROGRAMS
#include "tapestry/Conversion/Passes.h.inc"
} // namespace tapestry

using namespace mlir;
using namespace tapestry;

static bool isConstant(Operation *op) {
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

namespace {

struct SegmentPrograms : tapestry::impl::SegmentProgramsBase<SegmentPrograms> {
  using SegmentProgramsBase::SegmentProgramsBase;

  void runOnOperation() override {
    FailureOr<SmallVector<DictionaryAttr>> programs =
        program::readAll(getOperation(), {program::body});
    if (failed(programs))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (DictionaryAttr program : *programs) {
      auto body = symbols.lookup<func::FuncOp>(
          program.getAs<FlatSymbolRefAttr>(program::body).getValue());
      if (body && body.getBody().hasOneBlock())
        cut(body, symbols);
    }
  }

private:
  void cut(func::FuncOp body, SymbolTable &symbols);
};

/// One part: a function of what it takes from before and leaves for later.
class Segment {
public:
  Segment(func::FuncOp body, ArrayRef<Operation *> ops)
      : body(body), ops(ops), inside(ops.begin(), ops.end()) {}

  void outline(SymbolTable &symbols);

private:
  bool isInside(Operation *op) {
    return inside.contains(body.front().findAncestorOpInBlock(*op));
  }
  void takeOperands(Operation *op);
  Value taken(Value value);

  func::FuncOp body;
  ArrayRef<Operation *> ops;
  llvm::DenseSet<Operation *> inside;
  Block *block = nullptr;
  SmallVector<Value> arguments;
  llvm::DenseMap<Value, Value> mapping;
};

} // namespace

/// What `value` from outside is called inside.
Value Segment::taken(Value value) {
  Value &known = mapping[value];
  if (known)
    return known;
  if (Operation *op = value.getDefiningOp(); isConstant(op)) {
    OpBuilder b = OpBuilder::atBlockBegin(block);
    return known = b.clone(*op)->getResult(0);
  }
  arguments.push_back(value);
  return known = block->addArgument(value.getType(), value.getLoc());
}

/// Values of `op` and of what is in it that come from outside.
void Segment::takeOperands(Operation *op) {
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      Value value = operand.get();
      Block *home = value.getParentBlock();
      if (home != &body.front() ||
          (value.getDefiningOp() && inside.contains(value.getDefiningOp())))
        continue;
      operand.set(taken(value));
    }
  });
}

void Segment::outline(SymbolTable &symbols) {
  OpBuilder b(ops.front());
  Location loc = body.getLoc();
  auto function = func::FuncOp::create(loc, (body.getSymName() + ".part").str(),
                                       b.getFunctionType({}, {}));
  function.setPrivate();
  function->setAttr(deviceAttrName, b.getUnitAttr());
  block = function.addEntryBlock();
  SmallVector<Value> results;
  for (Operation *op : ops) {
    takeOperands(op);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isInside(user); }))
        results.push_back(result);
  }
  SmallVector<Type> types = llvm::to_vector(ValueRange(results).getTypes());
  function.setFunctionType(b.getFunctionType(block->getArgumentTypes(), types));
  symbols.insert(function, body->getIterator());
  auto call = func::CallOp::create(b, loc, function, arguments);
  for (auto [result, handed] : llvm::zip_equal(results, call.getResults()))
    result.replaceUsesWithIf(
        handed, [&](OpOperand &use) { return !isInside(use.getOwner()); });
  for (Operation *op : ops)
    op->moveBefore(block, block->end());
  b.setInsertionPointToEnd(block);
  func::ReturnOp::create(b, loc, results);
}

void SegmentPrograms::cut(func::FuncOp body, SymbolTable &symbols) {
  SmallVector<SmallVector<Operation *>> parts;
  unsigned calls = 0;
  for (Operation &op : body.front().without_terminator()) {
    if (isConstant(&op))
      continue;
    if (parts.empty() || calls == mostCalls) {
      parts.emplace_back();
      calls = 0;
    }
    parts.back().push_back(&op);
    calls += isa<func::CallOp>(op);
  }
  if (parts.size() < 2)
    return;
  for (ArrayRef<Operation *> part : parts) {
    Segment(body, part).outline(symbols);
    ++numParts;
  }
  for (Operation &op : llvm::make_early_inc_range(body.front()))
    if (isConstant(&op) && op.use_empty())
      op.erase();
}
