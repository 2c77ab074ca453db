//===- ElementType.cpp - How elements of tensors are stored ---------------===//

#include "tapestry/Interfaces/ElementType.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include <complex>

using namespace mlir;
using namespace tapestry;

std::optional<DType> tapestry::dtypeOf(Type type) {
  if (type.isF64())
    return DType::F64;
  if (type.isF32())
    return DType::F32;
  if (type.isF16())
    return DType::F16;
  if (type.isBF16())
    return DType::BF16;
  if (type.isSignlessInteger(8))
    return DType::I8;
  if (type.isSignlessInteger(16))
    return DType::I16;
  if (type.isSignlessInteger(32))
    return DType::I32;
  if (type.isSignlessInteger(64))
    return DType::I64;
  if (type.isSignlessInteger(1))
    return DType::Bool;
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return DType::C64;
    if (complex.getElementType().isF64())
      return DType::C128;
  }
  return std::nullopt;
}

Type tapestry::storageType(Type elementType) {
  return elementType.isInteger(1)
             ? IntegerType::get(elementType.getContext(), 8)
             : elementType;
}

int64_t tapestry::storedSize(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * storedSize(complex.getElementType());
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

bool tapestry::isElementValue(Attribute value) {
  // A complex number is a tensor's one element: upstream's attribute of a
  // number cannot be read again where a part is inf or NaN.
  auto number = dyn_cast<DenseElementsAttr>(value);
  return number ? number.getType().getRank() == 0 &&
                      isa<ComplexType>(number.getElementType())
                : isa<FloatAttr, IntegerAttr>(value);
}

TypedAttr tapestry::complexValue(ComplexType type, double re, double im) {
  auto part = [&](double real) {
    return FloatAttr::get(type.getElementType(), real).getValue();
  };
  return DenseElementsAttr::get(RankedTensorType::get({}, type),
                                std::complex<APFloat>(part(re), part(im)));
}

TypedAttr tapestry::zeroValue(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return complexValue(complex, 0, 0);
  return Builder(elementType.getContext()).getZeroAttr(elementType);
}

bool tapestry::isComplexArithmetic(Operation *op) {
  return isa<complex::ConstantOp, complex::CreateOp, complex::ReOp,
             complex::ImOp, complex::AddOp, complex::MulOp>(op);
}

Value tapestry::emitConstant(OpBuilder &builder, Location loc,
                             TypedAttr value) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense)
    return arith::ConstantOp::create(builder, loc, value);
  auto type = cast<ComplexType>(dense.getElementType());
  auto part = [&](const APFloat &real) {
    return FloatAttr::get(type.getElementType(), real);
  };
  auto number = dense.getSplatValue<std::complex<APFloat>>();
  return complex::ConstantOp::create(
      builder, loc, type,
      builder.getArrayAttr({part(number.real()), part(number.imag())}));
}
