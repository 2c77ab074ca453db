//===- CommDialect.cpp - The comm dialect's attributes and types ----------===//

#include "LayoutFacts.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

#include "tapestry/Dialect/Comm/IR/CommDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tapestry/Dialect/Comm/IR/CommTypes.cpp.inc"

void CommDialect::initialize() {
  facts = std::make_shared<detail::LayoutFacts>();
  addTypes<
#define GET_TYPEDEF_LIST
#include "tapestry/Dialect/Comm/IR/CommTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "tapestry/Dialect/Comm/IR/CommOps.cpp.inc"
      >();
  addInterfaces<index::BytecodeVersion>();
}

//===----------------------------------------------------------------------===//
// Parts of tensors
//===----------------------------------------------------------------------===//

RankedTensorType comm::partType(index::LayoutAttr layout, Type elementType) {
  return RankedTensorType::get(
      detail::LayoutFacts::of(layout).partShape(layout), elementType);
}

int64_t comm::storedBytes(Type elementType) {
  return ceilDiv(elementType.getIntOrFloatBitWidth(), 8);
}
