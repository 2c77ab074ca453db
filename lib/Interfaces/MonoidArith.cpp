//===- MonoidArith.cpp - Monoids in the arith dialect ---------------------===//

#include "tapestry/Interfaces/MonoidArith.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

/// The upstream name of a monoid, which arith knows to build and to neutralise.
static std::optional<arith::AtomicRMWKind> kindOf(llvm::StringRef name,
                                                  Type type) {
  using Kind = arith::AtomicRMWKind;
  bool isFloat = isa<FloatType>(type);
  bool isBool = type.isInteger(1);
  if (name == "add" && !isBool)
    return isFloat ? Kind::addf : Kind::addi;
  if (name == "mul" && !isBool)
    return isFloat ? Kind::mulf : Kind::muli;
  // The value of a bool is 0 or 1, not 0 or -1.
  if (name == "max")
    return isFloat ? Kind::maximumf : isBool ? Kind::maxu : Kind::maxs;
  if (name == "min")
    return isFloat ? Kind::minimumf : isBool ? Kind::minu : Kind::mins;
  if (isFloat)
    return std::nullopt;
  if (name == "and")
    return Kind::andi;
  if (name == "or")
    return Kind::ori;
  if (name == "xor")
    return Kind::xori;
  return std::nullopt;
}

Value tapestry::emitMonoid(OpBuilder &builder, Location loc,
                           llvm::StringRef name, Value a, Value b) {
  auto kind = kindOf(name, a.getType());
  // Upstream's reductions lack xor.
  if (kind == arith::AtomicRMWKind::xori)
    return arith::XOrIOp::create(builder, loc, a, b);
  return kind ? arith::getReductionOp(*kind, builder, loc, a, b) : Value();
}

TypedAttr tapestry::monoidIdentity(llvm::StringRef name, Type type) {
  auto kind = kindOf(name, type);
  if (!kind)
    return {};
  OpBuilder builder(type.getContext());
  if (kind == arith::AtomicRMWKind::xori)
    return builder.getIntegerAttr(type, 0);
  return arith::getIdentityValueAttr(*kind, type, builder,
                                     UnknownLoc::get(type.getContext()));
}
