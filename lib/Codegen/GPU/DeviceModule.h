//===- DeviceModule.h - The part of a program that the GPU runs -*- C++ -*-===//

#ifndef TAPESTRY_LIB_CODEGEN_GPU_DEVICEMODULE_H
#define TAPESTRY_LIB_CODEGEN_GPU_DEVICEMODULE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SmallVector.h"
#include <string>

namespace tapestry {

/// The gpu.module of a program; kernels have their numbers by their order in
/// it.
constexpr llvm::StringLiteral deviceModuleName = "tapestry_device";
/// What of it runs on this machine, for tests.
constexpr llvm::StringLiteral stubModuleName = "tapestry_device_stub";
/// The constant that calls of tapestry_rt_launch name.
constexpr llvm::StringLiteral deviceCodeName = "tapestry_device_code";

/// The architecture of the tests' driver.
constexpr llvm::StringLiteral stubArch = "stub";
/// The least architecture, which every program has code for.
constexpr llvm::StringLiteral leastArch = "sm_80";

/// `archs` apart, the least one always with them, without the tests'.
llvm::SmallVector<std::string> ptxArchs(llvm::StringRef archs);
bool hasStub(llvm::StringRef archs);
/// Whether LLVM generates code for this name, or it is the tests'.
bool isKnownArch(llvm::StringRef arch);

/// Of a module that has been lowered to NVVM the PTX for `arch`. Problems are
/// reported as diagnostics.
mlir::FailureOr<std::string> emitPTX(mlir::gpu::GPUModuleOp module,
                                     llvm::StringRef arch);

/// A buffer of this type at `pointer`.
mlir::Value bufferAt(mlir::OpBuilder &b, mlir::Location loc,
                     mlir::Value pointer, mlir::MemRefType type,
                     mlir::OpFoldResult offset,
                     llvm::ArrayRef<mlir::OpFoldResult> sizes,
                     llvm::ArrayRef<mlir::OpFoldResult> strides);

} // namespace tapestry

#endif // TAPESTRY_LIB_CODEGEN_GPU_DEVICEMODULE_H
