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
#include "tapestry-rt/Signs.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Interfaces/ElementType.h"

using namespace mlir;
using namespace tapestry;

static int32_t runtimeType(index::SortOp op) {
  Type element =
      cast<RankedTensorType>(op.getSource().getType()).getElementType();
  return rt::typeInFile(static_cast<int32_t>(*dtypeOf(element)),
                        op.getUnsignedElements());
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

/// Of dimensions that were put together, the sizes that are known by name, so
/// that the memory of a device can be predicted.
static Value sizeOf(OpBuilder &b, Location loc, Value tensor, int64_t dim) {
  auto collapse = tensor.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse)
    return b.createOrFold<tensor::DimOp>(loc, tensor, dim);
  Value size = arith::ConstantIndexOp::create(b, loc, 1);
  for (int64_t from : collapse.getReassociationIndices()[dim])
    size = arith::MulIOp::create(b, loc, size,
                                 sizeOf(b, loc, collapse.getSrc(), from));
  return size;
}

/// Memory of the result, which has the rows of the source.
Value RuntimeProgram::bufferFor(index::SortOp op) {
  Value result = op.getResult();
  if (result.hasOneUse() && isa<func::ReturnOp>(*result.user_begin()))
    return resultBuffers[result.use_begin()->getOperandNumber()];
  auto type = cast<RankedTensorType>(result.getType());
  SmallVector<Value> sizes;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(dim + 1 == type.getRank()
                          ? op.getCount()
                          : sizeOf(b, op.getLoc(), op.getSource(), dim));
  return memref::AllocOp::create(b, op.getLoc(), memrefOf(type), sizes,
                                 b.getI64IntegerAttr(64));
}

/// The function that passes on numbers and the addresses of buffers.
func::FuncOp RuntimeProgram::sortCall(index::SortOp op, TypeRange arguments) {
  Location loc = op.getLoc();
  SmallVector<Type> types(2, b.getI32Type());
  types.append(7, b.getI64Type());
  types.append(3, pointer);
  func::FuncOp runtime = declare("tapestry_rt_sort", types, {});
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto made = func::FuncOp::create(
      b, loc, ("sort." + name + "." + Twine(numSorts++)).str(),
      b.getFunctionType(arguments, {}));
  made.setPrivate();
  made->setAttr(deviceAttrName, b.getUnitAttr());
  Block *body = made.addEntryBlock();
  b.setInsertionPointToStart(body);
  int32_t mode = 0;
  for (auto [isSet, flag] :
       {std::pair(op.getDescending(), TAPESTRY_SORT_DESCENDING),
        {op.getIndices(), TAPESTRY_SORT_INDICES},
        {op.getSelect(), TAPESTRY_SORT_SELECT},
        {op.getWide(), TAPESTRY_SORT_WIDE},
        {op.getPacked(), TAPESTRY_SORT_PACKED}})
    mode += isSet ? flag : 0;
  SmallVector<Value> operands;
  for (int32_t number : {runtimeType(op), mode})
    operands.push_back(
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(number)));
  for (Value argument : body->getArguments())
    operands.push_back(isa<MemRefType>(argument.getType())
                           ? pointerTo(b, loc, argument)
                           : argument);
  call(loc, runtime, operands);
  func::ReturnOp::create(b, loc);
  return made;
}

void RuntimeProgram::lowerSort(index::SortOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto widened = [&](Value value) -> Value {
    return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
  };
  Value source = op.getSource();
  unsigned rank = cast<RankedTensorType>(source.getType()).getRank();
  Value rows = arith::ConstantIndexOp::create(b, loc, 1);
  for (unsigned dim = 0; dim + 1 < rank; ++dim)
    rows = arith::MulIOp::create(b, loc, rows, sizeOf(b, loc, source, dim));
  SmallVector<Value> arguments = {
      widened(rows),
      widened(sizeOf(b, loc, source, rank - 1)),
      widened(op.getLength()),
      arith::ConstantOp::create(b, loc, op.getRunAttr()),
      widened(op.getFirst()),
      widened(op.getCount()),
      widened(op.getOffset()),
      bufferization::ToBufferOp::create(b, loc, memrefOf(source.getType()),
                                        source, /*read_only=*/true)};
  Value target = bufferFor(op);
  arguments.push_back(target);
  arguments.push_back(memref::AllocOp::create(
      b, loc, MemRefType::get({scratchBytes(op)}, b.getI8Type()), ValueRange(),
      b.getI64IntegerAttr(64)));
  func::CallOp made =
      call(loc, sortCall(op, ValueRange(arguments).getTypes()), arguments);
  if (Attribute vertex = op->getAttr("tapestry.vertex"))
    made->setAttr("tapestry.vertex", vertex);
  op.getResult().replaceAllUsesWith(bufferization::ToTensorOp::create(
      b, loc, op.getResult().getType(), target, /*restrict=*/true,
      /*writable=*/true));
  op.erase();
}
