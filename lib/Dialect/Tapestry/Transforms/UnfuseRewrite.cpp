//===- UnfuseRewrite.cpp - A factor as a vertex of its own ----------------===//

#include "RewriteKinds.h"
#include "mlir/IR/IRMapping.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryFused.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::model;
using namespace tapestry::teg;

/// Whether a factor is just an element of an operand.
static bool isPlain(const Factor &factor) {
  return isa<BlockArgument>(factor.value);
}

/// Why a factor cannot become a vertex; success where it can.
static llvm::Error checkFactor(ProductSum &product, unsigned number) {
  if (number >= product.factors.size())
    return planError("there are ", product.factors.size(), " factors");
  const Factor &factor = product.factors[number];
  if (isPlain(factor))
    return planError("factor ", number, " is read as it is");
  // Its values would fill the whole index space.
  if (factor.labels.size() == product.op.getExtents().size())
    return planError("factor ", number, " depends on all labels");
  return llvm::Error::success();
}

/// The producer and the consumer of a fused operator as vertices again.
static llvm::Error splitFused(RewrittenGraph &graph, FusedOp op) {
  OpBuilder builder = graph.builder();
  builder.setInsertionPoint(op);
  IRMapping mapping;
  mapping.map(op.getBody().getArguments(), op.getInputs());
  BlockOpInterface producer = op.getProducer();
  Operation *first = producer->clone(mapping);
  if (graph.lookup(producer.getVertexName()))
    first->setAttr("name", builder.getStringAttr(
                               graph.freshName(producer.getVertexName())));
  mapping.map(producer->getResults(), first->getResults());
  Operation *second = op.getConsumer()->clone(mapping);
  second->setAttr("name", op.getNameAttr());
  for (NamedAttribute attribute : op->getDiscardableAttrs())
    second->setDiscardableAttr(attribute.getName(), attribute.getValue());
  builder.insert(first);
  builder.insert(second);
  op.getResult().replaceAllUsesWith(second->getResult(0));
  graph.erase(op);
  return llvm::Error::success();
}

static llvm::Error applyUnfuse(RewrittenGraph &graph, const Rewrite &rewrite) {
  if (auto fused = dyn_cast_or_null<FusedOp>(graph.lookup(rewrite.vertex))) {
    if (!rewrite.arguments.empty())
      return planError("it is a fused operator, which has no factors");
    return splitFused(graph, fused);
  }
  llvm::Expected<EinsumOp> op = graph.einsumNamed(rewrite.vertex);
  if (!op)
    return op.takeError();
  llvm::Expected<ProductSum> product = matchProductSum(*op, op->getMonoid());
  if (!product)
    return product.takeError();
  unsigned number = 0;
  if (rewrite.arguments.size() != 1 ||
      StringRef(rewrite.arguments[0]).getAsInteger(10, number))
    return planError("expected the number of a factor");
  if (llvm::Error error = checkFactor(*product, number))
    return error;
  OpBuilder builder = graph.builder();
  graph.replace(*op, emitUnfused(builder, *product, number,
                                 graph.freshName(rewrite.vertex)));
  return llvm::Error::success();
}

static void listUnfusings(EinsumOp op, std::vector<Rewrite> &rewrites) {
  llvm::Expected<ProductSum> product = matchProductSum(op, op.getMonoid());
  if (!product)
    return llvm::consumeError(product.takeError());
  for (unsigned number = 0; number < product->factors.size(); ++number) {
    if (llvm::Error error = checkFactor(*product, number))
      llvm::consumeError(std::move(error));
    else
      rewrites.push_back(
          {"unfuse", op.getName().str(), {std::to_string(number)}});
  }
}

const RewriteKind teg::unfuseKind = {"unfuse", applyUnfuse, listUnfusings};
