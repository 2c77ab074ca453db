//===- EmitMonoids.cpp - How reductions combine values --------------------===//

#include "EmitMonoids.h"
#include "BodyEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScan.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryScatter.h"
#include "llvm/ADT/TypeSwitch.h"

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
static bool comparesUnsigned(Monoid monoid, ElementType type) {
  return isUnsigned(type) && (monoid == Monoid::Max || monoid == Monoid::Min);
}

static void build(OpBuilder &builder, Operation *op, const Constant &identity,
                  ElementType type, teg::CombineBuilder combine) {
  TypedAttr value = constantAttr(identity, type, builder.getContext());
  llvm::TypeSwitch<Operation *>(op)
      .Case<teg::EinsumOp, teg::ScanOp, teg::ScatterOp>([&](auto reducing) {
        teg::buildCustomMonoid(reducing, builder, value, combine);
      });
}

static void setUnsignedExtremum(OpBuilder &builder, Operation *op,
                                ElementType type, bool isMax) {
  Constant identity;
  identity.integer = isMax ? 0 : -1;
  build(builder, op, identity, type,
        [&](OpBuilder &b, Location loc, Value x, Value y) -> Value {
          if (isMax)
            return arith::MaxUIOp::create(b, loc, x, y);
          return arith::MinUIOp::create(b, loc, x, y);
        });
}

static void setCustomMonoid(OpBuilder &builder, Operation *op,
                            const CustomMonoid &monoid) {
  build(builder, op, monoid.identity, monoid.type,
        [&](OpBuilder &b, Location loc, Value x, Value y) {
          SmallVector<Value, 2> read;
          for (const Operand &operand : monoid.combine.operands)
            read.push_back(operand.tensor == 0 ? x : y);
          teg::ScalarBuilder body(b, loc);
          return BodyEmitter(body, monoid.combine, /*labels=*/{}, read,
                             /*isResult=*/false)
              .emit();
        });
}

void tapestry::ein::setCombiner(OpBuilder &builder, Operation *op,
                                const Vertex &vertex, ElementType type) {
  if (comparesUnsigned(vertex.monoid, type))
    setUnsignedExtremum(builder, op, type, vertex.monoid == Monoid::Max);
  if (vertex.custom)
    setCustomMonoid(builder, op, *vertex.custom);
}
