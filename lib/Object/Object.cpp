//===- Object.cpp - The LLVM dialect to machine code ----------------------===//
//
// Translation to LLVM IR, the few of LLVM's passes that kernels gain from, and
// emission of an object file for one processor.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Object/Object.h"
#include "Split.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include <csignal>
#include <pthread.h>

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

/// Optimises `module` and appends its object to `bytes`; what the options dump,
/// where that is given.
llvm::Error compile(llvm::Module &module, llvm::TargetMachine &machine,
                    const ObjectOptions &options,
                    llvm::SmallVectorImpl<char> &bytes) {
  if (options.optLevel > 0)
    if (llvm::Error error = optimizeModule(module, machine, kernelPasses))
      return error;
  if (options.dumpLLVM)
    module.print(*options.dumpLLVM, nullptr);
  if (options.dumpAssembly) {
    // Emission consumes the module's analyses, hence a copy of the text only
    // when somebody asked for it.
    llvm::SmallVector<char> text;
    llvm::raw_svector_ostream stream(text);
    if (llvm::Error error = emitModule(
            module, machine, llvm::CodeGenFileType::AssemblyFile, stream))
      return error;
    *options.dumpAssembly << stream.str();
  }
  llvm::raw_svector_ostream stream(bytes);
  return emitModule(module, machine, llvm::CodeGenFileType::ObjectFile, stream);
}

//===----------------------------------------------------------------------===//
// Several threads
//===----------------------------------------------------------------------===//

/// A part of a module, which is compiled in a thread.
struct Part {
  llvm::StringRef bitcode;
  const llvm::TargetMachine *like = nullptr;
  const ObjectOptions *options = nullptr;
  llvm::SmallVector<char, 0> bytes;
  std::string problem;
  pthread_t thread = {};

  llvm::Error tryCompile();
};

llvm::Error Part::tryCompile() {
  std::unique_ptr<llvm::TargetMachine> machine(
      like->getTarget().createTargetMachine(
          like->getTargetTriple(), like->getTargetCPU(),
          like->getTargetFeatureString(), like->Options,
          like->getRelocationModel(), std::nullopt, like->getOptLevel()));
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      llvm::parseBitcodeFile({bitcode, "part"}, context);
  if (!module)
    return module.takeError();
  return compile(**module, *machine, *options, bytes);
}

void *runPart(void *argument) {
  // Signals are for the thread that answers them.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  auto *part = static_cast<Part *>(argument);
  if (llvm::Error error = part->tryCompile())
    part->problem = llvm::toString(std::move(error));
  return nullptr;
}

/// Compiles a module and parts that were taken out of it at a time, to an
/// archive of their objects.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
compileParts(llvm::Module &module,
             llvm::ArrayRef<llvm::SmallVector<char, 0>> texts,
             llvm::TargetMachine &machine, const ObjectOptions &options) {
  std::vector<Part> parts(texts.size());
  std::vector<Part *> left;
  for (auto [part, text] : llvm::zip_equal(parts, texts)) {
    part.bitcode = llvm::StringRef(text.data(), text.size());
    part.like = &machine;
    part.options = &options;
    // Where there is no thread for one, this one does it.
    if (pthread_create(&part.thread, nullptr, runPart, &part) != 0)
      left.push_back(&part);
  }
  llvm::SmallVector<char, 0> bytes;
  llvm::Error error = compile(module, machine, options, bytes);
  std::vector<llvm::NewArchiveMember> members;
  auto add = [&](const llvm::SmallVector<char, 0> &object) {
    members.emplace_back(llvm::MemoryBufferRef(
        llvm::StringRef(object.data(), object.size()), "tapestry.o"));
  };
  add(bytes);
  for (Part &part : parts) {
    if (!llvm::is_contained(left, &part))
      pthread_join(part.thread, nullptr);
    else if (llvm::Error failed = part.tryCompile())
      part.problem = llvm::toString(std::move(failed));
    if (!part.problem.empty())
      error = llvm::joinErrors(std::move(error),
                               llvm::createStringError(part.problem));
    add(part.bytes);
  }
  if (error)
    return std::move(error);
  return llvm::writeArchiveToBuffer(members, llvm::SymtabWritingMode::NoSymtab,
                                    llvm::object::Archive::K_GNU,
                                    /*Deterministic=*/true, /*Thin=*/false);
}

} // namespace

llvm::Error optimizeModule(llvm::Module &module, llvm::TargetMachine &machine,
                           llvm::StringRef passes) {
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
  llvm::ModulePassManager manager;
  if (llvm::Error error = builder.parsePassPipeline(manager, passes))
    return error;
  manager.run(module, modules);
  return llvm::Error::success();
}

llvm::Error emitModule(llvm::Module &module, llvm::TargetMachine &machine,
                       llvm::CodeGenFileType type,
                       llvm::raw_pwrite_stream &stream) {
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type,
                                  /*DisableVerify=*/true))
    return llvm::createStringError("the target cannot emit code of this kind");
  passes.run(module);
  return llvm::Error::success();
}

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
  if (options.threads > 1 && !options.dumpLLVM && !options.dumpAssembly) {
    auto parts = splitModule(*module, options.threads);
    if (!parts.empty()) {
      auto archive = compileParts(*module, parts, **machine, options);
      if (!archive)
        return op.emitError(llvm::toString(archive.takeError()));
      return std::move(*archive);
    }
  }
  llvm::SmallVector<char, 0> bytes;
  if (llvm::Error error = compile(*module, **machine, options, bytes))
    return op.emitError(llvm::toString(std::move(error)));
  return std::unique_ptr<llvm::MemoryBuffer>(
      std::make_unique<llvm::SmallVectorMemoryBuffer>(
          std::move(bytes), "tapestry", /*RequiresNullTerminator=*/false));
}

llvm::Expected<std::vector<llvm::MemoryBufferRef>>
objectsIn(llvm::MemoryBufferRef object) {
  if (llvm::identify_magic(object.getBuffer()) != llvm::file_magic::archive)
    return std::vector<llvm::MemoryBufferRef>{object};
  auto archive = llvm::object::Archive::create(object);
  if (!archive)
    return archive.takeError();
  std::vector<llvm::MemoryBufferRef> objects;
  llvm::Error error = llvm::Error::success();
  for (const llvm::object::Archive::Child &child :
       (*archive)->children(error)) {
    auto member = child.getMemoryBufferRef();
    if (!member)
      return llvm::joinErrors(std::move(error), member.takeError());
    objects.push_back(*member);
  }
  if (error)
    return std::move(error);
  return objects;
}

} // namespace tapestry
