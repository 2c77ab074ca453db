//===- GraphRewrites.cpp - Equivalent graphs in IR ------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "RewriteKinds.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

static const RewriteKind *const kinds[] = {
    &orderKind, &reassociateKind, &fuseKind, &unfuseKind, &recomputeKind};

//===----------------------------------------------------------------------===//
// A graph under change
//===----------------------------------------------------------------------===//

RewrittenGraph::RewrittenGraph(GraphOp graph) : graph(graph) {
  for (auto op : graph.getOps<BlockOpInterface>()) {
    vertices[op.getVertexName()] = op;
    if (isa<EinsumOp>(op))
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
  if (auto vertex = dyn_cast<BlockOpInterface>(op))
    vertices[vertex.getVertexName()] = op;
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

void RewrittenGraph::erase(EinsumOp op) {
  for (Value operand : op.getInputs())
    if (auto producer = operand.getDefiningOp<EinsumOp>())
      doubtful.insert(producer);
  doubtful.remove(op);
  // Its name may have gone to another.
  auto entry = vertices.find(op.getName());
  if (entry != vertices.end() && entry->second == op)
    vertices.erase(entry);
  op->erase();
}

void RewrittenGraph::erasePointless() {
  while (!doubtful.empty())
    if (Operation *op = doubtful.pop_back_val(); isOpTriviallyDead(op))
      erase(cast<EinsumOp>(op));
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

static void record(GraphOp graph, ArrayRef<Rewrite> rewrites) {
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

llvm::Error teg::applyInPlace(GraphOp graph, ArrayRef<Rewrite> rewrites) {
  if (rewrites.empty())
    return llvm::Error::success();
  for (auto op : graph.getOps<BlockOpInterface>())
    if (op.hasPartition())
      return describe(rewrites.front(),
                      planError("the graph is planned already"));
  RewrittenGraph rewritten(graph);
  for (const Rewrite &rewrite : rewrites)
    if (llvm::Error error = apply(rewritten, rewrite))
      return error;
  record(graph, rewrites);
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
  std::vector<Rewrite> rewrites;
  for (auto op : graph.getOps<EinsumOp>())
    for (const RewriteKind *kind : kinds)
      kind->list(op, rewrites);
  return rewrites;
}
