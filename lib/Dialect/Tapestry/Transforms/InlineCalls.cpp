//===- InlineCalls.cpp - Calls of graphs become their operations ----------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"

namespace tapestry::teg {
#define GEN_PASS_DEF_TAPESTRYINLINECALLS
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"
} // namespace tapestry::teg

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Refuses what a caller cannot give a graph.
static LogicalResult verifyCallee(CallOp call, GraphOp callee) {
  auto refuse = [&](Operation *op, const Twine &what) -> LogicalResult {
    InFlightDiagnostic diagnostic = call.emitError()
                                    << "cannot be inlined: @"
                                    << callee.getSymName() << " " << what;
    diagnostic.attachNote(op->getLoc()) << "it is here";
    return diagnostic;
  };
  if (callee.getGridAttr())
    return refuse(callee, "is planned already");
  for (Operation &op : callee.getBody().front())
    if (isa<SourceOp, SinkOp>(op) && op.hasAttr(constraintsAttrName))
      return refuse(&op, "has a source or sink with constraints");
  return success();
}

/// Puts `prefix` before the name of a copied operation.
static void rename(Operation *op, const Twine &prefix) {
  for (StringRef key : {StringRef("name"), StringRef(layoutGroupAttrName)})
    if (auto name = op->getAttrOfType<StringAttr>(key))
      op->setAttr(key,
                  StringAttr::get(op->getContext(), prefix + name.getValue()));
}

/// Lets what hands `value` out wait for `points`.
static void addPoints(Value value, ValueRange points) {
  for (Operation *user : value.getUsers())
    if (auto sink = dyn_cast<SinkOp>(user))
      sink.getPointsMutable().append(points);
}

static void inlineCall(CallOp call, GraphOp callee, const Twine &prefix) {
  // Only sinks wait for points, and those of a function's results are there
  // when it returns.
  bool inGraph = call->getParentOfType<GraphOp>() != nullptr;
  OpBuilder b(call);
  IRMapping mapping;
  auto operand = call.getInputs().begin();
  auto result = call.getOutputs().begin();
  for (Operation &op : callee.getBody().front()) {
    if (auto source = dyn_cast<SourceOp>(op)) {
      mapping.map(source.getResult(), *operand++);
    } else if (auto sink = dyn_cast<SinkOp>(op)) {
      Value tensor = mapping.lookup(sink.getTensor());
      if (inGraph)
        addPoints(*result,
                  llvm::map_to_vector(sink.getPoints(), [&](Value point) {
                    return mapping.lookup(point);
                  }));
      (*result++).replaceAllUsesWith(tensor);
    } else if (inGraph || !isa<SequencePointOp>(op)) {
      rename(b.clone(op, mapping), prefix);
    }
  }
  call.erase();
}

namespace {

struct TapestryInlineCallsPass
    : public tapestry::teg::impl::TapestryInlineCallsBase<
          TapestryInlineCallsPass> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseSet<Operation *> done;
    for (Operation &caller : *getOperation().getBody())
      if (!caller.hasTrait<OpTrait::SymbolTable>() &&
          failed(inlineInto(&caller, symbols, done)))
        return signalPassFailure();
    for (auto graph :
         llvm::make_early_inc_range(getOperation().getOps<GraphOp>()))
      if (graph.isPrivate() &&
          SymbolTable::symbolKnownUseEmpty(graph, getOperation()))
        graph.erase();
  }

  /// Callees first, so that names are those of all graphs on the way. Calls do
  /// not recur: the verifier sees to that.
  LogicalResult inlineInto(Operation *caller, SymbolTable &symbols,
                           llvm::DenseSet<Operation *> &done) {
    if (!done.insert(caller).second)
      return success();
    llvm::StringMap<unsigned> numbers;
    SmallVector<CallOp> calls;
    caller->walk([&](CallOp call) { calls.push_back(call); });
    for (CallOp call : calls) {
      auto callee = symbols.lookup<GraphOp>(call.getCallee());
      if (failed(verifyCallee(call, callee)) ||
          failed(inlineInto(callee, symbols, done)))
        return failure();
      std::string prefix = call.getCallee().str() + ".";
      if (unsigned number = ++numbers[call.getCallee()]; number > 1)
        prefix += std::to_string(number) + ".";
      inlineCall(call, callee, prefix);
      ++numInlined;
    }
    return success();
  }
};

} // namespace
