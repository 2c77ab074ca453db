//===- LoopsToRuntime.cpp - Loops become calls on two sets of buffers -----===//
//
// The body of a loop becomes a function as a program does. It is called in
// turns on two sets of buffers, so that nothing is copied between passes. What
// a pass only puts a part into has one buffer.
//
//===----------------------------------------------------------------------===//

#include "RuntimeProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tapestry;

/// Which of its results are the argument of their number with parts replaced,
/// which nothing else reads.
static llvm::BitVector findInPlace(func::FuncOp body) {
  ValueRange results = body.front().getTerminator()->getOperands();
  llvm::BitVector inPlace(results.size());
  for (auto [number, result] : llvm::enumerate(results)) {
    Value value = result;
    auto insert = value.getDefiningOp<tensor::InsertSliceOp>();
    for (; insert && value.hasOneUse();
         insert = value.getDefiningOp<tensor::InsertSliceOp>())
      value = insert.getDest();
    if (value != result && value.hasOneUse() &&
        number < body.getNumArguments() && value == body.getArgument(number))
      inPlace.set(number);
  }
  return inPlace;
}

llvm::BitVector RuntimeProgram::lowerBody(func::FuncOp body) {
  if (auto known = loweredBodies.find(body); known != loweredBodies.end())
    return known->second;
  llvm::BitVector inPlace = findInPlace(body);
  loweredBodies[body] = inPlace;
  llvm::SaveAndRestore restoreProgram(program, body);
  llvm::SaveAndRestore restoreRank(rank), restoreDevice(device);
  llvm::SaveAndRestore restoreBuffers(resultBuffers, {});
  OpBuilder::InsertionGuard guard(b);
  lowerSignature(/*isBody=*/true, inPlace);
  lowerOps();
  storeResults();
  body->setAttr(deviceAttrName, b.getUnitAttr());
  return inPlace;
}

/// Whether as many passes as are known beforehand end where they began.
static bool endsInFirst(comm::LoopOp op) {
  return !op.getUntil() && op.getTrips() % 2 == 0;
}

/// The calls: passes of even number read `first` and write `second`, the others
/// the other way round; the first pass reads `starts` where there are some.
/// Leaves the last values in `second`, unless they are known to end in `first`.
/// Where both are one, passes write what they read.
void RuntimeProgram::emitPasses(comm::LoopOp op, ArrayRef<Value> starts,
                                ArrayRef<Value> first, ArrayRef<Value> second,
                                ValueRange invariants) {
  Location loc = op.getLoc();
  auto body = module.lookupSymbol<func::FuncOp>(op.getBody());
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value zero = constant(0), one = constant(1), most = constant(op.getTrips());
  Value stop;
  if (op.getUntil())
    stop = memref::AllocOp::create(b, loc, MemRefType::get({}, b.getI8Type()),
                                   ValueRange(), b.getI64IntegerAttr(64));
  auto isOdd = [&](Value number) -> Value {
    Value bit = arith::AndIOp::create(b, loc, number, one);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bit, one);
  };
  auto emitPass = [&](Value number) {
    Value odd = isOdd(number);
    SmallVector<Value> operands = {rank}, targets;
    Value isFirst;
    for (auto [start, even, other] : llvm::zip_equal(starts, first, second)) {
      if (even == other) {
        operands.push_back(even);
        continue;
      }
      Value source = arith::SelectOp::create(b, loc, odd, other, even);
      if (start && !isFirst)
        isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        number, zero);
      if (start)
        source = arith::SelectOp::create(b, loc, isFirst, start, source);
      operands.push_back(source);
      targets.push_back(arith::SelectOp::create(b, loc, odd, even, other));
    }
    llvm::append_range(operands, invariants);
    llvm::append_range(operands, targets);
    if (stop)
      operands.push_back(stop);
    call(loc, body, operands);
  };
  auto copyBack = [&] {
    for (auto [from, to] : llvm::zip_equal(first, second))
      if (from != to)
        memref::CopyOp::create(b, loc, from, to);
  };
  OpBuilder::InsertionGuard guard(b);
  if (!stop) {
    auto loop = scf::ForOp::create(b, loc, zero, most, one);
    b.setInsertionPoint(loop.getBody()->getTerminator());
    emitPass(loop.getInductionVar());
    return;
  }
  Value go = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  auto loop = scf::WhileOp::create(b, loc, TypeRange(b.getIndexType()),
                                   ValueRange{zero, go});
  SmallVector<Location> locations(2, loc);
  Block *before = b.createBlock(&loop.getBefore(), {},
                                {b.getIndexType(), b.getI1Type()}, locations);
  scf::ConditionOp::create(b, loc, before->getArgument(1),
                           before->getArguments().take_front());
  Block *after = b.createBlock(&loop.getAfter(), {}, {b.getIndexType()}, {loc});
  emitPass(after->getArgument(0));
  Value next = arith::AddIOp::create(b, loc, after->getArgument(0), one);
  Value done = memref::LoadOp::create(b, loc, stop);
  Value isFalse = arith::CmpIOp::create(
      b, loc, arith::CmpIPredicate::eq, done,
      arith::ConstantOp::create(b, loc, b.getI8IntegerAttr(0)));
  Value isLess =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, next, most);
  Value more = arith::AndIOp::create(b, loc, isLess, isFalse);
  scf::YieldOp::create(b, loc, ValueRange{next, more});
  b.setInsertionPointAfter(loop);
  Value isEven = arith::XOrIOp::create(b, loc, isOdd(loop.getResult(0)), go);
  auto even = scf::IfOp::create(b, loc, isEven, /*withElseRegion=*/false);
  b.setInsertionPoint(even.thenYield());
  copyBack();
}

/// What a value is a copy of, as it lies; null where it is none.
static Value copiedBy(Value value) {
  auto copy = value.getDefiningOp<linalg::GenericOp>();
  bool isCopy = copy && copy.getNumDpsInputs() == 1 &&
                copy.getNumParallelLoops() == copy.getNumLoops() &&
                llvm::all_of(copy.getIndexingMapsArray(),
                             [](AffineMap map) { return map.isIdentity(); }) &&
                copy.getBody()->getTerminator()->getOperand(0) ==
                    copy.getBody()->getArgument(0) &&
                copy.getDpsInputs().front().getType() == value.getType();
  return isCopy ? copy.getDpsInputs().front() : Value();
}

/// The input that a value is, or a copy of: the first pass reads it where it
/// lies, since nobody writes an input. Null for other values.
static Value inputOf(Value init) {
  if (Value copied = copiedBy(init))
    init = copied;
  auto input = init.getDefiningOp<bufferization::ToTensorOp>();
  return input && !input.getWritable() && isa<BlockArgument>(input.getBuffer())
             ? init
             : Value();
}

/// Whether others than a loop may read what it begins with, of which passes
/// leave nothing: also where that is a copy or view, which need not be made.
static bool isShared(Value init, Operation *loop) {
  if (!init.hasOneUse())
    return true;
  Operation *reader = init.getDefiningOp();
  for (Value value = init; reader; reader = value.getDefiningOp()) {
    Value copied = copiedBy(value);
    if (!copied && !isa<tensor::CastOp, tensor::CollapseShapeOp,
                        tensor::ExpandShapeOp, tensor::ExtractSliceOp>(reader))
      return false;
    value = copied ? copied : reader->getOperand(0);
    // Who computes something of it before the loop is done with it then.
    for (Operation *user : value.getUsers())
      if (user != reader &&
          !(isa<linalg::LinalgOp>(user) &&
            user->getBlock() == loop->getBlock() &&
            user->isBeforeInBlock(loop) && !copiedBy(user->getResult(0))))
        return true;
  }
  return false;
}

/// What is carried has two buffers, one of which the last pass writes, or one.
void RuntimeProgram::lowerLoop(comm::LoopOp op) {
  Location loc = op.getLoc();
  auto body = module.lookupSymbol<func::FuncOp>(op.getBody());
  SmallVector<index::LayoutAttr> layouts;
  for (unsigned number = 0; number < op.getInits().size(); ++number)
    layouts.push_back(
        body.getArgAttrOfType<index::LayoutAttr>(number, "comm.layout"));
  llvm::BitVector inPlace = lowerBody(body);
  SmallVector<Value> starts, first, second, invariants;
  for (auto [number, init, result, layout] :
       llvm::enumerate(op.getInits(), op.getResults(), layouts)) {
    auto type = cast<RankedTensorType>(init.getType());
    auto own = [&, result = result, layout = layout](bool isLast) {
      return isLast ? bufferFor(result, layout)
                    : allocatePart(loc, type, layout);
    };
    // Where it is there first, the value is computed right into it.
    bool isOne = inPlace.test(number);
    Operation *source = init.getDefiningOp();
    b.setInsertionPoint(source ? source : op);
    first.push_back(own(isOne || endsInFirst(op)));
    b.setInsertionPoint(op);
    second.push_back(isOne ? first.back() : own(!endsInFirst(op)));
    starts.push_back({});
    if (Value input = isOne ? Value() : inputOf(init)) {
      starts.back() = bufferization::ToBufferOp::create(
          b, loc, memrefOf(type), input, /*read_only=*/true);
      continue;
    }
    // Passes write over it.
    Value start = init;
    if (isShared(init, op))
      start = linalg::CopyOp::create(
                  b, loc, init,
                  tensor::EmptyOp::create(b, loc,
                                          tensor::getMixedSizes(b, loc, init),
                                          type.getElementType())
                      .getResult())
                  .getResult(0);
    bufferization::MaterializeInDestinationOp::create(
        b, loc, Type(), start, first.back(), /*restrict=*/true,
        /*writable=*/true);
  }
  for (Value part : op.getInvariants())
    invariants.push_back(bufferization::ToBufferOp::create(
        b, loc, memrefOf(part.getType()), part, /*read_only=*/true));
  emitPasses(op, starts, first, second, invariants);
  b.setInsertionPoint(op);
  for (auto [result, buffer] :
       llvm::zip_equal(op.getResults(), endsInFirst(op) ? first : second))
    result.replaceAllUsesWith(bufferization::ToTensorOp::create(
        b, loc, result.getType(), buffer, /*restrict=*/true,
        /*writable=*/true));
  dropToken(op.getToken());
  op.erase();
}
