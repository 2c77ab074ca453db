//===- Passes.td - Code passes for CPUs --------------------*- tablegen -*-===//
//
// Declares the passes of lib/Codegen/CPU, one per file there. They touch only
// functions that are marked, as those of Codegen/Common.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_CPU_PASSES_TD
#define TAPESTRY_CODEGEN_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def VectorizeKernels
    : Pass<"tapestry-vectorize-kernels", "::mlir::func::FuncOp"> {
  let summary = "Lower linalg.generic on buffers to vector loop nests";
  let description = [{
    Replaces every `linalg.generic` and `linalg.fill` on buffers by loops over
    vectors, whatever its element operation and its combining operation:

    - elementwise nests walk the result's contiguous dimension in vectors;
    - reductions of contiguous data keep partial results in vector lanes and
      combine the lanes at the end;
    - all other reductions (contractions, windows) compute tiles of rows x
      vectors whose partial results stay in registers, over blocks of the
      reduction that are packed where that pays; sums of products of bf16, i16
      or i8 use the processor's dot products, on panels in which neighbours
      along the reduction lie side by side, padded with zeros, or its tile
      registers;
    - nests that store what they have reduced so far at every point (a scan)
      compute the prefixes of a vector in the register, or walk many lines at
      once, vectors across them.

    Tails of the vector dimension use masks; other reductions are not padded. What
    cannot be vectorised (an indexing map that is not linear, an operation that
    has no vector form) becomes scalar loops.

    ```mlir
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {...}
    ```
    becomes
    ```mlir
    scf.for %i = %c0 to %main step %c64 {
      %v = vector.load %fx[%i] : memref<?xf32>, vector<64xf32>
      ...
    }
    ```
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"",
           "Processor to generate for">,
    Option<"vectorBits", "vector-bits", "unsigned", "0",
           "Width of a vector register; 0 takes the processor's">,
    Option<"tiles", "tiles", "bool", "false",
           "Use the processor's tile registers">
  ];
  let statistics = [
    Statistic<"numMaps", "elementwise", "Elementwise nests">,
    Statistic<"numTiled", "tiled", "Register-tiled reductions">,
    Statistic<"numRowReductions", "lane-reductions",
              "Reductions over vector lanes">,
    Statistic<"numScans", "scans", "Running values">,
    Statistic<"numScalar", "scalar", "Nests left to scalar loops">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect",
    "::mlir::affine::AffineDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::tapestry::index::TapestryIndexDialect"
  ];
}

def ExpandMath : Pass<"tapestry-expand-math", "::mlir::func::FuncOp"> {
  let summary = "Expand math operations to vector arithmetic or libm calls";
  let description = [{
    Replaces exp, expm1, log, tanh, erf, sin, cos, tan, rsqrt, constant powers,
    the logistic function (as `select(x < 0, e, 1) / (1 + e)` with `e =
    exp(-|x|)`), exp2, log2, log10, log1p, sinh, cosh, cbrt, asin, acos, atan and
    atan2 of f32 and f64, on vectors and scalars, by arithmetic that is right
    within one unit in the last place, tanh, erf and the logistic function of f32
    within two (docs/Accuracy.md). f16 and bf16 are computed in f32. What is
    left, and sin, cos and tan beyond 2^20, becomes calls of libm, one per lane.
  }];
  let options = [
    Option<"cpu", "cpu", "std::string", "\"native\"",
           "Processor to generate for">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def LowerKernelsToLLVM : Pass<"tapestry-lower-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert loops, vectors and buffers to the LLVM dialect";
  let description = [{
    One conversion of scf, arith, math, vector, memref, affine and func to the
    LLVM dialect. Math functions of bf16 are computed in f32, those that only libm
    has element by element. Allocations become calls of the runtime: of
    `_mlir_memref_to_llvm_aligned_alloc` for the host's memory, of
    `tapestry_rt_allocate` for other spaces.
  }];
  let options = [
    Option<"space", "space", "int32_t", "0",
           "Memory space to allocate in, as the runtime numbers them">,
    Option<"alignment", "alignment", "int64_t", "64",
           "What allocations are multiples of">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::affine::AffineDialect",
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::memref::MemRefDialect", "::mlir::ub::UBDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ShareKernels : Pass<"tapestry-share-kernels", "::mlir::ModuleOp"> {
  let summary = "Run kernels on several threads";
  let description = [{
    A kernel with the attribute `tapestry.work` (nanoseconds that one thread takes)
    computes the share of the thread that runs it. It becomes a function `.code`,
    and a call of it one of the runtime, which calls that on as many of the rank's
    threads as the work is worth.

    ```mlir
    llvm.func private @tapestry_kernel(%x: !llvm.ptr) attributes {tapestry.work = 80000 : i64}
    ```
    becomes
    ```mlir
    llvm.func private @tapestry_kernel.part(%arguments: !llvm.ptr) {
      ... llvm.call @tapestry_kernel.code(%x)
    }
    llvm.func private @tapestry_kernel(%x: !llvm.ptr) {
      ... llvm.call @tapestry_rt_parallel(%part, %arguments, %work)
    }
    ```
  }];
  let statistics = [
    Statistic<"numShared", "shared", "Kernels that threads share">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TAPESTRY_CODEGEN_CPU_PASSES_TD
