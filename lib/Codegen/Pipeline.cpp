//===- Pipeline.cpp - The code phase as one pipeline ----------------------===//
//
// The order of the phase's passes, and the registration of passes, pipeline
// and dialects.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Pipeline.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "tapestry/Codegen/Common/Passes.h"

using namespace mlir;

namespace tapestry {

void buildKernelPipeline(OpPassManager &pm, const Target &target,
                         const CodegenOptions &options) {
  if (!options.formKernels)
    return;
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createFuseElementwise());
  target.addFusionPasses(functions);
  functions.addPass(createComputeInPlace());
  pm.addPass(createOutlineKernels());
}

void buildTargetPipeline(OpPassManager &pm, const Target &target) {
  target.addModulePasses(pm);
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createSplitComplex());
  target.addKernelPasses(functions);
  functions.addPass(createDeviceCSE());
  functions.addPass(createExpandRandom());
  target.addMathPasses(functions);
}

void buildCodegenPipeline(OpPassManager &pm, const Target &target,
                          const CodegenOptions &options) {
  buildKernelPipeline(pm, target, options);
  buildTargetPipeline(pm, target);
  target.addLoweringPasses(pm);
}

void registerCodegenPipeline(
    StringRef name, StringRef description,
    std::function<void(OpPassManager &, const Target &, const CodegenOptions &)>
        build) {
  registerPassPipeline(
      name, description,
      [build = std::move(build)](
          OpPassManager &pm, StringRef text,
          function_ref<LogicalResult(const Twine &)> onError) {
        CodegenOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        auto target = options.makeTarget();
        if (!target)
          return onError(llvm::toString(target.takeError()));
        build(pm, **target, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> onOptions) {
        onOptions(CodegenOptions());
      });
}

void registerCodegenPasses() {
  registerCodegenCommonPasses();
  registerCodegenPipeline(
      "tapestry-codegen-pipeline",
      "Lower linalg on buffers to fast code in the LLVM dialect",
      buildCodegenPipeline);
}

void registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
                  LLVM::LLVMDialect, linalg::LinalgDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect>();
  for (const TargetKind &kind : allTargets())
    kind.registerDialects(registry);
}

} // namespace tapestry
