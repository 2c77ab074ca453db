//===- CUDATarget.h - Code for NVIDIA's GPUs --------------------*- C++ -*-===//
//
// Kernels are functions of the GPU, which the device program, code of the host,
// launches through the runtime; the tensors lie in the GPU's memory. The host's
// part is that of the target `cpu`.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_GPU_CUDATARGET_H
#define TAPESTRY_CODEGEN_GPU_CUDATARGET_H

#include "tapestry/Codegen/CPU/CPUTarget.h"

namespace tapestry {

class CUDATarget : public CPUTarget {
public:
  using CPUTarget::CPUTarget;

  llvm::ArrayRef<MemorySpace> getMemorySpaces() const override;
  void addFusionPasses(mlir::OpPassManager &functions) const override;
  void addModulePasses(mlir::OpPassManager &pm) const override;
  void addKernelPasses(mlir::OpPassManager &functions) const override;
  void addMathPasses(mlir::OpPassManager &functions) const override;
  llvm::ArrayRef<TargetWord> getStages() const override;
  void addLoweringPasses(mlir::OpPassManager &pm,
                         llvm::StringRef last = {}) const override;
  llvm::ArrayRef<TargetWord> getFormats() const override;
  mlir::FailureOr<std::string> emitAs(mlir::ModuleOp module,
                                      llvm::StringRef format) const override;
};

/// Registers it as `cuda`.
void registerCUDATarget();

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_GPU_CUDATARGET_H
