//===- TRALoop.cpp - Loops of a program over relations --------------------===//

#include "tapestry/Dialect/TRA/IR/TRALoop.h"
#include "tapestry/Dialect/Index/IR/LoopRules.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/TRA/IR/TRALoop.cpp.inc"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

static RankedTensorType tensorOf(Type relation) {
  auto type = cast<RelationType>(relation);
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

LogicalResult LoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // loop_c1, loop_c2
  SmallVector<Type> arguments, results;
  for (Type type : getOperandTypes())
    arguments.push_back(tensorOf(type));
  for (Type type : getResultTypes())
    results.push_back(tensorOf(type));
  if (getUntil())
    results.push_back(
        RankedTensorType::get({}, IntegerType::get(getContext(), 1)));
  return index::lookupLoopBody(*this, getBodyAttr(), symbols, arguments,
                               results);
}
