//===- Passes.h - Code passes that targets share ----------------*- C++ -*-===//
//
// The passes that fuse bufferised linalg and outline it as kernels. They know
// upstream dialects only, and no target.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_PASSES_H
#define TAPESTRY_CODEGEN_COMMON_PASSES_H

#include "mlir/Pass/Pass.h"
#include "tapestry/Support/Streaming.h"

namespace tapestry {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tapestry/Codegen/Common/Passes.h.inc"

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_PASSES_H
