//===- EmitPTX.cpp - The NVVM dialect to PTX ------------------------------===//
//
// In this process, by the code generator in LLVM; no tool of CUDA's takes part.
//
//===----------------------------------------------------------------------===//

#include "DeviceModule.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace tapestry {

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
      .run(module, modules);
}

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
  optimize(*module, *machine);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return op.emitError("the code generator cannot emit PTX");
  passes.run(*module);
  return text.str().str();
}

} // namespace tapestry
