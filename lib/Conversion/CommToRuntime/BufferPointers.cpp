//===- BufferPointers.cpp - Buffers as the pointers to them ---------------===//

#include "BufferPointers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tapestry/Codegen/Common/Buffers.h"

using namespace mlir;

Value tapestry::pointerMadeInto(Value memref) {
  auto view = memref.getDefiningOp<memref::ReinterpretCastOp>();
  auto cast = view
                  ? view.getSource().getDefiningOp<UnrealizedConversionCastOp>()
                  : nullptr;
  if (!cast || cast.getInputs().size() != 1)
    return nullptr;
  Value field = cast.getInputs().front();
  while (auto insert = field.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == ArrayRef<int64_t>{1})
      return insert.getValue();
    field = insert.getContainer();
  }
  return nullptr;
}

Value tapestry::pointerTo(OpBuilder &b, Location loc, Value memref) {
  if (Value known = pointerMadeInto(memref))
    return known;
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, loc, memref);
  address = arith::IndexCastOp::create(b, loc, b.getI64Type(), address);
  return LLVM::IntToPtrOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext()), address);
}

Value tapestry::bufferAt(OpBuilder &b, Location loc, Value pointer,
                         MemRefType type, ValueRange dynamic) {
  Value base = elementAt(b, loc, pointer, type.getElementType());
  SmallVector<OpFoldResult> strides(type.getRank());
  SmallVector<OpFoldResult> sizes = getMixedValues(type.getShape(), dynamic, b);
  OpFoldResult stride = b.getIndexAttr(1);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    strides[dim] = stride;
    auto known = getConstantIntValue(stride);
    auto size = getConstantIntValue(sizes[dim]);
    if (known && size)
      stride = b.getIndexAttr(*known * *size);
    else if (dim > 0)
      stride = Value(arith::MulIOp::create(
          b, loc, getValueOrCreateConstantIndexOp(b, loc, stride),
          getValueOrCreateConstantIndexOp(b, loc, sizes[dim])));
  }
  return memref::ReinterpretCastOp::create(
      b, loc, type, base, OpFoldResult(b.getIndexAttr(0)), sizes, strides);
}
