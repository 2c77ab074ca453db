//===- Passes.h - Passes of tapestry_index ----------------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_TRANSFORMS_PASSES_H
#define TAPESTRY_DIALECT_INDEX_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tapestry::index {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tapestry/Dialect/Index/Transforms/Passes.h.inc"

/// Adds the patterns that lower every op of tapestry_index to arith.
void populateLowerTapestryIndexPatterns(mlir::RewritePatternSet &patterns);

} // namespace tapestry::index

#endif // TAPESTRY_DIALECT_INDEX_TRANSFORMS_PASSES_H
