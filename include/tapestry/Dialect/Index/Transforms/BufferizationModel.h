//===- BufferizationModel.h - tapestry_index on buffers ---------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_TRANSFORMS_BUFFERIZATIONMODEL_H
#define TAPESTRY_DIALECT_INDEX_TRANSFORMS_BUFFERIZATIONMODEL_H

#include "mlir/IR/DialectRegistry.h"

namespace tapestry::index {

/// Makes tapestry_index.assemble implement
/// bufferization::BufferizableOpInterface: each piece is copied to its place,
/// unless it is the slice of the result that belongs there.
void registerBufferizationModels(mlir::DialectRegistry &registry);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_TRANSFORMS_BUFFERIZATIONMODEL_H
