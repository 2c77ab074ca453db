//===- CommDialect.cpp - The comm dialect's attributes and types ----------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tapestry/Dialect/Comm/IR/Comm.h"
#include "tapestry/Dialect/Index/IR/BytecodeVersion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

#include "tapestry/Dialect/Comm/IR/CommDialect.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "tapestry/Dialect/Comm/IR/CommTypes.cpp.inc"

void CommDialect::initialize() {
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
  SmallVector<int64_t> shape;
  for (const LayoutDim &dim : layout.getLayout().dims)
    shape.push_back(uniformExtent(layout.getDeviceGrid(), dim)
                        .value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, elementType);
}

int64_t comm::storedBytes(Type elementType) {
  return ceilDiv(elementType.getIntOrFloatBitWidth(), 8);
}
