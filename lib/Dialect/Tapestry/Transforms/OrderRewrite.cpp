//===- OrderRewrite.cpp - A product as a tree of products -----------------===//

#include "RewriteKinds.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::contraction;
using namespace tapestry::model;
using namespace tapestry::teg;

std::vector<std::string> teg::printSteps(ArrayRef<ContractionStep> steps) {
  std::vector<std::string> arguments;
  for (const ContractionStep &step : steps)
    arguments.push_back(step.isReduction() ? std::to_string(step.left)
                                           : std::to_string(step.left) + " " +
                                                 std::to_string(step.right));
  return arguments;
}

llvm::Expected<std::vector<ContractionStep>>
teg::parseSteps(ArrayRef<std::string> arguments) {
  std::vector<ContractionStep> steps;
  for (StringRef text : arguments) {
    auto [left, right] = text.split(' ');
    ContractionStep step;
    bool isNumber = !left.getAsInteger(10, step.left);
    step.right = step.left;
    if (right.data() && !right.empty())
      isNumber &= !right.getAsInteger(10, step.right);
    if (!isNumber)
      return planError("expected a step like '0 2', not '", text, "'");
    steps.push_back(step);
  }
  return steps;
}

Rewrite teg::orderRewrite(StringRef vertex, const ContractionTree &tree) {
  return {"order", vertex.str(), printSteps(tree.steps)};
}

static llvm::Error applyOrder(RewrittenGraph &graph, const Rewrite &rewrite) {
  llvm::Expected<EinsumOp> op = graph.einsumNamed(rewrite.vertex);
  if (!op)
    return op.takeError();
  llvm::Expected<ProductSum> product = matchProductSum(*op, op->getMonoid());
  if (!product)
    return product.takeError();
  auto steps = parseSteps(rewrite.arguments);
  if (!steps)
    return steps.takeError();
  if (steps->empty() || product->factors.empty())
    return planError("there are no steps");
  auto tree = treeOfSteps(product->getContraction(), *steps);
  if (!tree)
    return tree.takeError();
  if (!product->scalars.empty() && steps->size() == 1 &&
      steps->back().isReduction())
    return planError("a sum alone has no place for the constant factor");
  OpBuilder builder = graph.builder();
  graph.replace(*op, emitTree(builder, *product, *tree,
                              [&] { return graph.freshName(rewrite.vertex); }));
  return llvm::Error::success();
}

/// Trees that are worth a try: the cheapest few by flops and the one of the
/// smallest intermediates.
static void listOrders(EinsumOp op, std::vector<Rewrite> &rewrites) {
  llvm::Expected<ProductSum> product = matchProductSum(op, op.getMonoid());
  if (!product)
    return llvm::consumeError(product.takeError());
  Contraction contraction = product->getContraction();
  OrderOptions options;
  options.candidates = 3;
  auto trees = cheapestTrees(contraction, options);
  if (!trees)
    return llvm::consumeError(trees.takeError());
  options.objective = OrderObjective::Peak;
  auto flat = orderContraction(contraction, options);
  if (!flat)
    return llvm::consumeError(flat.takeError());
  trees->push_back(std::move(*flat));
  for (const ContractionTree &tree : *trees) {
    // One step is the product itself.
    if (tree.steps.size() < 2)
      continue;
    Rewrite rewrite = orderRewrite(op.getName(), tree);
    if (!llvm::is_contained(rewrites, rewrite))
      rewrites.push_back(std::move(rewrite));
  }
}

const RewriteKind teg::orderKind = {"order", applyOrder, listOrders};
