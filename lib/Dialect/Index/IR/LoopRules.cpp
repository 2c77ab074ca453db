//===- LoopRules.cpp - Functions that loops run ---------------------------===//

#include "tapestry/Dialect/Index/IR/LoopRules.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tapestry;

static LogicalResult verifyTypes(Operation *loop, FlatSymbolRefAttr body,
                                 TypeRange given, TypeRange wanted,
                                 const char *what) {
  if (given.size() != wanted.size())
    return loop->emitOpError()
           << "calls " << body.getValue() << " with " << wanted.size() << " "
           << what << "s, but that has " << given.size();
  for (auto [number, types] : llvm::enumerate(llvm::zip(given, wanted)))
    if (auto [own, needed] = types; own != needed)
      return loop->emitOpError()
             << "calls " << body.getValue() << ", whose " << what << " "
             << number << " is " << own << ", expected " << needed;
  return success();
}

/// Whether `body`, and what the loops in it call, calls `caller`.
static bool reaches(Operation *loop, FunctionOpInterface body,
                    FunctionOpInterface caller,
                    SymbolTableCollection &symbols) {
  llvm::SetVector<Operation *> functions;
  functions.insert(body);
  for (size_t at = 0; at < functions.size(); ++at)
    functions[at]->walk([&](Operation *op) {
      if (op->getName() != loop->getName())
        return;
      if (auto called = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
              op, op->getAttrOfType<FlatSymbolRefAttr>("body")))
        functions.insert(called);
    });
  return functions.contains(caller);
}

FailureOr<FunctionOpInterface>
index::lookupLoopBody(Operation *loop, FlatSymbolRefAttr body,
                      SymbolTableCollection &symbols, TypeRange arguments,
                      TypeRange results) {
  auto function =
      symbols.lookupNearestSymbolFrom<FunctionOpInterface>(loop, body);
  if (!function)
    return loop->emitOpError()
           << "calls " << body.getValue() << ", which is no function";
  if (failed(verifyTypes(loop, body, function.getArgumentTypes(), arguments,
                         "argument")) ||
      failed(verifyTypes(loop, body, function.getResultTypes(), results,
                         "result")))
    return failure();
  auto caller = loop->getParentOfType<FunctionOpInterface>();
  if (caller && reaches(loop, function, caller, symbols))
    return loop->emitOpError()
           << "calls " << body.getValue() << ", which comes to this loop again";
  return function;
}
