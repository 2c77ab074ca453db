//===- EmitMonoids.cpp - How reductions combine values --------------------===//

#include "EmitMonoids.h"
#include "BodyEmitter.h"
#include "tapestry/Dialect/Tapestry/Macros/Macros.h"

using namespace mlir;
using namespace tapestry::ein;
namespace teg = tapestry::teg;

tapestry::Monoid tapestry::ein::convert(Monoid monoid) {
  switch (monoid) {
  case Monoid::None:
    return tapestry::Monoid::None;
  case Monoid::Sum:
    return tapestry::Monoid::Add;
  case Monoid::Prod:
    return tapestry::Monoid::Mul;
  case Monoid::Max:
    return tapestry::Monoid::Max;
  case Monoid::Min:
    return tapestry::Monoid::Min;
  case Monoid::All:
    return tapestry::Monoid::And;
  case Monoid::Any:
    return tapestry::Monoid::Or;
  case Monoid::Xor:
    return tapestry::Monoid::Xor;
  case Monoid::Custom:
    return tapestry::Monoid::Custom;
  }
  llvm_unreachable("all monoids are converted");
}

/// Of monoids only the maximum and the minimum have a sign.
bool tapestry::ein::comparesUnsigned(Monoid monoid, ElementType type) {
  return isUnsigned(type) && (monoid == Monoid::Max || monoid == Monoid::Min);
}

Value tapestry::ein::emitCombined(OpBuilder &builder, Location loc,
                                  const CustomMonoid &monoid, Value x,
                                  Value y) {
  SmallVector<Value, 2> read;
  for (const Operand &operand : monoid.combine.operands)
    read.push_back(operand.tensor == 0 ? x : y);
  teg::ScalarBuilder body(builder, loc);
  return BodyEmitter(body, monoid.combine, /*labels=*/{}, read,
                     /*isResult=*/false)
      .emit();
}

static void setCustomMonoid(OpBuilder &builder, Operation *op,
                            const CustomMonoid &monoid) {
  teg::combineBy(
      builder, op,
      constantAttr(monoid.identity, monoid.type, builder.getContext()),
      [&](OpBuilder &b, Location loc, Value x, Value y) {
        return emitCombined(b, loc, monoid, x, y);
      });
}

void tapestry::ein::setCombiner(OpBuilder &builder, Operation *op,
                                const Vertex &vertex, ElementType type) {
  if (comparesUnsigned(vertex.monoid, type))
    teg::compareUnsigned(builder, op, vertex.monoid == Monoid::Max);
  if (vertex.custom)
    setCustomMonoid(builder, op, *vertex.custom);
}
