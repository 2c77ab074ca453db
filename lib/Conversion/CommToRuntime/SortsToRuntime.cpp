//===- SortsToRuntime.cpp - Sorts become calls of the runtime -------------===//
//
// The runtime sorts rows that lie one behind the other, in scratch memory that
// the program allocates, so that it is part of the predicted peak.
//
//===----------------------------------------------------------------------===//

#include "BufferPointers.h"
#include "RuntimeProgram.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;

static int32_t runtimeType(index::SortOp op) {
  Type element =
      cast<RankedTensorType>(op.getSource().getType()).getElementType();
  auto type = static_cast<int32_t>(*dtypeOf(element));
  return op.getUnsignedElements() ? type + TAPESTRY_U8 - TAPESTRY_I8 : type;
}

/// As tapestry_rt_sort asks for it.
static int64_t scratchBytes(index::SortOp op) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  int64_t bytes = source.getElementTypeBitWidth() / 8, item = bytes;
  if (op.getIndices())
    item = bytes <= 4 && !op.getWide() ? 8 : 16;
  std::optional<int64_t> length = getConstantIntValue(op.getLength()),
                         count = getConstantIntValue(op.getCount());
  bool isWhole = op.getLength() == op.getCount() || (length && length == count);
  bool inPlace =
      (op.getRun() || isWhole) && item == (op.getIndices() ? 8 : bytes);
  return op.getMost() * item * (op.getSelect() || inPlace ? 1 : 2);
}

/// Memory of a result, which has the rows of the source.
Value RuntimeProgram::bufferFor(index::SortOp op, Value result) {
  if (result.hasOneUse() && isa<func::ReturnOp>(*result.user_begin()))
    return resultBuffers[result.use_begin()->getOperandNumber()];
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> sizes;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(
          dim + 1 == type.getRank()
              ? op.getCount()
              : tensor::DimOp::create(b, op.getLoc(), op.getSource(), dim));
  return memref::AllocOp::create(b, op.getLoc(), memrefOf(type), sizes,
                                 b.getI64IntegerAttr(64));
}

/// Calls a function of the buffers that passes on their addresses.
void RuntimeProgram::lowerSort(index::SortOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  auto widened = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  };
  auto bufferOf = [&](Value tensor) -> Value {
    return bufferization::ToBufferOp::create(b, loc, memrefOf(tensor.getType()),
                                             tensor, /*read_only=*/true);
  };
  unsigned rank = cast<RankedTensorType>(op.getSource().getType()).getRank();
  Value rows = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    rows = arith::MulIOp::create(
        b, loc, rows, tensor::DimOp::create(b, loc, op.getSource(), dim));
  Value stride = tensor::DimOp::create(b, loc, op.getSource(), rank - 1);
  SmallVector<Value> arguments = {
      widened(rows),          widened(stride),        widened(op.getLength()),
      number(op.getRun()),    widened(op.getFirst()), widened(op.getCount()),
      widened(op.getOffset())};
  unsigned numNumbers = arguments.size();
  arguments.push_back(bufferOf(op.getSource()));
  if (op.getPlaces())
    arguments.push_back(bufferOf(op.getPlaces()));
  SmallVector<Value> targets;
  for (Value result : op.getResults())
    targets.push_back(bufferFor(op, result));
  llvm::append_range(arguments, targets);
  auto scratchType = MemRefType::get({scratchBytes(op)}, b.getI8Type());
  arguments.push_back(memref::AllocOp::create(b, loc, scratchType, ValueRange(),
                                              b.getI64IntegerAttr(64)));

  Type i32 = b.getI32Type();
  SmallVector<Type> types(2, i32);
  types.append(numNumbers, b.getI64Type());
  types.append(5, pointer);
  func::FuncOp runtime = declare("tapestry_rt_sort", types, {});
  func::FuncOp callee;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(module.getBody());
    callee = func::FuncOp::create(
        b, loc, ("sort." + name + "." + Twine(numSorts++)).str(),
        b.getFunctionType(ValueRange(arguments).getTypes(), {}));
    callee.setPrivate();
    callee->setAttr(deviceAttrName, b.getUnitAttr());
    Block *body = callee.addEntryBlock();
    b.setInsertionPointToStart(body);
    int32_t mode = (op.getDescending() ? TAPESTRY_SORT_DESCENDING : 0) +
                   (op.getSelect() ? TAPESTRY_SORT_SELECT : 0) +
                   (op.getWide() ? TAPESTRY_SORT_WIDE : 0);
    SmallVector<Value> operands = {
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(runtimeType(op))),
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(mode))};
    llvm::append_range(operands, body->getArguments().take_front(numNumbers));
    unsigned next = numNumbers;
    for (bool isThere :
         {true, bool(op.getPlaces()), op.getValues(), op.getIndices(), true})
      operands.push_back(isThere
                             ? pointerTo(b, loc, body->getArgument(next++))
                             : Value(LLVM::ZeroOp::create(b, loc, pointer)));
    call(loc, runtime, operands);
    func::ReturnOp::create(b, loc);
  }
  func::CallOp made = call(loc, callee, arguments);
  if (Attribute vertex = op->getAttr("tapestry.vertex"))
    made->setAttr("tapestry.vertex", vertex);
  for (auto [result, target] : llvm::zip_equal(op.getResults(), targets))
    result.replaceAllUsesWith(bufferization::ToTensorOp::create(
        b, loc, result.getType(), target, /*restrict=*/true,
        /*writable=*/true));
  op.erase();
}
