//===- NestFactors.cpp - Sums of products of narrow numbers ---------------===//
//
// Processors add several products of narrow numbers at a time. Which nests are
// such sums is read from their types: nothing but the products of two inputs,
// both widened to the type in which they are added.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Common/Nest.h"

using namespace mlir;

namespace tapestry {

/// What a factor of a product is, an input that is widened to 32 bits.
static Factor factorOf(Value value) {
  Operation *widening = value.getDefiningOp();
  if (!widening || !widens(widening) ||
      !isa<BlockArgument>(widening->getOperand(0)))
    return Factor::None;
  Type from = widening->getOperand(0).getType();
  if (from.isBF16() && value.getType().isF32())
    return Factor::BF16;
  if (!value.getType().isInteger(32) ||
      !(from.isInteger(8) || from.isInteger(16)))
    return Factor::None;
  return isa<arith::ExtSIOp>(widening) ? Factor::Signed : Factor::Unsigned;
}

void Nest::readFactors() {
  if (outputs.size() != 1 ||
      !isa_and_nonnull<arith::AddFOp, arith::AddIOp>(outputs[0].combine))
    return;
  Operation *product = outputs[0].contribution.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return;
  SmallVector<std::pair<unsigned, Factor>, 2> found;
  for (Value value : product->getOperands()) {
    Factor factor = factorOf(value);
    if (factor == Factor::None)
      return;
    auto argument = cast<BlockArgument>(value.getDefiningOp()->getOperand(0));
    // A scalar, or one that the body reads in another way as well, is none.
    if (argument.getOwner() != &body() ||
        argument.getArgNumber() >= numInputs() ||
        !conversionOf(argument.getArgNumber()) ||
        !isa<MemRefType>(op->getOperand(argument.getArgNumber()).getType()))
      return;
    found.push_back({argument.getArgNumber(), factor});
  }
  if (found[0].first == found[1].first)
    return;
  for (auto [number, factor] : found)
    problem.accesses[number].factor = factor;
}

} // namespace tapestry
