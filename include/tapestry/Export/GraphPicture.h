//===- GraphPicture.h - Pictures of tensor expression graphs ----*- C++ -*-===//
//
// Graphs in the visual language of the white paper ("TEG: Tapestry Expression
// Graph"): tensors are boxes, selectors parallelograms, block operators arrows,
// sources and sinks ribbons, signatures components, sequence points octagons.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_EXPORT_GRAPHPICTURE_H
#define TAPESTRY_EXPORT_GRAPHPICTURE_H

#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"
#include "llvm/Support/raw_ostream.h"

namespace tapestry {

/// Writes the graph in Graphviz' language. Edges go from what is computed to
/// what it is made of. Operators of equal projections share one signature, as
/// the shards of an operator do. A loop's body is a frame.
void writeGraphPicture(llvm::raw_ostream &os, teg::GraphOp graph);

/// Registers --mlir-to-dot: the graphs of a module.
void registerMLIRToDotTranslation(
    void (*registerDialects)(mlir::DialectRegistry &));

} // namespace tapestry

#endif // TAPESTRY_EXPORT_GRAPHPICTURE_H
