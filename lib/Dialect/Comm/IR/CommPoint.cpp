//===- CommPoint.cpp - The order of a device program ----------------------===//

#include "tapestry/Dialect/Comm/IR/CommPoint.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommPoint.cpp.inc"

using namespace mlir;
using namespace tapestry::comm;

LogicalResult AwaitOp::verify() {
  // await_c1
  if (getAfter().empty())
    return emitOpError("awaits no point");
  return success();
}
