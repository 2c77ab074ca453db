//===- Pipeline.h - The CPU code phase as one pipeline ----------*- C++ -*-===//
//
// From bufferised linalg (straight-line functions over memrefs) to the LLVM
// dialect. lib/Object takes the result to machine code.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_PIPELINE_H
#define TAPESTRY_CODEGEN_PIPELINE_H

#include "mlir/Pass/PassOptions.h"
#include <string>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace tapestry {

struct CodegenOptions : public mlir::PassPipelineOptions<CodegenOptions> {
  Option<std::string> targetCPU{
      *this, "cpu",
      llvm::cl::desc("Processor to generate for, as LLVM names it; \"native\" "
                     "is the one that compiles"),
      llvm::cl::init("native")};
  Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("Width of a vector register (128, 256 or 512); 0 takes "
                     "the processor's"),
      llvm::cl::init(0)};
  Option<bool> formKernels{
      *this, "form-kernels",
      llvm::cl::desc("Fuse operations that share rows and outline kernels"),
      llvm::cl::init(true)};
};

/// The first part of buildCodegenPipeline: fuses operations and moves each
/// kernel to a function of its own, so that the rest of a function is calls.
/// Calls of kernels carry their last operation's `tapestry.` attributes. Runs
/// without effect on a module whose kernels were formed before.
void buildKernelPipeline(mlir::OpPassManager &pm,
                         const CodegenOptions &options);

/// The second part: loops over vectors in place of linalg operations. All
/// buffers are known behind it.
void buildVectorPipeline(mlir::OpPassManager &pm,
                         const CodegenOptions &options);

/// The last part, to the LLVM dialect.
void buildLLVMPipeline(mlir::OpPassManager &pm, const CodegenOptions &options);

/// All three parts: adds the passes from bufferised linalg to the LLVM dialect.
/// The input may hold func, memref, linalg, scf, arith, math, affine and vector
/// operations; the output holds llvm ones only. Allocations become calls of
/// `_mlir_memref_to_llvm_alloc`, `..._aligned_alloc` and `..._free`.
void buildCodegenPipeline(mlir::OpPassManager &pm,
                          const CodegenOptions &options);

/// Registers every pass of this phase and the pipeline
/// `tapestry-codegen-pipeline`.
void registerCodegenPasses();

/// Registers the dialects that the phase reads and makes, with the
/// translations to LLVM IR that compileToObject needs.
void registerCodegenDialects(mlir::DialectRegistry &registry);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_PIPELINE_H
