//===- Passes.h - Passes of tra ---------------------------------*- C++ -*-===//

#ifndef TAPESTRY_DIALECT_TRA_TRANSFORMS_PASSES_H
#define TAPESTRY_DIALECT_TRA_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Pass/Pass.h"

namespace tapestry::tra {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tapestry/Dialect/TRA/Transforms/Passes.h.inc"

} // namespace tapestry::tra

#endif // TAPESTRY_DIALECT_TRA_TRANSFORMS_PASSES_H
