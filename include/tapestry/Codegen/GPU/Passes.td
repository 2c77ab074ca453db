//===- Passes.td - Code passes for GPUs --------------------*- tablegen -*-===//
//
// Declares the passes of lib/Codegen/GPU, one per file there. They touch only
// functions that are marked, as those of Codegen/Common.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_GPU_PASSES_TD
#define TAPESTRY_CODEGEN_GPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitHostKernels : Pass<"tapestry-split-host-kernels", "::mlir::ModuleOp"> {
  let summary = "Give functions of the host kernels of their own";
  let description = [{
    A function marked `tapestry.host` works on the host's memory, whatever the
    device is: what reductions of the runtime combine by. The kernels that it
    calls become copies with that mark, which the host's code generation takes.

    ```mlir
    func.func @combine(...) attributes {tapestry.device, tapestry.host} {
      call @tapestry_kernel(...)
    }
    ```
    becomes a call of `@tapestry_kernel.host`.
  }];
  let statistics = [
    Statistic<"numSplit", "split", "Kernels copied for the host">
  ];
}

def MapSorts : Pass<"tapestry-map-sorts", "::mlir::ModuleOp"> {
  let summary = "Map sorts of rows to the threads of a GPU";
  let description = [{
    Replaces calls of `tapestry_rt_sort` by launches that give the same results:
    stable, NaN the largest, the zeros equal. A row of up to 2,048 elements is
    sorted in shared memory by a block. Of longer ones a block per piece does that,
    and then a thread per element finds by bisection how many of each other piece
    come before it; a selection keeps the best in shared memory while a block reads
    the row. No scratch memory but that of the call is used.

    ```mlir
    call @tapestry_rt_sort(%dtype, %mode, %rows, ..., %source, %result, %scratch)
    ```
    becomes
    ```mlir
    gpu.launch blocks(...) threads(...) workgroup(%items : memref<512xi64, ...>) {
      ...
    }
    ```
  }];
  let statistics = [
    Statistic<"numSorts", "sorts", "Sorts mapped">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def FormEpilogues
    : Pass<"tapestry-form-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Bring products and what is made of their results together";
  let description = [{
    An operation that one call of the GPU's library may compute with the product
    before it (`tapestry-map-products`) moves right behind that, and both become
    one kernel (`tapestry.joined`). What stands between must not mind. Positive
    parts stay operations without `relu`: what the library makes of NaN is not
    known.

    ```mlir
    linalg.generic ... ins(%x, %w) outs(%h)     // h(i, k) += x(i, j) w(j, k)
    ...
    linalg.generic ... ins(%h, %b) outs(%h)     // h(i, k) = max(h(i, k) + b(k), 0)
    ```
    becomes
    ```mlir
    linalg.generic ... ins(%x, %w) outs(%h) attrs = {tapestry.joined}
    linalg.generic ... ins(%h, %b) outs(%h)
    ```
  }];
  let options = [
    Option<"relu", "relu", "bool", "false",
           "Positive parts may be the library's, too">
  ];
  let statistics = [
    Statistic<"numJoined", "joined", "Operations brought to their products">
  ];
}

def MapProducts : Pass<"tapestry-map-products", "::mlir::ModuleOp"> {
  let summary = "Have products of matrices computed by the GPU's library";
  let description = [{
    An operation that adds products of two inputs becomes a call of the runtime,
    which hands it to cuBLASLt: where factors of f32, f64, bf16, f16 or i8 are added
    in f32, f64 or i32, and the loops, told apart by which operands depend on them,
    are one of rows, one of columns, one of terms and others over matrices, with
    rows or columns of every matrix side by side in memory. Loops of rows or columns
    that do not become one are over matrices, too. What begins with a fill of 0 does
    not read its result (beta is 0), what adds to its result does (beta is 1), and
    factors that are constants are alpha. Bytes are taken where all extents and
    strides are known to be multiples of four and terms lie side by side in both
    factors.

    Where the operation behind it works on each result, the call may compute that,
    too: with a constant factor, with a number per column and a matrix as the
    result added, the positive part of it or the GELU by tanh, or its value in bf16
    or f16. `tapestry-form-epilogues` brings such an operation there.

    A buffer as large as the largest matrix, up to 32 MiB, is the
    library's to work in. All else is left for `tapestry-map-kernels`.

    ```mlir
    linalg.generic {indexing_maps = [#ij, #jk, #ik], ...}
        ins(%a, %b : memref<64x32xf32>, memref<32x48xf32>) outs(%c : memref<64x48xf32>) {...}
    ```
    becomes
    ```mlir
    %room = memref.alloc() : memref<12288xi8>
    llvm.call @tapestry_rt_product(%none, %product, %pa, %pb, %none, %pc, %none, %proom, %bytes)
    memref.dealloc %room
    ```
  }];
  let options = [
    Option<"tf32", "tf32", "bool", "false",
           "Factors of f32 may be rounded to TF32">
  ];
  let statistics = [
    Statistic<"numProducts", "products", "Products called">,
    Statistic<"numEpilogues", "epilogues", "Operations that calls compute, too">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"
  ];
}

def MapKernels : Pass<"tapestry-map-kernels", "::mlir::func::FuncOp"> {
  let summary = "Map operations on buffers to the threads of a GPU";
  let description = [{
    Replaces every operation on buffers by a `gpu.launch`, whatever its element
    operation and its combining operation:

    - a thread per result, in an order in which neighbours write neighbours, with
      a loop of its own over what is reduced; of what has neighbours side by side
      in all buffers, and reduces nothing, a thread per 16 bytes, where buffers
      begin at multiples of that;
    - a block per result where few results reduce much: threads share the
      reduction's points and combine what they have by shuffles in each warp, then
      through shared memory;
    - a block per tile of results where two inputs meet in each (any product under
      any sum): blocks of both lie in shared memory, and a thread keeps a square of
      results in registers.

    A loop over rows that `tapestry-form-row-kernels` has made of several
    operations becomes one launch with a block per row: each operation is shared by
    the block's threads, reductions of a row go through warps by `gpu.shuffle`, and
    what several operations read or write of a row lies in shared memory.

    Operations whose subscripts are not linear are computed by a thread per result
    on buffers as they are. Of a scatter, a loop over updates, each element has a
    thread of its own, which goes through all of them in order; other loops over
    elements (blocks with bodies) are one thread's. Tails are left out by comparisons, nothing is padded.

    ```mlir
    linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%x : memref<?xf32>) outs(%y : memref<?xf32>) {...}
    ```
    becomes
    ```mlir
    gpu.launch blocks(%b, ...) in (%blocks, ...) threads(%t, ...) in (%c256, ...) {
      scf.for %i = %first to %n step %all {
        %e = memref.load %fx[%i] : memref<?xf32>
        ...
      }
    }
    ```
  }];
  let statistics = [
    Statistic<"numPoints", "points", "Operations with a thread per result">,
    Statistic<"numBlocks", "blocks", "Reductions with a block per result">,
    Statistic<"numTiled", "tiled", "Products in tiles">,
    Statistic<"numRows", "rows", "Loops over rows with a block per row">,
    Statistic<"numPlain", "plain", "Operations on buffers as they are">,
    Statistic<"numScatters", "scatters", "Loops over updates">,
    Statistic<"numSerial", "serial", "Loops left to one thread">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::affine::AffineDialect",
    "::mlir::gpu::GPUDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandDeviceMath
    : Pass<"tapestry-expand-device-math", "::mlir::func::FuncOp"> {
  let summary = "Expand in launches what the host has in libm";
  let description = [{
    Powers of floats, those up to f32 by exp2 and log2 of f64, and remainders. With
    `angles`, sines, cosines and tangents of f64: those that `tapestry-expand-math`
    leaves where numbers are large.
  }];
  let options = [
    Option<"angles", "angles", "bool", "false",
           "What is left of sines, cosines and tangents are those of large numbers">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

def OutlineLaunches : Pass<"tapestry-outline-launches", "::mlir::ModuleOp"> {
  let summary = "Move what runs on the GPU to one gpu.module";
  let description = [{
    Each `gpu.launch` of marked functions becomes a `gpu.func` of the module
    `tapestry_device`, whose arguments are pointers and numbers, and a call of the
    runtime (`tapestry_rt_launch`) with its number. What the host's part reads of
    buffers (a loop's condition) is fetched (`tapestry_rt_fetch`). What would touch
    the device's memory from the host is an error that names the operation.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Functions of the GPU">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::memref::MemRefDialect"
  ];
}

def LowerToStub : Pass<"tapestry-lower-to-stub", "::mlir::ModuleOp"> {
  let summary = "Copy what runs on the GPU for the tests' driver";
  let description = [{
    Where `archs` names `stub`: the functions of `tapestry_device` become ones of
    this machine, which ask the driver of the tests (test/lib/CUDAStub) for the
    numbers of their thread and block, for the block's memory, and to wait at
    barriers. They lie in a module of their own, in the LLVM dialect.
  }];
  let options = [
    Option<"archs", "archs", "std::string", "\"sm_80\"",
           "Architectures, with commas between them">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def LowerToNVVM : Pass<"tapestry-lower-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert what runs on the GPU to the NVVM dialect";
  let description = [{
    MLIR's conversion, without libdevice: what neither an instruction nor an
    expansion of ours computes is an error that names the operation.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def EmbedImages : Pass<"tapestry-embed-images", "::mlir::ModuleOp"> {
  let summary = "Put the GPU's code into the program's constants";
  let description = [{
    Makes an image of the module `tapestry_device` per architecture, PTX or, for
    the tests' architecture `stub`, an object of this machine, and the table
    `tapestry_device_code` of the runtime's ABI.h that calls of
    `tapestry_rt_launch` name. The gpu.modules are erased.
  }];
  let options = [
    Option<"archs", "archs", "std::string", "\"sm_80\"",
           "Architectures, with commas between them">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TAPESTRY_CODEGEN_GPU_PASSES_TD
