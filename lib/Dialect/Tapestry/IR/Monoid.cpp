//===- Monoid.cpp - The named monoids of reductions -----------------------===//

#include "tapestry/Dialect/Tapestry/IR/Monoid.h"
#include "tapestry/Interfaces/MonoidArith.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

bool teg::isLegalMonoid(Monoid monoid, Type elementType) {
  switch (monoid) {
  case Monoid::None:
  case Monoid::Custom:
  case Monoid::Max:
  case Monoid::Min:
    return true;
  case Monoid::Add:
  case Monoid::Mul:
    return !elementType.isInteger(1);
  case Monoid::And:
  case Monoid::Or:
  case Monoid::Xor:
    return isa<IntegerType>(elementType);
  }
  return false;
}

TypedAttr teg::getMonoidIdentity(Monoid monoid, Type elementType) {
  return monoidIdentity(stringifyMonoid(monoid), elementType);
}

Value teg::emitMonoid(OpBuilder &builder, Location loc, Monoid monoid, Value a,
                      Value b) {
  return tapestry::emitMonoid(builder, loc, stringifyMonoid(monoid), a, b);
}
