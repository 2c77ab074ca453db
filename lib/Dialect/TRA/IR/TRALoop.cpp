//===- TRALoop.cpp - Loops of a program over relations --------------------===//

#include "tapestry/Dialect/TRA/IR/TRALoop.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/TRA/IR/TRALoop.cpp.inc"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

static RankedTensorType tensorOf(Type relation) {
  auto type = cast<RelationType>(relation);
  return RankedTensorType::get(type.getShape(), type.getElementType());
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
  SmallVector<Type> arguments, results;
  for (Type type : getOperandTypes())
    arguments.push_back(tensorOf(type));
  if (failed(
          verifyTypes(*this, body.getArgumentTypes(), arguments, "argument")))
    return failure();
  // loop_c2
  for (Type type : getResultTypes())
    results.push_back(tensorOf(type));
  if (getUntil())
    results.push_back(
        RankedTensorType::get({}, IntegerType::get(getContext(), 1)));
  return verifyTypes(*this, body.getResultTypes(), results, "result");
}
