//===- RelativeSums.cpp - Bodies that sum up exp(x - m) -------------------===//

#include "tapestry/Dialect/Index/IR/RelativeSums.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tapestry;

arith::SelectOp index::matchFiniteOrZero(Value value, Value number) {
  auto choice = value.getDefiningOp<arith::SelectOp>();
  if (!choice || choice.getTrueValue() != number ||
      !matchPattern(choice.getFalseValue(), m_AnyZeroFloat()))
    return {};
  auto compared = choice.getCondition().getDefiningOp<arith::CmpFOp>();
  if (!compared || compared.getPredicate() != arith::CmpFPredicate::OLT ||
      !matchPattern(compared.getRhs(), m_PosInfFloat()))
    return {};
  auto absolute = compared.getLhs().getDefiningOp<math::AbsFOp>();
  return absolute && absolute.getOperand() == number ? choice
                                                     : arith::SelectOp();
}

bool index::isSameOp(Operation *a, Operation *b,
                     llvm::function_ref<bool(Value, Value)> areSame) {
  return a->getName() == b->getName() && a->getNumRegions() == 0 &&
         a->getNumOperands() == b->getNumOperands() &&
         a->getDiscardableAttrDictionary() ==
             b->getDiscardableAttrDictionary() &&
         a->getPropertiesAsAttribute() == b->getPropertiesAsAttribute() &&
         a->getResultTypes() == b->getResultTypes() &&
         llvm::all_of(llvm::zip_equal(a->getOperands(), b->getOperands()),
                      [&](auto pair) {
                        return areSame(std::get<0>(pair), std::get<1>(pair));
                      });
}

Value index::emitLeast(OpBuilder &b, Location loc, Type type) {
  auto number = cast<FloatType>(type);
  APFloat least = APFloat::getInf(number.getFloatSemantics(),
                                  /*Negative=*/true);
  return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, least));
}

Value index::emitIsLeast(OpBuilder &b, Location loc, Value value) {
  Value least = emitLeast(b, loc, value.getType());
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, value, least);
}

Value index::emitWeighed(OpBuilder &b, Location loc, Value sum, Value weight,
                         Value isVoid) {
  Value product = arith::MulFOp::create(b, loc, sum, weight);
  Value zero =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(sum.getType(), 0.0));
  Value isLight =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, weight, zero);
  Value canVanish =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ORD, sum, sum);
  if (isVoid)
    canVanish = arith::OrIOp::create(b, loc, canVanish, isVoid);
  Value vanishes = arith::AndIOp::create(b, loc, isLight, canVanish);
  return arith::SelectOp::create(b, loc, vanishes, zero, product);
}
