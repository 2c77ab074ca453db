//===- Passes.h - Passes on tensor expression graphs ------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_H
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"
#include "tapestry/Dialect/Index/IR/IndexDialect.h"
#include "tapestry/Dialect/Tapestry/IR/TapestryOps.h"

namespace tapestry::teg {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tapestry/Dialect/Tapestry/Transforms/Passes.h.inc"

} // namespace tapestry::teg

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_H
