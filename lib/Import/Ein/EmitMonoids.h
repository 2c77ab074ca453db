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

/// Emits x combined with y, both of the monoid's type or a narrower float.
mlir::Value emitCombined(mlir::OpBuilder &builder, mlir::Location loc,
                         const CustomMonoid &monoid, mlir::Value x,
                         mlir::Value y);
/// Whether a named monoid compares values of a type, which has no sign: the
/// dialect has only that of signed ones.
bool comparesUnsigned(Monoid monoid, ElementType type);

/// Gives the einsum, scan or scatter of a vertex with results of `type` the
/// region that combines its values, where no monoid of the dialect does.
void setCombiner(mlir::OpBuilder &builder, mlir::Operation *op,
                 const Vertex &vertex, ElementType type);

} // namespace tapestry::ein

#endif // TAPESTRY_LIB_IMPORT_EIN_EMITMONOIDS_H
