//===- UnfuseRewrite.cpp - A factor as a vertex of its own ----------------===//

#include "RewriteKinds.h"

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

static llvm::Error applyUnfuse(RewrittenGraph &graph, const Rewrite &rewrite) {
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
