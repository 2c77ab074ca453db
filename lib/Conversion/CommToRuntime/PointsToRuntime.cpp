//===- PointsToRuntime.cpp - Tokens become the order of calls -------------===//
//
// Calls are executed in order, which is all that tokens ask for. The call in
// which ranks meet may touch anything, as far as passes know, so that nothing
// on buffers is moved across.
//
//===----------------------------------------------------------------------===//

#include "BufferPointers.h"
#include "RuntimeProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "tapestry/Codegen/Common/DeviceCode.h"

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

/// A function (rank, number, buffer) that tells the runtime that the result is
/// there.
func::FuncOp RuntimeProgram::handOutCall(MemRefType buffer) {
  func::FuncOp &made = handOutCalls[buffer];
  if (made)
    return made;
  func::FuncOp runtime =
      declare("tapestry_rt_hand_out", {pointer, b.getI64Type(), pointer}, {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  made = func::FuncOp::create(
      b, loc, ("hand_out." + name + "." + Twine(handOutCalls.size() - 1)).str(),
      b.getFunctionType({pointer, b.getI64Type(), buffer}, {}));
  made.setPrivate();
  made->setAttr(deviceAttrName, b.getUnitAttr());
  Block *body = made.addEntryBlock();
  b.setInsertionPointToStart(body);
  call(loc, runtime,
       {body->getArgument(0), body->getArgument(1),
        pointerTo(b, loc, body->getArgument(2))});
  func::ReturnOp::create(b, loc);
  return made;
}

/// The result is put where the caller wants it here already. What the program
/// returns is that then, so that nobody computes in its place later.
void RuntimeProgram::lowerHandOut(comm::HandOutOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto number = static_cast<unsigned>(op.getOutput());
  Value buffer = resultBuffers[number];
  Value place = bufferization::ToTensorOp::create(
      b, loc, op.getPart().getType(), buffer, /*restrict=*/true,
      /*writable=*/true);
  auto stored = bufferization::MaterializeInDestinationOp::create(
      b, loc, op.getPart(), place);
  program.front().getTerminator()->setOperand(number, stored.getResult());
  call(loc, handOutCall(cast<MemRefType>(buffer.getType())),
       {rank, arith::ConstantOp::create(b, loc, op.getOutputAttr()), buffer});
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
