//===- EmitPTX.cpp - The NVVM dialect to PTX ------------------------------===//
//
// In this process, by the code generator in LLVM; no tool of CUDA's takes part.
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "tapestry/Object/Object.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace tapestry {

FailureOr<std::string> emitPTX(gpu::GPUModuleOp op, StringRef arch) {
  static bool initialized = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)initialized;
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string problem;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, problem);
  if (!target)
    return op.emitError("this LLVM has no code generator for ")
           << triple.str() << ": " << problem;
  llvm::TargetOptions options;
  // Only what the kernels mark is contracted.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, arch, /*Features=*/"", options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Aggressive));
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module =
      translateModuleToLLVMIR(op, context, deviceModuleName);
  if (!module)
    return op.emitError("cannot be translated to LLVM IR");
  module->setDataLayout(machine->createDataLayout());
  module->setTargetTriple(triple);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::Error error = optimizeModule(*module, *machine, "default<O3>");
  if (!error)
    error = emitModule(*module, *machine, llvm::CodeGenFileType::AssemblyFile,
                       stream);
  if (error)
    return op.emitError(llvm::toString(std::move(error)));
  return text.str().str();
}

} // namespace tapestry
