//===- InlineCalls.cpp - Calls of graphs become their operations ----------===//

#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"
#include <set>

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
  for (Operation &op : callee.getBody().front()) {
    if (!isa<SourceOp, SinkOp>(op))
      continue;
    if (op.hasAttr(constraintsAttrName))
      return refuse(&op, "has a source or sink with constraints");
    if (op.hasAttr("target") || op.hasAttr("device"))
      return refuse(&op, "has a source or sink that is not the caller's");
    if (auto source = dyn_cast<SourceOp>(op);
        source && !source.getPoints().empty())
      return refuse(&op, "has a source that follows points");
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// What an operation is called by inside a graph, and its layout group.
static SmallVector<NamedAttribute> namesOf(Operation *op) {
  SmallVector<NamedAttribute> names;
  if (isa<SinkOp>(op))
    return names;
  for (NamedAttribute attr : op->getAttrs())
    if (llvm::is_contained({StringRef("name"), StringRef(layoutGroupAttrName)},
                           attr.getName().getValue()) &&
        isa<StringAttr>(attr.getValue()))
      names.push_back(attr);
  return names;
}

static std::string withPrefix(const Twine &prefix, NamedAttribute name) {
  return (prefix + cast<StringAttr>(name.getValue()).getValue()).str();
}

/// Puts `prefix` before the names of a copied operation.
static void rename(Operation *op, StringRef prefix) {
  for (NamedAttribute name : namesOf(op))
    op->setAttr(name.getName(),
                StringAttr::get(op->getContext(), withPrefix(prefix, name)));
}

/// Visits what an operation holds, calls in nested symbol tables aside: those
/// mean other graphs.
static void walkOwn(Operation *op, function_ref<void(Operation *)> visit) {
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (inner->hasTrait<OpTrait::SymbolTable>())
      return WalkResult::skip();
    visit(inner);
    return WalkResult::advance();
  });
}

namespace {

/// The names in a caller, with those that its calls bring.
class CallerNames {
public:
  explicit CallerNames(Operation *caller) {
    walkOwn(caller, [&](Operation *op) { add(op, ""); });
  }

  /// Returns a prefix that no name has, for what a call of `callee` brings.
  std::string choosePrefix(GraphOp callee) {
    unsigned &number = numbers[callee.getSymName()];
    std::string prefix;
    do {
      prefix = callee.getSymName().str() + ".";
      if (++number > 1)
        prefix += std::to_string(number) + ".";
    } while (isTaken(prefix));
    for (Operation &op : callee.getBody().front())
      if (!isa<SourceOp>(op))
        add(&op, prefix);
    return prefix;
  }

private:
  void add(Operation *op, StringRef prefix) {
    for (NamedAttribute name : namesOf(op))
      names.insert(withPrefix(prefix, name));
  }

  bool isTaken(StringRef prefix) const {
    auto at = names.lower_bound(prefix);
    return at != names.end() && StringRef(*at).starts_with(prefix);
  }

  std::set<std::string, std::less<>> names;
  llvm::StringMap<unsigned> numbers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

static void addMissing(MutableOperandRange operands, ArrayRef<Value> points) {
  for (Value point : points)
    if (!llvm::is_contained(OperandRange(operands), point))
      operands.append(point);
}

/// Lets every sink and sequence point that `value` reaches wait for `points`.
/// What follows such a sequence point follows them already.
static void addPoints(Value value, ArrayRef<Value> points) {
  if (points.empty())
    return;
  llvm::SetVector<Operation *> readers;
  readers.insert_range(value.getUsers());
  for (unsigned next = 0; next < readers.size(); ++next)
    if (!isa<SequencePointOp>(readers[next]))
      readers.insert_range(readers[next]->getUsers());
  for (Operation *reader : readers)
    if (auto sink = dyn_cast<SinkOp>(reader))
      addMissing(sink.getPointsMutable(), points);
    else if (auto later = dyn_cast<SequencePointOp>(reader))
      addMissing(later.getAwaitedMutable(), points);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void inlineCall(CallOp call, GraphOp callee, StringRef prefix) {
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
      if (inGraph) {
        SmallVector<Value> points = llvm::map_to_vector(
            sink.getPoints(), [&](Value each) { return mapping.lookup(each); });
        addPoints(*result, points);
        // To the caller's graph it is handed out when it is there.
        if (sink.getDone()) {
          points.push_back(tensor);
          mapping.map(sink.getDone(),
                      SequencePointOp::create(b, sink.getLoc(), points));
        }
      }
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
    SmallVector<CallOp> calls;
    walkOwn(caller, [&](Operation *op) {
      if (auto call = dyn_cast<CallOp>(op))
        calls.push_back(call);
    });
    if (calls.empty())
      return success();
    CallerNames names(caller);
    SmallVector<std::string> prefixes;
    for (CallOp call : calls) {
      auto callee = symbols.lookup<GraphOp>(call.getCallee());
      if (failed(verifyCallee(call, callee)) ||
          failed(inlineInto(callee, symbols, done)))
        return failure();
      prefixes.push_back(names.choosePrefix(callee));
    }
    // Later calls first: what a result reaches is then operations, not calls.
    for (auto [call, prefix] : llvm::reverse(llvm::zip_equal(calls, prefixes)))
      inlineCall(call, symbols.lookup<GraphOp>(call.getCallee()), prefix);
    numInlined += calls.size();
    return success();
  }
};

} // namespace
