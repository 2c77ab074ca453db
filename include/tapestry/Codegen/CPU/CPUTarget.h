//===- CPUTarget.h - Code for the processor ---------------------*- C++ -*-===//
//
// The device is the processor that the ranks run on: kernels are functions that
// the device program calls, and all memory is the host's.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_CPU_CPUTARGET_H
#define TAPESTRY_CODEGEN_CPU_CPUTARGET_H

#include "tapestry/Codegen/Target.h"

namespace tapestry {

/// A target that differs from it in part derives from it: its passes take
/// memory spaces from getMemorySpaces().
class CPUTarget : public Target {
public:
  using Target::Target;

  llvm::ArrayRef<MemorySpace> getMemorySpaces() const override;
  Temporaries getTemporaries(mlir::func::FuncOp kernel) const override;
  void addKernelPasses(mlir::OpPassManager &functions) const override;
  void addMathPasses(mlir::OpPassManager &functions) const override;
  void addLoweringPasses(mlir::OpPassManager &pm,
                         llvm::StringRef last = {}) const override;
  void emitLaunch(mlir::OpBuilder &b, mlir::Location loc,
                  mlir::LLVM::LLVMFuncOp kernel,
                  llvm::ArrayRef<FlatBuffer> arguments) const override;
  mlir::FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
  emitObject(mlir::ModuleOp module, unsigned threads = 1) const override;
  std::vector<std::string> getLinkArguments() const override;
  std::vector<std::string> getFeatures() const override;
};

/// Registers it as `cpu`.
void registerCPUTarget();

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_CPU_CPUTARGET_H
