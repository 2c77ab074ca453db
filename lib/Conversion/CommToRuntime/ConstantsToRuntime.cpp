//===- ConstantsToRuntime.cpp - Constants are memory of the program -------===//
//
// A constant is a global that nobody writes; what a device takes of it is a
// view. Complex numbers are written down as words: a global of them has no form
// in LLVM.
//
//===----------------------------------------------------------------------===//

#include "RuntimeProgram.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "tapestry/Interfaces/ElementType.h"
#include <complex>

using namespace mlir;
using namespace tapestry;

/// The elements as they lie in memory.
static DenseElementsAttr storedElements(DenseElementsAttr value) {
  Type element = value.getElementType();
  if (auto complex = dyn_cast<ComplexType>(element)) {
    unsigned bits = complex.getElementType().getIntOrFloatBitWidth();
    SmallVector<APInt> words;
    for (const std::complex<APFloat> &number :
         value.getValues<std::complex<APFloat>>())
      words.push_back(number.imag().bitcastToAPInt().concat(
          number.real().bitcastToAPInt()));
    return DenseElementsAttr::get(
        value.getType().clone(IntegerType::get(element.getContext(), 2 * bits)),
        words);
  }
  Type stored = storageType(element);
  if (stored == element)
    return value;
  return value.mapValues(stored, [&](const APInt &flag) {
    return flag.zext(stored.getIntOrFloatBitWidth());
  });
}

memref::GlobalOp RuntimeProgram::globalOf(DenseElementsAttr value) {
  memref::GlobalOp &global = constants[value];
  if (global)
    return global;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(module.getBody());
  DenseElementsAttr stored = storedElements(value);
  global = memref::GlobalOp::create(
      b, loc, ("constant." + name + "." + Twine(constants.size() - 1)).str(),
      b.getStringAttr("private"),
      MemRefType::get(stored.getType().getShape(), stored.getElementType()),
      stored, /*constant=*/true, b.getI64IntegerAttr(64));
  return global;
}

void RuntimeProgram::lowerConstant(index::ConstantOp op) {
  Location loc = op.getLoc();
  b.setInsertionPoint(op);
  auto type = cast<RankedTensorType>(op.getResult().getType());
  memref::GlobalOp global = globalOf(cast<DenseElementsAttr>(op.getValue()));
  Value memory =
      memref::GetGlobalOp::create(b, loc, global.getType(), global.getName());
  auto whole = type.clone(global.getType().getShape());
  if (memory.getType() != memrefOf(whole))
    memory = UnrealizedConversionCastOp::create(b, loc, memrefOf(whole), memory)
                 .getResult(0);
  Value part = bufferization::ToTensorOp::create(b, loc, whole, memory,
                                                 /*restrict=*/true,
                                                 /*writable=*/false);
  if (whole != type)
    part = tensor::ExtractSliceOp::create(
        b, loc, type, part, getAsOpFoldResult(op.getStarts()),
        getMixedValues(type.getShape(), op.getSizes(), b),
        SmallVector<OpFoldResult>(type.getRank(), b.getIndexAttr(1)));
  op.getResult().replaceAllUsesWith(part);
  op.erase();
}
