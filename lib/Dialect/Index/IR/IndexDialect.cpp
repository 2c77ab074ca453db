//===- IndexDialect.cpp - The tapestry_index dialect ----------------------===//

#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/OpImplementation.h"
#include "tapestry/Dialect/Index/IR/IndexAttrs.h"
#include "tapestry/Dialect/Index/IR/OwnAttributes.h"

using namespace mlir;
using namespace tapestry::index;

#include "tapestry/Dialect/Index/IR/IndexDialect.cpp.inc"

namespace {
/// Short names for the attributes that many ops share.
struct IndexAsmInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<GridAttr>(attr)) {
      os << "grid";
      return AliasResult::OverridableAlias;
    }
    if (isa<LayoutAttr>(attr)) {
      os << "layout";
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

void TapestryIndexDialect::initialize() {
  registerAttributes();
  registerOps();
  registerBytecode();
  addInterfaces<IndexAsmInterface>();
}

Operation *TapestryIndexDialect::materializeConstant(OpBuilder &builder,
                                                     Attribute value, Type type,
                                                     Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

// No attribute of an operation, an argument or a result is this dialect's.

LogicalResult
TapestryIndexDialect::verifyOperationAttribute(Operation *op,
                                               NamedAttribute attribute) {
  return verifyOwnAttribute(op, attribute, {});
}

LogicalResult TapestryIndexDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  return verifyOwnAttribute(op, attribute, {});
}

LogicalResult TapestryIndexDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  return verifyOwnAttribute(op, attribute, {});
}
