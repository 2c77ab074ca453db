//===- TRAPoint.cpp - The order of a program over relations ---------------===//

#include "tapestry/Dialect/TRA/IR/TRAPoint.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/TRA/IR/TRAPoint.cpp.inc"

using namespace mlir;
using namespace tapestry::tra;

LogicalResult AwaitOp::verify() {
  // await_c1
  if (getAfter().empty())
    return emitOpError("awaits no point");
  return success();
}
