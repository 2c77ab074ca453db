//===- GraphRewrites.cpp - Equivalent graphs in IR ------------------------===//

#include "tapestry/Dialect/Tapestry/Transforms/GraphRewrites.h"
#include "RewriteKinds.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

static const RewriteKind *const kinds[] = {
    &orderKind, &reassociateKind, &fuseKind, &unfuseKind, &recomputeKind};

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

llvm::Expected<EinsumOp> teg::einsumNamed(GraphOp graph, StringRef name) {
  for (auto op : graph.getOps<EinsumOp>())
    if (op.getName() == name)
      return op;
  return planError("the graph has no einsum '", name, "'");
}

FreshNames::FreshNames(GraphOp graph, StringRef stem) : stem(stem) {
  for (auto op : graph.getOps<BlockOpInterface>())
    taken.push_back(op.getVertexName().str());
}

std::string FreshNames::operator()() {
  while (true) {
    std::string name = stem + "." + std::to_string(next++);
    if (!llvm::is_contained(taken, name))
      return name;
  }
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

static void record(GraphOp graph, const Rewrite &rewrite) {
  Builder builder(graph.getContext());
  SmallVector<Attribute> entries;
  if (auto earlier = graph->getAttrOfType<ArrayAttr>(recordName))
    llvm::append_range(entries, earlier);
  SmallVector<StringRef> words = {rewrite.kind, rewrite.vertex};
  llvm::append_range(words, rewrite.arguments);
  entries.push_back(builder.getStrArrayAttr(words));
  graph->setAttr(recordName, builder.getArrayAttr(entries));
}

//===----------------------------------------------------------------------===//
// Applying
//===----------------------------------------------------------------------===//

/// Erases what no sink or sequence point observes. A rewrite is not to lose an
/// input, so sources stay.
static void erasePointless(GraphOp graph) {
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(graph.getBody().front())))
    if (isa<EinsumOp>(op) && isOpTriviallyDead(&op))
      op.erase();
}

static llvm::Error describe(const Rewrite &rewrite, llvm::Error error) {
  return planError("rewrite '", rewrite.kind, "' of '", rewrite.vertex,
                   "': ", llvm::toString(std::move(error)));
}

llvm::Error teg::applyRewrite(GraphOp graph, const Rewrite &rewrite) {
  for (auto op : graph.getOps<BlockOpInterface>())
    if (op.hasPartition())
      return describe(rewrite, planError("the graph is planned already"));
  for (const RewriteKind *kind : kinds) {
    if (kind->name != rewrite.kind)
      continue;
    if (llvm::Error error = kind->apply(graph, rewrite))
      return describe(rewrite, std::move(error));
    erasePointless(graph);
    record(graph, rewrite);
    return llvm::Error::success();
  }
  std::string names;
  for (const RewriteKind *kind : kinds)
    names += (names.empty() ? "" : ", ") + kind->name.str();
  return describe(rewrite,
                  planError("there is no such kind; there are ", names));
}

llvm::Error teg::applyRewrites(GraphOp graph, ArrayRef<Rewrite> rewrites) {
  if (rewrites.empty())
    return llvm::Error::success();
  OwningOpRef<GraphOp> copy(cast<GraphOp>(graph->clone()));
  for (const Rewrite &rewrite : rewrites)
    if (llvm::Error error = applyRewrite(*copy, rewrite))
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
      kind->list(graph, op, rewrites);
  return rewrites;
}
