//===- CUDATarget.cpp - Code for NVIDIA's GPUs ----------------------------===//

#include "tapestry/Codegen/GPU/CUDATarget.h"
#include "DeviceModule.h"
#include "LaunchEmitter.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "tapestry-rt/ABI.h"
#include "tapestry/Codegen/CPU/Passes.h"
#include "tapestry/Codegen/Common/Passes.h"
#include "tapestry/Codegen/GPU/Passes.h"
#include "tapestry/Support/Error.h"

using namespace mlir;

namespace tapestry {

ArrayRef<MemorySpace> CUDATarget::getMemorySpaces() const {
  static constexpr MemorySpace spaces[] = {{"cuda", TAPESTRY_CUDA, 256}};
  return spaces;
}

void CUDATarget::addFusionPasses(OpPassManager &functions) const {
  FormRowKernelsOptions rows;
  rows.rowBytes = rowBytes;
  functions.addPass(createFormRowKernels(rows));
  if (getSpec().gpuProducts == generatedProducts)
    return;
  functions.addPass(createComputeInPlace());
  FormEpiloguesOptions epilogues;
  epilogues.relu = getSpec().gpuProducts == libraryReLUs;
  functions.addPass(createFormEpilogues(epilogues));
}

void CUDATarget::addModulePasses(OpPassManager &pm) const {
  pm.addPass(createSplitHostKernels());
  pm.addPass(createMapSorts());
  if (getSpec().gpuProducts == generatedProducts)
    return;
  MapProductsOptions products;
  products.tf32 = getSpec().tf32;
  pm.addPass(createMapProducts(products));
}

void CUDATarget::addKernelPasses(OpPassManager &functions) const {
  functions.addPass(createMapKernels());
  // What is left is the host's.
  CPUTarget::addKernelPasses(functions);
}

/// Every GPU has fused multiply-adds, and so has every processor by a function.
void CUDATarget::addMathPasses(OpPassManager &functions) const {
  ExpandMathOptions expand;
  expand.cpu = "x86-64-v3";
  // Powers become functions that are expanded then; what is left is that of
  // large angles, and powers that were ones of integers.
  functions.addPass(createExpandDeviceMath());
  functions.addPass(createExpandMath(expand));
  ExpandDeviceMathOptions rest;
  rest.angles = true;
  functions.addPass(createExpandDeviceMath(rest));
}

ArrayRef<TargetWord> CUDATarget::getStages() const {
  static constexpr TargetWord stages[] = {
      {"gpu", "functions of the GPU and the host's part that launches them"},
      {"nvvm", "the GPU's part in the NVVM dialect"},
  };
  return stages;
}

void CUDATarget::addLoweringPasses(OpPassManager &pm, StringRef last) const {
  pm.addPass(createOutlineLaunches());
  pm.nest<gpu::GPUModuleOp>().addPass(createCSEPass());
  if (last == "gpu")
    return;
  if (last.empty()) {
    LowerToStubOptions stub;
    stub.archs = getSpec().gpuArchs;
    pm.addPass(createLowerToStub(stub));
  }
  OpPassManager &device = pm.nest<gpu::GPUModuleOp>();
  device.addPass(createLowerAffinePass());
  device.addPass(memref::createExpandStridedMetadataPass());
  device.addPass(createLowerAffinePass());
  device.addPass(createLowerToNVVM());
  if (last == "nvvm")
    return;
  EmbedImagesOptions embed;
  embed.archs = getSpec().gpuArchs;
  pm.addPass(createEmbedImages(embed));
  CPUTarget::addLoweringPasses(pm);
}

ArrayRef<TargetWord> CUDATarget::getFormats() const {
  static constexpr TargetWord formats[] = {
      {"ptx", "PTX for the first of --gpu-arch"}};
  return formats;
}

FailureOr<std::string> CUDATarget::emitAs(ModuleOp module, StringRef) const {
  auto device = module.lookupSymbol<gpu::GPUModuleOp>(deviceModuleName);
  if (!device)
    return module.emitError("has no code for a GPU");
  StringRef first = StringRef(getSpec().gpuArchs).split(',').first;
  return emitPTX(device, first.empty() || first == stubArch
                             ? StringRef(leastArch)
                             : first);
}

static llvm::Expected<std::unique_ptr<Target>>
createCUDATarget(const TargetSpec &spec) {
  StringRef products = spec.gpuProducts;
  if (products != libraryProducts && products != libraryReLUs &&
      products != generatedProducts)
    return faultError(Fault::Usage, "", "products of GPUs are ",
                      libraryProducts, ", ", libraryReLUs, " or ",
                      generatedProducts, ", not '", products, "'");
  // The host's part has the processors of `cpu`.
  auto host = createTarget({"cpu", spec.cpu, spec.vectorBits});
  if (!host)
    return host.takeError();
  SmallVector<StringRef> archs;
  StringRef(spec.gpuArchs).split(archs, ',', -1, /*KeepEmpty=*/false);
  for (StringRef arch : archs)
    if (!isKnownArch(arch))
      return faultError(Fault::Usage, "", "there is no architecture '", arch,
                        "'; there are: sm_80, sm_86, sm_87, sm_89, sm_90, "
                        "sm_90a, sm_100, sm_100a, sm_120, sm_120a");
  return std::make_unique<CUDATarget>(spec);
}

static void registerCUDADialects(DialectRegistry &registry) {
  registry.insert<cf::ControlFlowDialect, gpu::GPUDialect, NVVM::NVVMDialect>();
  registerGPUDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

void registerCUDATarget() {
  llvm::cantFail(
      registerTarget({"cuda", createCUDATarget, registerCUDADialects}),
      "nobody else has the name");
}

} // namespace tapestry
