//===- CPUTarget.cpp - Code for the processor -----------------------------===//

#include "tapestry/Codegen/CPU/CPUTarget.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/CPU/TargetInfo.h"
#include "tapestry/Codegen/Common/DeviceCode.h"
#include "tapestry/Codegen/Common/MemoryTrace.h"
#include "tapestry/Object/Object.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tapestry {

ArrayRef<MemorySpace> CPUTarget::getMemorySpaces() const {
  static constexpr MemorySpace spaces[] = {
      {"host", TAPESTRY_HOST, bufferAlignment}};
  return spaces;
}

/// Kernels allocate what they pack; that stands in their bodies.
Temporaries CPUTarget::getTemporaries(func::FuncOp kernel) const {
  MemoryTrace::Hooks hooks;
  hooks.alignment = getMemorySpaces().front().alignment;
  auto trace =
      std::make_shared<MemoryTrace>(kernel->getParentOfType<ModuleOp>(), hooks);
  if (!trace->acts(kernel))
    return nullptr;
  // Each thread has buffers of its own, all at once.
  int64_t parts = 1;
  if (auto work = kernel->getAttrOfType<IntegerAttr>(workAttrName))
    parts = tapestry_rt_parts(work.getInt(), getSpec().threads);
  return [=](ArgumentSizes &arguments) {
    std::optional<MemoryUse> use =
        trace->trace(kernel, /*device=*/0, arguments);
    if (use)
      use->peak *= parts;
    return use;
  };
}

void CPUTarget::addKernelPasses(OpPassManager &functions) const {
  VectorizeKernelsOptions vectorize;
  vectorize.cpu = getSpec().cpu;
  vectorize.vectorBits = getSpec().vectorBits;
  vectorize.tiles = getSpec().tiles;
  functions.addPass(createVectorizeKernels(vectorize));
}

void CPUTarget::addMathPasses(OpPassManager &functions) const {
  ExpandMathOptions expand;
  expand.cpu = getSpec().cpu;
  functions.addPass(createExpandMath(expand));
}

void CPUTarget::addLoweringPasses(OpPassManager &pm, StringRef) const {
  const MemorySpace &space = getMemorySpaces().front();
  LowerKernelsToLLVMOptions lower;
  lower.space = space.number;
  lower.alignment = space.alignment;
  pm.addPass(createLowerKernelsToLLVM(lower));
  pm.addPass(createShareKernels());
}

/// A buffer is spelled out as (base, aligned, offset, size, stride).
void CPUTarget::emitLaunch(OpBuilder &b, Location loc, LLVM::LLVMFuncOp kernel,
                           ArrayRef<FlatBuffer> arguments) const {
  Type word = b.getI64Type();
  Value zero = LLVM::ConstantOp::create(b, loc, word, b.getI64IntegerAttr(0));
  Value one = LLVM::ConstantOp::create(b, loc, word, b.getI64IntegerAttr(1));
  SmallVector<Value> operands;
  for (const FlatBuffer &buffer : arguments)
    operands.append({buffer.pointer, buffer.pointer, zero, buffer.count, one});
  LLVM::CallOp::create(b, loc, kernel, operands);
}

FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
CPUTarget::emitObject(ModuleOp module, unsigned threads) const {
  ObjectOptions options;
  options.threads = threads;
  options.cpu = getSpec().cpu;
  return compileToObject(module, options);
}

std::vector<std::string> CPUTarget::getLinkArguments() const {
  return {"-pthread", "-ldl"};
}

std::vector<std::string> CPUTarget::getFeatures() const {
  return TargetInfo::featuresUsed(getSpec().cpu);
}

static llvm::Expected<std::unique_ptr<Target>>
createCPUTarget(const TargetSpec &spec) {
  if (!TargetInfo::get(spec.cpu))
    return faultError(Fault::Usage, "", "there is no processor '", spec.cpu,
                      "'; there are: native, ",
                      llvm::join(TargetInfo::allNames(), ", "));
  if (!TargetInfo::get(spec.cpu, spec.vectorBits))
    return faultError(Fault::Usage, "",
                      "vector registers have 128, 256 or 512 bits, not ",
                      spec.vectorBits);
  return std::make_unique<CPUTarget>(spec);
}

static void registerCPUDialects(DialectRegistry &registry) {
  registry
      .insert<cf::ControlFlowDialect, ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

void registerCPUTarget() {
  llvm::cantFail(registerTarget({"cpu", createCPUTarget, registerCPUDialects}),
                 "the first to be registered");
}

} // namespace tapestry
