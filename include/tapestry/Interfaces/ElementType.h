//===- ElementType.h - How elements of tensors are stored -------*- C++ -*-===//

#ifndef TAPESTRY_INTERFACES_ELEMENTTYPE_H
#define TAPESTRY_INTERFACES_ELEMENTTYPE_H

#include "mlir/IR/Types.h"
#include "tapestry/Support/HostTensor.h"
#include <optional>

namespace tapestry {

/// The stored form of an IR element type; nothing for types that tensors of a
/// graph cannot have.
std::optional<DType> dtypeOf(mlir::Type elementType);

/// The type in which elements lie in memory: booleans as bytes.
mlir::Type storageType(mlir::Type elementType);

} // namespace tapestry

#endif // TAPESTRY_INTERFACES_ELEMENTTYPE_H
