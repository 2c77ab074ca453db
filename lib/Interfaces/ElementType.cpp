//===- ElementType.cpp - How elements of tensors are stored ---------------===//

#include "tapestry/Interfaces/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"

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
  return std::nullopt;
}

Type tapestry::storageType(Type elementType) {
  return elementType.isInteger(1)
             ? IntegerType::get(elementType.getContext(), 8)
             : elementType;
}
