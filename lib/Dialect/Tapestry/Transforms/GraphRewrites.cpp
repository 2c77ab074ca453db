//===- GraphRewrites.cpp - Equivalent graphs in IR ------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "RewriteKinds.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"
#include "tapestry/Interfaces/GraphLoopInterface.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

static const RewriteKind *const kinds[] = {
    &orderKind,     &reassociateKind, &fuseKind,   &unfuseKind,
    &recomputeKind, &phaseKind,       &expandKind, &ruleKind};

//===----------------------------------------------------------------------===//
// A graph under change
//===----------------------------------------------------------------------===//

SmallVector<Operation *> teg::operationsOf(GraphOp graph) {
  SmallVector<Operation *> ops;
  graph.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    ops.push_back(op);
    return isa<GraphLoopInterface>(op) ? WalkResult::advance()
                                       : WalkResult::skip();
  });
  return ops;
}

bool teg::isBefore(Operation *a, Operation *b) {
  // Seen from the innermost block that has both.
  Block *block = a->getBlock();
  while (!block->findAncestorOpInBlock(*b))
    block = block->getParentOp()->getBlock();
  Operation *first = block->findAncestorOpInBlock(*a);
  Operation *second = block->findAncestorOpInBlock(*b);
  return first == second ? first == a && a != b
                         : first->isBeforeInBlock(second);
}

StringRef teg::vertexNameOf(Operation *op) {
  if (auto vertex = dyn_cast<BlockOpInterface>(op); vertex && !isa<SinkOp>(op))
    return vertex.getVertexName();
  if (auto named = dyn_cast<OperatorOp>(op))
    return named.getName();
  return "";
}

RewrittenGraph::RewrittenGraph(GraphOp graph, RuleSet *rules)
    : graph(graph), rules(rules) {
  for (Operation *op : operationsOf(graph)) {
    StringRef name = vertexNameOf(op);
    if (name.empty())
      continue;
    vertices[name] = op;
    if (isa<EinsumOp, FusedOp, OperatorOp>(op))
      doubtful.insert(op);
  }
}

llvm::Expected<EinsumOp> RewrittenGraph::einsumNamed(StringRef name) const {
  if (auto op = dyn_cast_or_null<EinsumOp>(vertices.lookup(name)))
    return op;
  return planError("the graph has no einsum '", name, "'");
}

OpBuilder RewrittenGraph::builder() {
  return OpBuilder(graph.getContext(), this);
}

std::string RewrittenGraph::freshName(StringRef stem) const {
  for (unsigned number = 1;; ++number) {
    std::string name = (stem + "." + Twine(number)).str();
    if (!vertices.contains(name))
      return name;
  }
}

void RewrittenGraph::notifyOperationInserted(Operation *op,
                                             OpBuilder::InsertPoint) {
  StringRef name = vertexNameOf(op);
  if (name.empty())
    return;
  if (made)
    made->insert(op);
  else
    vertices[name] = op;
}

void RewrittenGraph::notifyOperationErased(Operation *op) {
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp();
        producer && !vertexNameOf(producer).empty())
      doubtful.insert(producer);
  doubtful.remove(op);
  if (made)
    made->remove(op);
  // Its name may have gone to another.
  auto entry = vertices.find(vertexNameOf(op));
  if (entry != vertices.end() && entry->second == op)
    vertices.erase(entry);
}

void RewrittenGraph::notifyOperationReplaced(Operation *, ValueRange values) {
  for (Value value : values)
    if (Operation *op = value.getDefiningOp())
      heirs.insert(op);
}

/// Enters what a rule has made, in the order of the graph; what takes the place
/// of others comes first, as it has their names.
void RewrittenGraph::nameMade() {
  llvm::SmallVector<Operation *> ops = made->takeVector();
  made.reset();
  llvm::sort(ops, [&](Operation *a, Operation *b) {
    bool isHeir = heirs.contains(a);
    return isHeir == heirs.contains(b) ? isBefore(a, b) : isHeir;
  });
  for (Operation *op : ops) {
    std::string name = vertexNameOf(op).str();
    if (vertices.contains(name)) {
      name = freshName(name);
      op->setAttr("name", StringAttr::get(op->getContext(), name));
    }
    vertices[name] = op;
    doubtful.insert(op);
  }
}

llvm::Expected<llvm::SmallVector<Operation *>>
RewrittenGraph::applyRule(const RewriteRule &rule, Operation *op) {
  if (!rules) {
    ownRules = std::make_unique<RuleSet>(graph.getContext());
    rules = ownRules.get();
  }
  made.emplace();
  heirs.clear();
  if (llvm::Error error = rules->apply(rule, op, this)) {
    made.reset();
    return std::move(error);
  }
  llvm::SmallVector<Operation *> ops = llvm::to_vector(*made);
  nameMade();
  return ops;
}

void RewrittenGraph::substitute(EinsumOp old, EinsumOp replacement) {
  old->getBlock()->getOperations().insert(old->getIterator(),
                                          replacement.getOperation());
  notifyOperationInserted(replacement, {});
  replace(old, replacement.getResult());
}

void RewrittenGraph::replace(EinsumOp old, Value value) {
  old.getResult().replaceAllUsesWith(value);
  erase(old);
}

void RewrittenGraph::erase(Operation *op) {
  notifyOperationErased(op);
  op->erase();
}

void RewrittenGraph::erasePointless() {
  while (!doubtful.empty())
    if (Operation *op = doubtful.pop_back_val(); isOpTriviallyDead(op))
      erase(op);
}

//===----------------------------------------------------------------------===//
// What has been done to a graph is written on it
//===----------------------------------------------------------------------===//

static constexpr llvm::StringLiteral recordName = "tapestry.rewrites";

std::vector<Rewrite> teg::recordedRewrites(GraphOp graph) {
  std::vector<Rewrite> rewrites;
  auto record = graph->getAttrOfType<ArrayAttr>(recordName);
  if (!record)
    return rewrites;
  for (auto entry : record.getAsRange<ArrayAttr>()) {
    SmallVector<std::string> words;
    for (auto word : entry.getAsRange<StringAttr>())
      words.push_back(word.str());
    if (words.size() >= 2)
      rewrites.push_back(
          {words[0], words[1], {words.begin() + 2, words.end()}});
  }
  return rewrites;
}

void teg::recordRewrites(GraphOp graph, ArrayRef<Rewrite> rewrites) {
  if (rewrites.empty())
    return;
  Builder builder(graph.getContext());
  SmallVector<Attribute> entries;
  if (auto earlier = graph->getAttrOfType<ArrayAttr>(recordName))
    llvm::append_range(entries, earlier);
  for (const Rewrite &rewrite : rewrites) {
    SmallVector<StringRef> words = {rewrite.kind, rewrite.vertex};
    llvm::append_range(words, rewrite.arguments);
    entries.push_back(builder.getStrArrayAttr(words));
  }
  graph->setAttr(recordName, builder.getArrayAttr(entries));
}

//===----------------------------------------------------------------------===//
// Applying
//===----------------------------------------------------------------------===//

static llvm::Error describe(const Rewrite &rewrite, llvm::Error error) {
  return planError("rewrite '", rewrite.kind, "' of '", rewrite.vertex,
                   "': ", llvm::toString(std::move(error)));
}

static llvm::Error apply(RewrittenGraph &graph, const Rewrite &rewrite) {
  for (const RewriteKind *kind : kinds) {
    if (kind->name != rewrite.kind)
      continue;
    if (llvm::Error error = kind->apply(graph, rewrite))
      return describe(rewrite, std::move(error));
    graph.erasePointless();
    return llvm::Error::success();
  }
  std::string names;
  for (const RewriteKind *kind : kinds)
    names += (names.empty() ? "" : ", ") + kind->name.str();
  return describe(rewrite,
                  planError("there is no such kind; there are ", names));
}

llvm::Error teg::checkUnplanned(GraphOp graph) {
  for (auto op : operationsOf<BlockOpInterface>(graph))
    if (op.hasPartition())
      return planError("the graph is planned already");
  return llvm::Error::success();
}

llvm::Error teg::applyInPlace(GraphOp graph, ArrayRef<Rewrite> rewrites) {
  return applyInPlace(graph, rewrites, /*rules=*/nullptr);
}

llvm::Error teg::applyInPlace(GraphOp graph, ArrayRef<Rewrite> rewrites,
                              RuleSet *rules) {
  if (rewrites.empty())
    return llvm::Error::success();
  if (llvm::Error error = checkUnplanned(graph))
    return describe(rewrites.front(), std::move(error));
  RewrittenGraph rewritten(graph, rules);
  for (const Rewrite &rewrite : rewrites)
    if (llvm::Error error = apply(rewritten, rewrite))
      return error;
  recordRewrites(graph, rewrites);
  return llvm::Error::success();
}

llvm::Error teg::applyRewrites(GraphOp graph, ArrayRef<Rewrite> rewrites) {
  if (rewrites.empty())
    return llvm::Error::success();
  OwningOpRef<GraphOp> copy(cast<GraphOp>(graph->clone()));
  if (llvm::Error error = applyInPlace(*copy, rewrites))
    return error;
  if (failed(verify(*copy)))
    return planError("the rewrites lead to a graph that is not valid");
  graph.getBody().takeBody(copy->getBody());
  graph->setAttrs(copy->getOperation()->getAttrDictionary());
  return llvm::Error::success();
}

std::vector<Rewrite> teg::applicableRewrites(GraphOp graph) {
  RuleSet rules(graph.getContext());
  return applicableRewrites(graph, &rules);
}

std::vector<Rewrite> teg::applicableRewrites(GraphOp graph, RuleSet *rules) {
  std::vector<Rewrite> rewrites;
  for (auto op : operationsOf<EinsumOp>(graph))
    for (const RewriteKind *kind : kinds)
      if (kind->list)
        kind->list(op, rewrites);
  for (auto op : operationsOf<FusedOp>(graph))
    rewrites.push_back({unfuseKind.name.str(), op.getName().str(), {}});
  for (auto op : operationsOf<OperatorOp>(graph))
    llvm::append_range(rewrites, listExpansions(op, *rules));
  listRules(graph, *rules, rewrites);
  return rewrites;
}

OwningOpRef<GraphOp> teg::isolate(Operation *op) {
  OpBuilder builder(op->getContext());
  OwningOpRef<GraphOp> graph(
      GraphOp::create(builder, op->getLoc(), "isolated"));
  builder.setInsertionPointToEnd(&graph->getBody().front());
  IRMapping mapping;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    if (!mapping.contains(operand))
      mapping.map(operand, SourceOp::create(
                               builder, op->getLoc(), std::to_string(number),
                               cast<RankedTensorType>(operand.getType()))
                               .getResult());
  Operation *copy = builder.clone(*op, mapping);
  for (auto [number, result] : llvm::enumerate(copy->getResults()))
    SinkOp::create(builder, op->getLoc(), std::to_string(number), result);
  return graph;
}
