//===- Object.cpp - The LLVM dialect to machine code ----------------------===//
//
// Translation to LLVM IR, the few of LLVM's passes that kernels gain from, and
// emission of an object file for one processor.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Object/Object.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"

using namespace mlir;

namespace tapestry {
namespace {

llvm::CodeGenOptLevel codegenLevel(unsigned level) {
  switch (level) {
  case 0:
    return llvm::CodeGenOptLevel::None;
  case 1:
    return llvm::CodeGenOptLevel::Less;
  case 2:
    return llvm::CodeGenOptLevel::Default;
  default:
    return llvm::CodeGenOptLevel::Aggressive;
  }
}

/// A string attribute that modules of the LLVM dialect carry; empty where there
/// is none.
StringRef attributeOf(ModuleOp module, StringRef name) {
  auto text = module->getAttrOfType<StringAttr>(name);
  return text ? text.getValue() : StringRef();
}

/// What `module` is to be compiled for; fails where that is no machine like
/// this one.
FailureOr<llvm::Triple> tripleOf(ModuleOp module) {
  llvm::Triple host(llvm::sys::getDefaultTargetTriple());
  StringRef name = LLVM::LLVMDialect::getTargetTripleAttrName();
  StringRef text = attributeOf(module, name);
  if (text.empty())
    return host;
  llvm::Triple wanted(llvm::Triple::normalize(text));
  if (wanted.getArch() != host.getArch() || wanted.getOS() != host.getOS() ||
      wanted.getObjectFormat() != host.getObjectFormat())
    return module.emitError("has '")
           << name << "' = \"" << text << "\", but code is generated for "
           << host.str();
  return wanted;
}

/// Code was made for the data layout that a module names.
LogicalResult verifyDataLayout(ModuleOp module,
                               const llvm::DataLayout &layout) {
  StringRef name = LLVM::LLVMDialect::getDataLayoutAttrName();
  StringRef text = attributeOf(module, name);
  if (text.empty())
    return success();
  llvm::Expected<llvm::DataLayout> wanted = llvm::DataLayout::parse(text);
  if (!wanted)
    return module.emitError("has '")
           << name << "' = \"" << text
           << "\": " << llvm::toString(wanted.takeError());
  if (*wanted == layout)
    return success();
  return module.emitError("has '")
         << name << "' = \"" << text << "\", but the target's is \""
         << layout.getStringRepresentation() << '"';
}

/// Only one module becomes an object; translation would drop those inside.
LogicalResult verifyNoModules(ModuleOp module) {
  for (auto inner : module.getOps<ModuleOp>())
    return inner.emitError("is a module within the module that becomes an "
                           "object; it would be lost");
  return success();
}

FailureOr<std::unique_ptr<llvm::TargetMachine>>
makeTargetMachine(ModuleOp module, const ObjectOptions &options) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();

  std::string cpu = options.cpu;
  llvm::SubtargetFeatures features;
  if (cpu == "native") {
    cpu = llvm::sys::getHostCPUName().str();
    llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
    // In an order that hashing has no say in: equal input gives equal objects.
    llvm::SmallVector<llvm::StringRef> names(host.keys());
    llvm::sort(names);
    for (llvm::StringRef name : names)
      features.AddFeature(name, host.lookup(name));
  }

  FailureOr<llvm::Triple> wanted = tripleOf(module);
  if (failed(wanted))
    return failure();
  const llvm::Triple &triple = *wanted;
  if (triple.isX86() && llvm::X86::parseArchX86(cpu) == llvm::X86::CK_None)
    return module.emitError("unknown processor '") << cpu << "'";
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return module.emitError("no code generator for ")
           << triple.str() << ": " << message;

  llvm::TargetOptions targetOptions;
  // Only what the kernels mark is contracted.
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(target->createTargetMachine(
      triple, cpu, features.getString(), targetOptions, llvm::Reloc::PIC_,
      std::nullopt, codegenLevel(options.optLevel)));
  if (!machine)
    return module.emitError("cannot generate code for ") << triple.str();
  return machine;
}

/// Tells the back end which processor each function is for. Without the width
/// attributes LLVM splits 512-bit vectors on processors where it prefers 256.
void setFunctionAttributes(llvm::Module &module,
                           const llvm::TargetMachine &machine) {
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    function.addFnAttr("target-features", machine.getTargetFeatureString());
    function.addFnAttr("prefer-vector-width", "512");
    function.addFnAttr("min-legal-vector-width", "512");
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
}

/// What vector code that is tiled, unrolled and hoisted already has left to
/// gain. LLVM's own -O3 takes twice the time to make the same code of it.
constexpr llvm::StringLiteral kernelPasses =
    "function(early-cse,instcombine<no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(licm),early-cse,instcombine<no-verify-fixpoint>,simplifycfg),"
    "globaldce";

LogicalResult optimize(ModuleOp op, llvm::Module &module,
                       llvm::TargetMachine &machine) {
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
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, kernelPasses))
    return op.emitError("LLVM's passes: ") << llvm::toString(std::move(error));
  passes.run(module, modules);
  return success();
}

LogicalResult emit(ModuleOp op, llvm::Module &module,
                   llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                   llvm::raw_pwrite_stream &stream) {
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type,
                                  /*DisableVerify=*/true))
    return op.emitError("the target cannot emit an object file");
  passes.run(module);
  return success();
}

} // namespace

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
compileToObject(ModuleOp op, const ObjectOptions &options) {
  auto machine = makeTargetMachine(op, options);
  if (failed(machine) ||
      failed(verifyDataLayout(op, (*machine)->createDataLayout())) ||
      failed(verifyNoModules(op)))
    return failure();

  registerBuiltinDialectTranslation(*op.getContext());
  registerLLVMDialectTranslation(*op.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(op, context);
  if (!module)
    return op.emitError("cannot be translated to LLVM IR");
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple((*machine)->getTargetTriple());
  setFunctionAttributes(*module, **machine);
  if (options.optLevel > 0 && failed(optimize(op, *module, **machine)))
    return failure();
  if (options.dumpLLVM)
    module->print(*options.dumpLLVM, nullptr);

  if (options.dumpAssembly) {
    // Emission consumes the module's analyses, hence a copy of the text only
    // when somebody asked for it.
    llvm::SmallVector<char> text;
    llvm::raw_svector_ostream stream(text);
    if (failed(emit(op, *module, **machine, llvm::CodeGenFileType::AssemblyFile,
                    stream)))
      return failure();
    *options.dumpAssembly << stream.str();
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  if (failed(emit(op, *module, **machine, llvm::CodeGenFileType::ObjectFile,
                  stream)))
    return failure();
  return std::unique_ptr<llvm::MemoryBuffer>(
      std::make_unique<llvm::SmallVectorMemoryBuffer>(
          std::move(bytes), "tapestry", /*RequiresNullTerminator=*/false));
}

} // namespace tapestry
