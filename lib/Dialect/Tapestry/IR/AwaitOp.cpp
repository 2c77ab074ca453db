//===- AwaitOp.cpp - What follows a sequence point ------------------------===//

#include "Placement.h"
#include "PlacementRules.h"
#include "SelectorLowering.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.h"
#include "tapestry/Interfaces/SelectorInterface.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tapestry;
using namespace tapestry::teg;

#define GET_OP_CLASSES
#include "tapestry/Dialect/Tapestry/IR/TapestryAwait.cpp.inc"

std::vector<Access> AwaitOp::getAccesses(unsigned) {
  return {Access{Projection::identity(getResultType().getRank())}};
}

LogicalResult AwaitOp::verify() {
  // await_c1
  if (getPoints().empty())
    return emitOpError("awaits no point");
  for (Value point : getPoints())
    if (point.getParentBlock() != (*this)->getBlock())
      return emitOpError()
             << "awaits a point that stands in another block than "
                "'"
             << getName() << "'";
  // await_c2, await_c3, await_c4
  if (failed(verifyPartition(*this, getPartitionAttr(),
                             getResultType().getRank(), "dimension")) ||
      failed(verifyHome(*this, getHomeAttr(), getResultType().getShape())))
    return failure();
  return verifyRoutes(*this, getHomeRouteAttr(), getOperandRoutesAttr(),
                      getHomeAttr(), getInput());
}

FailureOr<llvm::SmallVector<Value>>
AwaitOp::lowerLocal(OpBuilder &b, Location loc, const LocalBlock &block) {
  Value window = block.windows.front();
  if (window.getType() != block.results.front())
    window = tensor::CastOp::create(b, loc, block.results.front(), window);
  return llvm::SmallVector<Value>{window};
}

llvm::Expected<std::vector<HostTensor>>
AwaitOp::evaluate(llvm::ArrayRef<const HostTensor *> operands) {
  return std::vector<HostTensor>{*operands.front()};
}

SmallVector<Value>
teg::pointsBehind(Operation *op, llvm::function_ref<bool(Operation *)> isView) {
  if (op->getNumOperands() != 0 || isa<GraphNodeInterface>(op))
    return {};
  llvm::SetVector<Value> points;
  llvm::SetVector<Operation *> readers(op->user_begin(), op->user_end());
  for (size_t next = 0; next < readers.size(); ++next) {
    Operation *reader = readers[next];
    if (auto await = dyn_cast<AwaitOp>(reader)) {
      for (Value point : await.getPoints())
        if (Operation *maker = point.getDefiningOp();
            maker && maker->getBlock() == op->getBlock() &&
            maker->isBeforeInBlock(op))
          points.insert(point);
    } else if (isa<SelectorInterface>(reader) && isView(reader)) {
      readers.insert(reader->user_begin(), reader->user_end());
    }
  }
  return points.takeVector();
}
