//===- Passes.h - Code passes for GPUs --------------------------*- C++ -*-===//

#ifndef TAPESTRY_CODEGEN_GPU_PASSES_H
#define TAPESTRY_CODEGEN_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tapestry {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tapestry/Codegen/GPU/Passes.h.inc"

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_GPU_PASSES_H
