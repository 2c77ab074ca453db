//===- ElementType.h - How elements of tensors are stored -------*- C++ -*-===//

#ifndef TAPESTRY_INTERFACES_ELEMENTTYPE_H
#define TAPESTRY_INTERFACES_ELEMENTTYPE_H

#include "mlir/IR/Builders.h"
#include "tapestry/Support/HostTensor.h"
#include <optional>

namespace tapestry {

/// The stored form of an IR element type; nothing for types that tensors of a
/// graph cannot have.
std::optional<DType> dtypeOf(mlir::Type elementType);

/// The type in which elements lie in memory: booleans as bytes.
mlir::Type storageType(mlir::Type elementType);

/// Bytes of a stored element of an integer, float or complex type; booleans
/// take one.
int64_t storedSize(mlir::Type elementType);

/// Whether the attribute is a value that an element may have: of a float, of an
/// integer, or complex.
bool isElementValue(mlir::Attribute value);

mlir::TypedAttr complexValue(mlir::ComplexType type, double re, double im);

/// 0 of an integer, float or complex type.
mlir::TypedAttr zeroValue(mlir::Type elementType);

/// Whether `op` is one of those on complex numbers that code is made for:
/// constants, numbers from and to their parts, sums and products. What else
/// there is is done to the parts.
bool isComplexArithmetic(mlir::Operation *op);

/// The constant of a value, complex or not.
mlir::Value emitConstant(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::TypedAttr value);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_ELEMENTTYPE_H
