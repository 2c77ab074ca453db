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

SmallVector<int64_t> comm::sourceDevices(const DeviceGrid &grid,
                                         const Layout &from, const Layout &to) {
  SmallVector<int64_t> sources;
  Cut axes = from.usedAxes();
  for (int64_t device = 0, e = grid.numDevices(); device < e; ++device) {
    ZBox target = to.box(grid, device);
    auto holdsTarget = [&](int64_t holder) {
      return isEmpty(target) || contains(from.box(grid, holder), target);
    };
    if (holdsTarget(device)) {
      sources.push_back(device);
      continue;
    }
    // The devices that differ from the receiver only on axes that cut the
    // source: those that `servingDevice` names.
    SmallVector<int64_t> holders = groupOf(grid, axes, device);
    auto *holder = llvm::find_if(holders, holdsTarget);
    sources.push_back(holder == holders.end() ? -1 : *holder);
  }
  return sources;
}
