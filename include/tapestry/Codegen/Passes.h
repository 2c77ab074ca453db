//===- Passes.h - Passes of the CPU code phase ------------------*- C++ -*-===//
//
// The passes that take bufferised linalg to vector code and to the LLVM
// dialect. They know upstream dialects only.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_PASSES_H
#define TAPESTRY_CODEGEN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace tapestry {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tapestry/Codegen/Passes.h.inc"

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_PASSES_H
