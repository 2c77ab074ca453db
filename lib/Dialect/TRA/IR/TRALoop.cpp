//===- TRALoop.cpp - Loops of a program over relations --------------------===//

#include "tapestry/Dialect/TRA/IR/TRALoop.h"
#include "tapestry/Dialect/Index/IR/LoopRules.h"
#include "tapestry/Dialect/TRA/IR/TRA.h"

#define GET_OP_CLASSES
#include "tapestry/Dialect/TRA/IR/TRALoop.cpp.inc"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::tra;

static RankedTensorType tensorOf(Type relation) {
  auto type = cast<RelationType>(relation);
  return RankedTensorType::get(type.getShape(), type.getElementType());
}

/// loop_c3
static LogicalResult verifyRelations(LoopOp loop, FunctionOpInterface body) {
  auto verify = [&](const char *what, unsigned number, Attribute own,
                    Type wanted) -> LogicalResult {
    index::LayoutAttr needed = cast<RelationType>(wanted).getLayout();
    if (own == needed)
      return success();
    return loop.emitOpError()
           << "calls " << loop.getBody() << ", whose " << what << " " << number
           << " is laid out by " << own << ", expected " << needed;
  };
  for (auto [number, type] : llvm::enumerate(loop.getOperandTypes())) {
    auto layout =
        body.getArgAttrOfType<index::LayoutAttr>(number, "comm.layout");
    if (layout && failed(verify("argument", number, layout, type)))
      return failure();
    if (body.isExternal())
      continue;
    for (Operation *user : body.getArgument(number).getUsers())
      if (auto from = dyn_cast<FromTensorOp>(user))
        if (failed(verify("argument", number,
                          from.getRelation().getType().getLayout(), type)))
          return failure();
  }
  if (body.isExternal())
    return success();
  Operation *exit = body.getFunctionBody().front().getTerminator();
  for (auto [number, type, value] :
       llvm::enumerate(loop.getResultTypes(),
                       exit->getOperands().take_front(loop.getNumResults())))
    if (auto to = value.getDefiningOp<ToTensorOp>())
      if (failed(verify("result", number,
                        to.getRelation().getType().getLayout(), type)))
        return failure();
  return success();
}

LogicalResult LoopOp::verifySymbolUses(SymbolTableCollection &symbols) {
  // loop_c1, loop_c2, loop_c4
  SmallVector<Type> arguments, results;
  for (Type type : getOperandTypes())
    arguments.push_back(tensorOf(type));
  for (Type type : getResultTypes())
    results.push_back(tensorOf(type));
  if (getUntil())
    results.push_back(
        RankedTensorType::get({}, IntegerType::get(getContext(), 1)));
  FailureOr<FunctionOpInterface> body =
      index::lookupLoopBody(*this, getBodyAttr(), symbols, arguments, results);
  return failed(body) ? failure() : verifyRelations(*this, *body);
}
