//===- Passes.h - Conversions between dialects ------------------*- C++ -*-===//

#ifndef TAPESTRY_CONVERSION_PASSES_H
#define TAPESTRY_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
namespace arith {
class ArithDialect;
} // namespace arith
namespace bufferization {
class BufferizationDialect;
} // namespace bufferization
namespace func {
class FuncDialect;
} // namespace func
namespace linalg {
class LinalgDialect;
} // namespace linalg
namespace LLVM {
class LLVMDialect;
} // namespace LLVM
namespace memref {
class MemRefDialect;
} // namespace memref
namespace tensor {
class TensorDialect;
} // namespace tensor
} // namespace mlir

namespace tapestry {
namespace comm {
class CommDialect;
} // namespace comm
namespace index {
class TapestryIndexDialect;
} // namespace index
namespace tra {
class TRADialect;
} // namespace tra

#define GEN_PASS_DECL
#include "tapestry/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "tapestry/Conversion/Passes.h.inc"

} // namespace tapestry

#endif // TAPESTRY_CONVERSION_PASSES_H
