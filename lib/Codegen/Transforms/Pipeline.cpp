//===- Pipeline.cpp - The CPU code phase as one pipeline ------------------===//
//
// The order of the phase's passes, and the registration of passes, pipeline
// and dialects.
//
//===----------------------------------------------------------------------===//

#include "tapestry/Codegen/Pipeline.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "tapestry/Codegen/Passes.h"

using namespace mlir;

namespace tapestry {

void buildKernelPipeline(OpPassManager &pm, const CodegenOptions &options) {
  if (!options.formKernels)
    return;
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createFuseElementwise());
  functions.addPass(createFormRowKernels());
  functions.addPass(createComputeInPlace());
  pm.addPass(createOutlineKernels());
}

void buildVectorPipeline(OpPassManager &pm, const CodegenOptions &options) {
  VectorizeKernelsOptions vectorize;
  vectorize.cpu = options.targetCPU;
  vectorize.vectorBits = options.vectorBits;
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createVectorizeKernels(vectorize));
  functions.addPass(createCSEPass());
  functions.addPass(createExpandMath());
}

void buildLLVMPipeline(OpPassManager &pm, const CodegenOptions &options) {
  LowerKernelsToLLVMOptions lower;
  lower.cpu = options.targetCPU;
  pm.addPass(createLowerKernelsToLLVM(lower));
}

void buildCodegenPipeline(OpPassManager &pm, const CodegenOptions &options) {
  buildKernelPipeline(pm, options);
  buildVectorPipeline(pm, options);
  buildLLVMPipeline(pm, options);
}

void registerCodegenPasses() {
  registerCodegenTransformsPasses();
  PassPipelineRegistration<CodegenOptions>(
      "tapestry-codegen-pipeline",
      "Lower linalg on buffers to fast CPU code in the LLVM dialect",
      buildCodegenPipeline);
}

void registerCodegenDialects(DialectRegistry &registry) {
  registry
      .insert<affine::AffineDialect, arith::ArithDialect,
              cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
              linalg::LinalgDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, ub::UBDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

} // namespace tapestry
