//===- Pipeline.h - The code phase as one pipeline --------------*- C++ -*-===//
//
// From bufferised linalg (straight-line functions over memrefs) to the LLVM
// dialect: fusion and outlining, which all targets share, and the target's own
// passes. Target::emitObject takes the result to machine code.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_PIPELINE_H
#define TAPESTRY_CODEGEN_PIPELINE_H

#include "mlir/Pass/PassOptions.h"
#include "tapestry/Codegen/Target.h"
#include <algorithm>

namespace tapestry {

/// From how many bytes that leave a device on a collective goes on beside
/// computation by default: to hand it over takes some microseconds.
constexpr int64_t leastOverlap = int64_t(64) << 10;

struct CodegenOptions : public mlir::PassPipelineOptions<CodegenOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("Target to generate for"),
                             llvm::cl::init("cpu")};
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
  Option<bool> tiles{
      *this, "tiles",
      llvm::cl::desc(
          "Use the processor's tile registers; whoever runs the code "
          "has asked the system for them"),
      llvm::cl::init(false)};
  Option<int64_t> threads{
      *this, "threads",
      llvm::cl::desc("Threads of a rank, whose memory is predicted; 0: as many "
                     "as the machine that runs the code has cores for, and "
                     "what is predicted is one's"),
      llvm::cl::init(0)};
  Option<std::string> gpuArchs{
      *this, "gpu-arch",
      llvm::cl::desc("Architectures of GPUs beside sm_80, with commas"),
      llvm::cl::init("")};
  Option<std::string> gpuProducts{
      *this, "gpu-products",
      llvm::cl::desc("Who computes products of matrices on GPUs: cublaslt, "
                     "cublaslt-relu, or generated kernels"),
      llvm::cl::init(libraryProducts.str())};
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc("Products of f32 on GPUs may round factors to TF32"),
      llvm::cl::init(false)};
  Option<int64_t> overlap{
      *this, "overlap",
      llvm::cl::desc("Collectives go on beside computation from so many bytes "
                     "that leave a device on; -1: none does"),
      llvm::cl::init(leastOverlap)};
  Option<int64_t> cutBytes{
      *this, "cut-bytes",
      llvm::cl::desc("Products whose results are reduced over devices are cut "
                     "from so many bytes of a device on, where collectives go "
                     "on beside computation; 0: none is"),
      llvm::cl::init(0)};
  Option<bool> formKernels{
      *this, "form-kernels",
      llvm::cl::desc("Fuse operations that share rows and outline kernels"),
      llvm::cl::init(true)};

  /// The target that the options name.
  llvm::Expected<std::unique_ptr<Target>> makeTarget() const {
    return createTarget({target, targetCPU, vectorBits, tiles,
                         std::max<int64_t>(threads, 1), gpuArchs, gpuProducts,
                         tf32});
  }
};

/// The first part of buildCodegenPipeline: fuses operations and moves each
/// kernel to a function of its own, so that the rest of a function is calls.
/// Calls of kernels carry their last operation's `tapestry.` attributes. Runs
/// without effect on a module whose kernels were formed before.
void buildKernelPipeline(mlir::OpPassManager &pm, const Target &target,
                         const CodegenOptions &options);

/// The second part: the target's form of kernels in place of linalg operations.
/// All buffers are known behind it.
void buildTargetPipeline(mlir::OpPassManager &pm, const Target &target);

/// All parts: adds the passes from bufferised linalg to the LLVM dialect. The
/// input may hold func, memref, linalg, scf, arith, math, affine and vector
/// operations; the output holds llvm ones only. Allocations become calls of the
/// runtime's functions for the target's first memory space.
void buildCodegenPipeline(mlir::OpPassManager &pm, const Target &target,
                          const CodegenOptions &options);

/// Registers a pipeline with CodegenOptions. Options that name no target are an
/// error of the command line.
void registerCodegenPipeline(
    llvm::StringRef name, llvm::StringRef description,
    std::function<void(mlir::OpPassManager &, const Target &,
                       const CodegenOptions &)>
        build);

/// Registers the passes that targets share and the pipeline
/// `tapestry-codegen-pipeline`.
void registerCodegenPasses();

/// Registers the dialects that the phase reads, and those of all targets.
void registerCodegenDialects(mlir::DialectRegistry &registry);

} // namespace tapestry

#endif // TAPESTRY_CODEGEN_PIPELINE_H
