//===- PartialResults.cpp - What blocks of a reduction give ---------------===//

#include "PartialResults.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

/// Lets an operator emit its combination of two accumulators.
static void fillCombiner(OpBuilder &b, BlockOpInterface op, unsigned result,
                         Region &combiner) {
  OpBuilder::InsertionGuard guard(b);
  Location loc = op.getLoc();
  Type type = getElementTypeOrSelf(op.getMonoidIdentity(result));
  Block *block = b.createBlock(&combiner, {}, {type, type}, {loc, loc});
  Value combined = op.emitCombine(result, b, loc, block->getArgument(0),
                                  block->getArgument(1));
  YieldOp::create(b, loc, combined);
}

/// "block" and what the dimensions of a result are called.
static SmallVector<std::string> stackLabels(BlockOpInterface op,
                                            unsigned result) {
  SmallVector<std::string> names = op.getLabelNames(), labels = {"block"};
  Projection written = op.getResultProjections()[result];
  for (auto [number, dim] : llvm::enumerate(written.dims))
    labels.push_back(dim.terms.empty() ? "d" + std::to_string(number)
                                       : names[dim.terms[0].dim]);
  // No two are equal.
  for (std::string &label : labels)
    while (llvm::count(labels, label) > 1)
      label += "_";
  return labels;
}

EinsumOp teg::createReduction(OpBuilder &builder, BlockOpInterface op,
                              unsigned result, StringRef name, Value stack,
                              Type elementType) {
  auto type = cast<RankedTensorType>(stack.getType());
  SmallVector<std::string> names = stackLabels(op, result);
  SmallVector<StringRef> labels(names.begin(), names.end());
  AffineMap all = builder.getMultiDimIdentityMap(type.getRank());
  Monoid monoid = op.getResultMonoid(result);
  TypedAttr identity = op.getMonoidIdentity(result);
  // One whose identity is another, as -0.0, is no monoid with a name.
  if (monoidIdentity(monoid, type.getElementType()) != identity)
    monoid = Monoid::Custom;
  auto made = EinsumOp::create(
      builder, op.getLoc(), name, labels, type.getShape(), stack,
      {all, all.dropResult(0)}, /*pads=*/{},
      monoid == Monoid::Custom ? Monoid::Add : monoid,
      RankedTensorType::get(type.getShape().drop_front(), elementType),
      [](OpBuilder &, Location, ValueRange elements) { return elements[0]; });
  if (monoid == Monoid::Custom) {
    made.setMonoidAttr(index::MonoidAttr::get(builder.getContext(), monoid));
    made.setCustomIdentityAttr(identity);
    fillCombiner(builder, op, result, made.getCombiner());
  }
  return made;
}

bool teg::combineAlike(BlockOpInterface a, unsigned resultOfA,
                       BlockOpInterface b, unsigned resultOfB) {
  TypedAttr identity = a.getMonoidIdentity(resultOfA);
  if (!identity || identity != b.getMonoidIdentity(resultOfB))
    return false;
  OpBuilder builder(a.getContext());
  Region first, second;
  fillCombiner(builder, a, resultOfA, first);
  fillCombiner(builder, b, resultOfB, second);
  return OperationEquivalence::isRegionEquivalentTo(
      &first, &second, OperationEquivalence::IgnoreLocations);
}
