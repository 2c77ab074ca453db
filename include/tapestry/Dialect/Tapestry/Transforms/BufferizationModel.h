//===- BufferizationModel.h - Einsums on buffers ----------------*- C++ -*-===//
//
// Graphs are planned, cut and lowered while they are tensors. An einsum that an
// embedder keeps in a function of its own, or calls of graphs inlined into one
// leave there, turns into loops on buffers when that function is bufferized.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_BUFFERIZATIONMODEL_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_BUFFERIZATIONMODEL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tapestry::teg {

/// Makes einsums implement bufferization::BufferizableOpInterface.
void registerBufferizationModels(mlir::DialectRegistry &registry);

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_BUFFERIZATIONMODEL_H
