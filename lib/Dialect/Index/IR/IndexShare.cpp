//===- IndexShare.cpp - What one thread computes --------------------------===//

#include "tapestry/Dialect/Index/IR/IndexShare.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tapestry::index;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Index/IR/IndexShare.cpp.inc"
