//===- DeviceCode.h - Which functions code generation may touch -*- C++ -*-===//
//
// A module may hold functions that are nobody's business here, such as those of
// a compiler that embeds this one. Our lowering marks what it makes.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_DEVICECODE_H
#define TAPESTRY_CODEGEN_COMMON_DEVICECODE_H

#include "mlir/IR/Operation.h"

namespace tapestry {

/// Unit attribute of functions that the lowering of graphs makes.
constexpr llvm::StringLiteral deviceAttrName = "tapestry.device";
/// Unit attribute of operations that will be kernels, and of outlined ones.
constexpr llvm::StringLiteral kernelAttrName = "tapestry.kernel";

/// Unit attribute of functions that work on the host's memory, whatever the
/// target is.
constexpr llvm::StringLiteral hostAttrName = "tapestry.host";

/// Unit attribute of nests over few points, of which there are many beside each
/// other: shapes do not tell their kernels apart.
constexpr llvm::StringLiteral rimAttrName = "tapestry.rim";

/// Unit attribute of nests that are of the kernel of the one behind them.
constexpr llvm::StringLiteral joinedAttrName = "tapestry.joined";

/// Unit attribute of loops whose passes may run at the same time.
constexpr llvm::StringLiteral parallelAttrName = "tapestry.parallel";

/// Of a kernel that threads share (tapestry_index.share): about how many
/// nanoseconds one takes.
constexpr llvm::StringLiteral workAttrName = "tapestry.work";

inline bool isKernel(mlir::Operation *op) {
  return op->hasAttr(kernelAttrName);
}

inline bool isRim(mlir::Operation *op) { return op->hasAttr(rimAttrName); }

inline bool isJoined(mlir::Operation *op) {
  return op->hasAttr(joinedAttrName);
}

inline bool isHostCode(mlir::Operation *function) {
  return function->hasAttr(hostAttrName);
}

/// Whether passes of code generation may touch `function`.
inline bool isDeviceCode(mlir::Operation *function) {
  return function->hasAttr(deviceAttrName) || isKernel(function);
}

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_COMMON_DEVICECODE_H
