//===- PointsToRuntime.cpp - Tokens become the order of calls -------------===//
//
// Calls are executed in order, which is all that tokens ask for. The call in
// which ranks meet may touch anything, as far as passes know, so that nothing
// on buffers is moved across.
//
//===----------------------------------------------------------------------===//

#include "BufferPointers.h"
#include "ProgramAttributes.h"
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

/// What hands a result out, or takes an argument in, has one of the program.
LogicalResult RuntimeProgram::verifyBorder(func::FuncOp function,
                                           Operation *op) {
  if (auto handOut = dyn_cast<comm::HandOutOp>(op)) {
    auto types = function.getFunctionType().getResults();
    uint64_t number = handOut.getOutput();
    if (function != program || number >= types.size() ||
        types[number] != handOut.getPart().getType())
      return op->emitOpError("hands out ")
             << handOut.getPart().getType() << " as result " << number
             << " of '" << function.getSymName()
             << "', which is no such result of a program";
  }
  if (auto takeIn = dyn_cast<comm::TakeInOp>(op)) {
    auto argument = dyn_cast<BlockArgument>(takeIn.getSource());
    if (function != program || !argument || !argument.hasOneUse())
      return op->emitOpError("takes in what is no argument of a program that "
                             "nothing else reads, in '")
             << function.getSymName() << "'";
  }
  return success();
}

void RuntimeProgram::lowerPoint(comm::PointOp op) {
  b.setInsertionPoint(op);
  func::FuncOp meet = declare("tapestry_rt_point", {pointer}, {});
  func::CallOp::create(b, op.getLoc(), meet, rank);
  dropToken(op.getToken());
  op.erase();
}

/// A function (rank, number, buffer) that calls tapestry_rt_`what`.
func::FuncOp RuntimeProgram::callOn(StringRef what, MemRefType buffer) {
  func::FuncOp &made = borderCalls[{buffer, what}];
  if (made)
    return made;
  func::FuncOp runtime = declare(("tapestry_rt_" + what).str(),
                                 {pointer, b.getI64Type(), pointer}, {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  made = func::FuncOp::create(
      b, loc, (what + "." + name + "." + Twine(borderCalls.size() - 1)).str(),
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

void RuntimeProgram::callWithBuffer(Location loc, StringRef what,
                                    int64_t number, Value buffer) {
  Value tensor = arith::ConstantIntOp::create(b, loc, number, /*width=*/64);
  call(loc, callOn(what, cast<MemRefType>(buffer.getType())),
       {rank, tensor, buffer});
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
  callWithBuffer(loc, "hand_out", number, buffer);
  dropToken(op.getToken());
  op.erase();
}

/// Who reads the argument does so in its memory, which is filled here.
void RuntimeProgram::lowerTakeIn(comm::TakeInOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto given = op.getSource().getDefiningOp<bufferization::ToTensorOp>();
  Value buffer = given.getBuffer();
  // Behind what runs the program.
  unsigned number = cast<BlockArgument>(buffer).getArgNumber() - 1;
  NamedAttrList described(cast<DictionaryAttr>(inputs[number]));
  described.set(program::takenIn, b.getUnitAttr());
  inputs[number] = described.getDictionary(b.getContext());
  callWithBuffer(loc, "take_in", number, buffer);
  Value there = bufferization::ToTensorOp::create(
      b, loc, op.getPart().getType(), buffer, /*restrict=*/true);
  op.getPart().replaceAllUsesWith(there);
  dropToken(op.getToken());
  op.erase();
  given.erase();
}

void RuntimeProgram::lowerAwaits() {
  for (auto op :
       llvm::make_early_inc_range(program.front().getOps<comm::AwaitOp>())) {
    op.getResult().replaceAllUsesWith(op.getSource());
    op.erase();
  }
}
