//===- UnfuseRewrite.cpp - A factor as a vertex of its own ----------------===//

#include "RewriteKinds.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Whether a factor is just an element of an operand.
static bool isPlain(const Factor &factor) {
  return isa<BlockArgument>(factor.value);
}

static llvm::Error applyUnfuse(GraphOp graph, const Rewrite &rewrite) {
  llvm::Expected<EinsumOp> op = einsumNamed(graph, rewrite.vertex);
  if (!op)
    return op.takeError();
  llvm::Expected<ProductSum> product = matchProductSum(*op, op->getMonoid());
  if (!product)
    return product.takeError();
  unsigned number = 0;
  if (rewrite.arguments.size() != 1 ||
      StringRef(rewrite.arguments[0]).getAsInteger(10, number))
    return planError("expected the number of a factor");
  if (number >= product->factors.size())
    return planError("there are ", product->factors.size(), " factors");
  if (isPlain(product->factors[number]))
    return planError("factor ", number, " is read as it is");
  OpBuilder builder(*op);
  Value result =
      emitUnfused(builder, *product, number, FreshNames(graph, rewrite.vertex));
  op->getResult().replaceAllUsesWith(result);
  op->erase();
  return llvm::Error::success();
}

static void listUnfusings(GraphOp, EinsumOp op,
                          std::vector<Rewrite> &rewrites) {
  llvm::Expected<ProductSum> product = matchProductSum(op, op.getMonoid());
  if (!product)
    return llvm::consumeError(product.takeError());
  for (auto [number, factor] : llvm::enumerate(product->factors))
    if (!isPlain(factor))
      rewrites.push_back(
          {"unfuse", op.getName().str(), {std::to_string(number)}});
}

const RewriteKind teg::unfuseKind = {"unfuse", applyUnfuse, listUnfusings};
