//===- CPUTarget.cpp - Code for the processor -----------------------------===//
//
// The device is the processor that the ranks run on: kernels are functions that
// the device program calls, and all memory is the host's.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/CPU/CPUTarget.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/CPU/TargetInfo.h"
#include "tapestry/Codegen/Common/MemoryTrace.h"
#include "tapestry/Codegen/Target.h"
#include "tapestry/Object/Object.h"
#include "tapestry/Support/Error.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tapestry {
namespace {

class CPUTarget : public Target {
public:
  using Target::Target;

  ArrayRef<MemorySpace> getMemorySpaces() const override {
    static constexpr MemorySpace spaces[] = {{"host", bufferAlignment}};
    return spaces;
  }

  /// Kernels allocate what they pack; that stands in their bodies.
  Temporaries getTemporaries(func::FuncOp kernel) const override {
    MemoryTrace::Hooks hooks;
    hooks.alignment = bufferAlignment;
    auto trace = std::make_shared<MemoryTrace>(
        kernel->getParentOfType<ModuleOp>(), hooks);
    if (!trace->acts(kernel))
      return nullptr;
    return [trace, kernel](ArgumentSizes &arguments) {
      return trace->trace(kernel, /*device=*/0, arguments);
    };
  }

  void addKernelPasses(OpPassManager &functions) const override {
    VectorizeKernelsOptions vectorize;
    vectorize.cpu = getSpec().cpu;
    vectorize.vectorBits = getSpec().vectorBits;
    functions.addPass(createVectorizeKernels(vectorize));
  }

  void addMathPasses(OpPassManager &functions) const override {
    functions.addPass(createExpandMath());
  }

  void addLoweringPasses(OpPassManager &pm) const override {
    LowerKernelsToLLVMOptions lower;
    lower.cpu = getSpec().cpu;
    pm.addPass(createLowerKernelsToLLVM(lower));
  }

  /// A buffer is spelled out as (base, aligned, offset, size, stride).
  void emitLaunch(OpBuilder &b, Location loc, LLVM::LLVMFuncOp kernel,
                  ArrayRef<FlatBuffer> arguments) const override {
    Type word = b.getI64Type();
    Value zero = LLVM::ConstantOp::create(b, loc, word, b.getI64IntegerAttr(0));
    Value one = LLVM::ConstantOp::create(b, loc, word, b.getI64IntegerAttr(1));
    SmallVector<Value> operands;
    for (const FlatBuffer &buffer : arguments)
      operands.append(
          {buffer.pointer, buffer.pointer, zero, buffer.count, one});
    LLVM::CallOp::create(b, loc, kernel, operands);
  }

  FailureOr<std::unique_ptr<llvm::MemoryBuffer>>
  emitObject(ModuleOp module) const override {
    ObjectOptions options;
    options.cpu = getSpec().cpu;
    return compileToObject(module, options);
  }

  std::vector<std::string> getLinkArguments() const override {
    return {"-pthread", "-ldl"};
  }

  std::vector<std::string> getFeatures() const override {
    return TargetInfo::featuresUsed(getSpec().cpu);
  }
};

llvm::Expected<std::unique_ptr<Target>>
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

void registerCPUDialects(DialectRegistry &registry) {
  registry
      .insert<cf::ControlFlowDialect, ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

} // namespace

void registerCPUTarget() {
  registerTarget({"cpu", createCPUTarget, registerCPUDialects});
}

} // namespace tapestry
