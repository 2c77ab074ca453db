//===- CommLoop.cpp - Loops of a device program ---------------------------===//

#include "tapestry/Dialect/Comm/IR/CommLoop.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/Comm/IR/CommLoop.cpp.inc"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::comm;

void LoopOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getToken(), "token");
}

static LogicalResult verifyTypes(LoopOp loop, TypeRange given, TypeRange wanted,
                                 const char *what) {
  if (given.size() != wanted.size())
    return loop.emitOpError()
           << "calls " << loop.getBody() << " with " << wanted.size() << " "
           << what << "s, but that has " << given.size();
  for (auto [number, types] : llvm::enumerate(llvm::zip(given, wanted)))
    if (auto [own, needed] = types; own != needed)
      return loop.emitOpError()
             << "calls " << loop.getBody() << ", whose " << what << " "
             << number << " is " << own << ", expected " << needed;
  return success();
}

LogicalResult LoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // loop_c1
  auto body = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getBodyAttr());
  if (!body)
    return emitOpError() << "calls " << getBody() << ", which is no function";
  SmallVector<Type> arguments(getInits().getTypes()), results = arguments;
  llvm::append_range(arguments, getInvariants().getTypes());
  if (failed(
          verifyTypes(*this, body.getArgumentTypes(), arguments, "argument")))
    return failure();
  for (unsigned number = 0; number < getInits().size(); ++number)
    if (!body.getArgAttrOfType<index::LayoutAttr>(number, "comm.layout"))
      return emitOpError() << "calls " << getBody() << ", whose argument "
                           << number << " has no 'comm.layout'";
  // loop_c2
  if (getUntil())
    results.push_back(
        RankedTensorType::get({}, IntegerType::get(getContext(), 8)));
  return verifyTypes(*this, body.getResultTypes(), results, "result");
}
