//===- ReassociateRewrite.cpp - Products of products ----------------------===//

#include "Inlining.h"
#include "RewriteKinds.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::contraction;
using namespace tapestry::model;
using namespace tapestry::teg;

/// Whether Z multiplies by what P computes, as it is: sum over j of P[i, j] *
/// C[j, k] with P[i, j] = sum over l of A[i, l] * B[l, j] is one sum over j and
/// l, as * distributes over the sum.
static llvm::Expected<EinsumOp> merge(EinsumOp op, EinsumOp producer) {
  Monoid monoid =
      op.getMonoid() == Monoid::None ? producer.getMonoid() : op.getMonoid();
  Monoid inner = producer.getMonoid();
  if (inner != Monoid::None && inner != monoid)
    return planError("'", producer.getName(), "' is reduced by ",
                     stringifyMonoid(inner), ", '", op.getName(), "' by ",
                     stringifyMonoid(monoid));
  if (!producer.getResult().hasOneUse())
    return planError("'", producer.getName(),
                     "' is read elsewhere too; it "
                     "would have to be recomputed first");
  llvm::Expected<ProductSum> outer = matchProductSum(op, monoid);
  if (!outer)
    return outer.takeError();
  llvm::Expected<ProductSum> part = matchProductSum(producer, monoid);
  if (!part)
    return part.takeError();
  if (outer->times && part->times && outer->times != part->times)
    return planError("'", producer.getName(), "' is a product by ",
                     part->times.getValue(), ", '", op.getName(), "' by ",
                     outer->times.getValue());
  Type stored = producer.getResultType().getElementType();
  if (stored != producer.getAccumulatorType() ||
      stored != op.getAccumulatorType())
    return planError("'", producer.getName(), "' is stored as another type ",
                     "than it is combined in");
  bool isFactor = llvm::any_of(outer->factors, [&](const Factor &factor) {
    auto argument = dyn_cast<BlockArgument>(factor.value);
    return argument && argument.hasOneUse() && !factor.isInverse &&
           op.getInputs()[argument.getArgNumber()] == producer.getResult();
  });
  if (!isFactor)
    return planError("'", producer.getName(), "' is no factor of '",
                     op.getName(), "', but part of one");
  return inlineProducer(op, producer, monoid);
}

static llvm::Expected<EinsumOp> producerNamed(EinsumOp op, StringRef name) {
  for (Value operand : op.getInputs())
    if (auto producer = operand.getDefiningOp<EinsumOp>();
        producer && producer.getName() == name)
      return producer;
  return planError("it reads no einsum '", name, "'");
}

static llvm::Error applyReassociate(RewrittenGraph &graph,
                                    const Rewrite &rewrite) {
  llvm::Expected<EinsumOp> op = graph.einsumNamed(rewrite.vertex);
  if (!op)
    return op.takeError();
  if (rewrite.arguments.empty())
    return planError("expected the name of a producer");
  llvm::Expected<EinsumOp> producer =
      producerNamed(*op, rewrite.arguments.front());
  if (!producer)
    return producer.takeError();
  auto steps = parseSteps(ArrayRef(rewrite.arguments).drop_front());
  if (!steps)
    return steps.takeError();
  llvm::Expected<EinsumOp> merged = merge(*op, *producer);
  if (!merged)
    return merged.takeError();
  ContractionTree tree;
  if (!steps->empty()) {
    llvm::Expected<ProductSum> product =
        matchProductSum(*merged, merged->getMonoid());
    auto checked = product
                       ? treeOfSteps(product->getContraction(), *steps)
                       : llvm::Expected<ContractionTree>(product.takeError());
    if (!checked) {
      (*merged)->erase();
      return checked.takeError();
    }
    tree = std::move(*checked);
  }
  EinsumOp whole = *merged;
  graph.substitute(*op, whole);
  if (tree.steps.empty())
    return llvm::Error::success();
  graph.erase(*producer);
  ProductSum product =
      llvm::cantFail(matchProductSum(whole, whole.getMonoid()));
  OpBuilder builder = graph.builder();
  graph.replace(whole, emitTree(builder, product, tree, [&] {
                  return graph.freshName(rewrite.vertex);
                }));
  return llvm::Error::success();
}

static void listReassociations(EinsumOp op, std::vector<Rewrite> &rewrites) {
  SmallVector<EinsumOp> producers;
  for (Value operand : op.getInputs())
    if (auto producer = operand.getDefiningOp<EinsumOp>();
        producer && !llvm::is_contained(producers, producer))
      producers.push_back(producer);
  for (EinsumOp producer : producers) {
    llvm::Expected<EinsumOp> merged = merge(op, producer);
    if (!merged) {
      llvm::consumeError(merged.takeError());
      continue;
    }
    std::vector<Rewrite> orders;
    orderKind.list(*merged, orders);
    Rewrite rewrite{
        "reassociate", op.getName().str(), {producer.getName().str()}};
    if (merged->getInputs().size() <= 3)
      rewrites.push_back(rewrite);
    (*merged)->erase();
    for (const Rewrite &order : orders) {
      Rewrite other = rewrite;
      llvm::append_range(other.arguments, order.arguments);
      rewrites.push_back(std::move(other));
    }
  }
}

const RewriteKind teg::reassociateKind = {"reassociate", applyReassociate,
                                          listReassociations};
