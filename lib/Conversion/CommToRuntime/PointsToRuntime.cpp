//===- PointsToRuntime.cpp - Tokens become the order of calls -------------===//
//
// Calls are executed in order, which is all that tokens ask for. The call in
// which ranks meet may touch anything, as far as passes know, so that nothing
// on buffers is moved across.
//
//===----------------------------------------------------------------------===//

#include "RuntimeProgram.h"

using namespace mlir;
using namespace tapestry;

void tapestry::dropToken(Value token) {
  for (OpOperand &use : llvm::make_early_inc_range(token.getUses())) {
    if (auto loop = dyn_cast<comm::LoopOp>(use.getOwner()))
      loop.getAfterMutable().clear();
    else
      use.getOwner()->eraseOperand(use.getOperandNumber());
  }
}

void RuntimeProgram::lowerPoint(comm::PointOp op) {
  b.setInsertionPoint(op);
  func::FuncOp meet = declare("tapestry_rt_point", {pointer}, {});
  func::CallOp::create(b, op.getLoc(), meet, rank);
  dropToken(op.getToken());
  op.erase();
}

void RuntimeProgram::lowerAwaits() {
  for (auto op :
       llvm::make_early_inc_range(program.front().getOps<comm::AwaitOp>())) {
    op.getResult().replaceAllUsesWith(op.getSource());
    op.erase();
  }
}
