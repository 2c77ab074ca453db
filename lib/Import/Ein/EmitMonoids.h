//===- EmitMonoids.h - How reductions combine values ------------*- C++ -*-===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_LIB_IMPORT_EIN_EMITMONOIDS_H
#define TAPESTRY_LIB_IMPORT_EIN_EMITMONOIDS_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "tapestry/Import/Ein/Graph.h"

namespace tapestry::ein {

tapestry::Monoid convert(Monoid monoid);

/// Gives the einsum, scan or scatter of a vertex with results of `type` the
/// region that combines its values, where no monoid of the dialect does.
void setCombiner(mlir::OpBuilder &builder, mlir::Operation *op,
                 const Vertex &vertex, ElementType type);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_EMITMONOIDS_H
