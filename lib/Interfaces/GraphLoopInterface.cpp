//===- GraphLoopInterface.cpp - Loops of a graph --------------------------===//

#include "tapestry/Interfaces/GraphLoopInterface.h"
#include "tapestry/Interfaces/BlockOpInterface.h"
#include "tapestry/Interfaces/GraphNodeInterface.h"

#include "tapestry/Interfaces/GraphLoopInterface.cpp.inc"

using namespace mlir;
using namespace tapestry;

OpResult tapestry::producerOf(Value tensor) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      tensor = argument.getOwner()->getParentOp()->getOperand(
          argument.getArgNumber());
      continue;
    }
    auto result = cast<OpResult>(tensor);
    auto loop = dyn_cast<GraphLoopInterface>(result.getOwner());
    if (!loop)
      return result;
    tensor = loop.getNexts()[result.getResultNumber()];
  }
}

bool tapestry::isHandedOut(Value tensor) {
  return llvm::any_of(tensor.getUses(), [](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<BlockOpInterface, GraphLoopInterface>(user) && !isGraphSink(user))
      return false;
    auto node = dyn_cast<GraphNodeInterface>(user);
    if (node && node.getNodeDevice())
      return false;
    auto loop = dyn_cast_or_null<GraphLoopInterface>(user->getParentOp());
    if (!loop)
      return true;
    // What the body ends with leaves it as a result; nobody sees its stop.
    for (auto [next, result] :
         llvm::zip_equal(loop.getNexts(), loop->getResults()))
      if (next == use.get() && isHandedOut(result))
        return true;
    return false;
  });
}
