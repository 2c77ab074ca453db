//===- Passes.h - Code passes for CPUs --------------------------*- C++ -*-===//
//
// The passes that take outlined kernels to vector code and to the LLVM dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_CPU_PASSES_H
#define TAPESTRY_CODEGEN_CPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tapestry {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tapestry/Codegen/CPU/Passes.h.inc"

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_CPU_PASSES_H
