//===- OperatorOp.cpp - Rules of tapestry.operator ------------------------===//
//
// The checks carry the labels of the constraints in the op's description.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.h"

using namespace mlir;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryOperator.cpp.inc"

void OperatorOp::getAsmResultNames(
    function_ref<void(Value, StringRef)> setName) {
  if (!getOutputs().empty())
    detail::nameResult(getOutputs().front(), getName(), setName);
}

LogicalResult OperatorOp::verify() {
  // operator_c1
  if (getName().empty() || getKind().empty())
    return emitOpError() << "has the name \"" << getName()
                         << "\" and the kind \"" << getKind()
                         << "\", expected some of both";
  // operator_c2
  if (getOutputs().empty())
    return emitOpError() << "\"" << getName()
                         << "\" has 0 results, expected at least 1";
  return success();
}
