//===- CommLoop.cpp - Loops of a device program ---------------------------===//

#include "tapestry/Dialect/Comm/IR/CommLoop.h"
#include "mlir/IR/Builders.h"
#include "tapestry/Dialect/Index/IR/LoopRules.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommLoop.cpp.inc"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

void LoopOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getToken(), "token");
}

LogicalResult LoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // loop_c1, loop_c2, loop_c3
  SmallVector<Type> arguments(getInits().getTypes()), results = arguments;
  llvm::append_range(arguments, getInvariants().getTypes());
  if (getUntil())
    results.push_back(
        RankedTensorType::get({}, IntegerType::get(getContext(), 8)));
  FailureOr<FunctionOpInterface> body =
      index::lookupLoopBody(*this, getBodyAttr(), symbols, arguments, results);
  if (failed(body))
    return failure();
  for (unsigned number = 0; number < getInits().size(); ++number)
    if (!body->getArgAttrOfType<index::LayoutAttr>(number, "comm.layout"))
      return emitOpError() << "calls " << getBody() << ", whose argument "
                           << number << " has no 'comm.layout'";
  return success();
}
