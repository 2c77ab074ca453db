//===- Passes.td - Code passes that targets share ----------*- tablegen -*-===//
//
// Declares the passes of lib/Codegen/Common, one per file there. They touch only
// functions that carry the unit attribute `tapestry.device`, which the lowering
// gives to all functions that it makes, or `tapestry.kernel`.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CODEGEN_COMMON_PASSES_TD
#define TAPESTRY_CODEGEN_COMMON_PASSES_TD

include "mlir/Pass/PassBase.td"

def FuseElementwise
    : Pass<"tapestry-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "Fuse elementwise operations on buffers into their readers";
  let description = [{
    Works on straight-line code over buffers. Moves every fill right before the
    first operation that needs it, then

    - computes an elementwise operation inside its readers where each point is
      read once, or computing it again is cheaper than memory, and drops the
      buffer in between, or leaves it to what else it holds: both may work in
      place;
    - merges an elementwise operation whose buffer is needed otherwise with its
      first reader into one `linalg.generic` with both results, where both visit
      the same points: an exponential and its row sum become one pass.

    ```mlir
    linalg.generic {...} ins(%x, %m) outs(%e)   // e = exp(x - m)
    linalg.generic {...} ins(%e) outs(%s)       // s += e
    ```
    becomes
    ```mlir
    linalg.generic {...} ins(%x, %m) outs(%e, %s)
    ```
    Memory that may be the same keeps its order: buffers are distinct where they
    were allocated here, are different globals, or are arguments with
    `llvm.noalias`, which our lowering puts on all buffers of a program. So may
    calls of unknown functions touch any buffer; one with the unit attribute
    `tapestry.device` touches those alone that it is given.
  }];
  let statistics = [
    Statistic<"numComposed", "composed", "Operations computed in a reader">,
    Statistic<"numMerged", "merged", "Operations merged with a reader">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def FormStreams : Pass<"tapestry-form-streams", "::mlir::func::FuncOp"> {
  let summary = "Compute what is read of a large tensor block by block";
  let description = [{
    Where all that reads the result of a contraction, and what is made of it,
    shares some of its dimensions (the rows) and reduces another (the columns),
    the operations become loops over blocks of rows and, within them, of
    columns; of the tensor only a block is ever there. Scores of attention, or
    distances of which only the least is wanted, take no memory, and no way to
    it and back.

    Columns come in blocks where each operation needs no more of them at a time.
    What needs the greatest x of all columns, as in exp(x - max), is computed with
    the greatest so far, and sums of it are scaled where a block has a greater
    one; a quotient by the sum is left to the end. Where that does not hold, a
    block has all columns of its rows.

    Blocks of columns for which a comparison of the column with the row is false
    throughout are left out where that makes every reduction's term its identity,
    as -inf in a maximum; a product with 0 is taken to be 0. A factor that all
    terms of the contraction have in common is left to its readers.

    ```mlir
    linalg.generic ... ins(%q, %k) outs(%s)     // s(r, c) += q(r, d) k(c, d)
    linalg.generic ... ins(%s) outs(%m)         // m(r) = min(m(r), s(r, c))
    ```
    becomes
    ```mlir
    scf.for %r = ... {
      scf.for %c = ... {
        linalg.generic ... ins(%q_block, %k_block) outs(%s_block)
        linalg.generic ... ins(%s_block) outs(%m_block)
      }
    } {tapestry.kernel}
    ```
    Tensors of fewer than `least-bytes` are left alone, and contractions of more
    than `most-points` points per result, which memory does not bound.
  }];
  let options = [
    Option<"blockBytes", "block-bytes", "int64_t", "256 * 1024",
           "What a block of all tensors together may take">,
    Option<"leastBytes", "least-bytes", "int64_t",
           "::tapestry::leastStreamedBytes",
           "What a tensor takes at least">,
    Option<"mostPoints", "most-points", "int64_t",
           "::tapestry::mostStreamedPoints",
           "Points of an operation per point of the tensor">
  ];
  let statistics = [
    Statistic<"numStreams", "streams", "Loops formed">,
    Statistic<"numCut", "cut", "Loops that cut columns">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def FormRowKernels
    : Pass<"tapestry-form-row-kernels", "::mlir::func::FuncOp"> {
  let summary = "Run operations that share their rows as one loop over rows";
  let description = [{
    Groups `linalg.generic` operations on buffers that share their leading
    parallel dimensions (the rows) and hand data to each other row by row, and
    replaces each group by a loop over blocks of rows, small enough that a
    block's data stays in the first-level cache. A buffer that only the group
    uses shrinks to one block. A softmax of four operations over a matrix
    becomes one loop in which every row is read from memory once.

    ```mlir
    linalg.generic ... ins(%x) outs(%max)           // (r, c) -> (r)
    linalg.generic ... ins(%x, %max) outs(%e)       // (r, c) -> (r, c)
    ```
    becomes
    ```mlir
    scf.for %r = %c0 to %rows step %block {
      %xr = memref.subview %x[%r, 0] [%block, %columns] [1, 1]
      ...
    } {tapestry.kernel}
    ```
  }];
  let options = [
    Option<"blockBytes", "block-bytes", "int64_t", "24 * 1024",
           "What a block of rows of all buffers together may take">,
    Option<"rowBytes", "row-bytes", "int64_t", "0",
           "Unless 0, a block is one row: buffers shrink to it where all of them "
           "together take at most so much, products stay outside, and so do rows "
           "that are too short or too few for that">
  ];
  let statistics = [
    Statistic<"numGroups", "groups", "Loops over rows formed">,
    Statistic<"numContracted", "contracted", "Buffers shrunk to a block">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ReuseBuffers : Pass<"tapestry-reuse-buffers", "::mlir::func::FuncOp"> {
  let summary = "Let elementwise operations work over inputs that end there";
  let description = [{
    An elementwise operation that is the last to read a buffer of this function,
    with the subscripts and the type of its result, and the first to touch the
    buffer of its result, works in place. One walk in program order decides, so
    a chain of any length stays in one buffer.

    ```mlir
    %y = memref.alloc() : memref<8xf32>
    linalg.generic {...} ins(%x) outs(%y)       // the last to read %x
    linalg.generic {...} ins(%y, %a) outs(%z)
    ```
    becomes
    ```mlir
    linalg.generic {...} ins(%x) outs(%x)
    linalg.generic {...} ins(%x, %a) outs(%z)
    ```
  }];
  let statistics = [
    Statistic<"numReused", "reused", "Buffers dropped">
  ];
}

def ComputeInPlace
    : Pass<"tapestry-compute-in-place", "::mlir::func::FuncOp"> {
  let summary = "Let elementwise operations work on their result's buffer";
  let description = [{
    An elementwise operation that is the last to read a buffer of this function,
    with the subscripts and the type of its result, works in place: what writes
    the buffer writes into the result instead, and the buffer is dropped. Values
    of a product that are rectified or added to something need no array of
    their own. Left alone where anything touches the result meanwhile.

    ```mlir
    linalg.generic {...} ins(%a, %b) outs(%p)   // p += a b
    linalg.generic {...} ins(%w, %p) outs(%y)   // y = w - p
    memref.dealloc %p
    ```
    becomes
    ```mlir
    linalg.generic {...} ins(%a, %b) outs(%y)
    linalg.generic {...} ins(%w, %y) outs(%y)
    ```
  }];
  let statistics = [
    Statistic<"numInPlace", "in-place", "Buffers dropped">
  ];
}

def OutlineKernels : Pass<"tapestry-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Move every kernel to a function of its own, equal ones to one";
  let description = [{
    Every linalg operation (a reduction with the fill before it, and what is
    marked `tapestry.joined` with what comes behind it; other fills where they
    compute their numbers or are large) and every loop that
    `tapestry-form-row-kernels` made becomes a call of a private function, with
    `llvm.noalias` on buffers that nothing else in the kernel overlaps, where one
    of them is written (`tapestry-fuse-elementwise` says what is distinct). Kernels that are
    equal but for their operands share one function: a model of many equal
    layers is compiled once. Where types say all but the addresses of buffers, these
    alone are handed over (`llvm.bareptr`). Seeds and streams of random numbers are operands, too.
    Nests marked `tapestry.rim`, which have few points, share a function whatever
    the shapes of their buffers are, extents of 1 apart, and whether some of what they read is the same.
    Calls carry the other `tapestry.` attributes of the kernel's last operation.
  }];
  let statistics = [
    Statistic<"numKernels", "kernels", "Kernel functions made">,
    Statistic<"numShared", "shared", "Calls that found an equal kernel">
  ];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def DeviceCSE : Pass<"tapestry-cse", "::mlir::func::FuncOp"> {
  let summary = "Compute equal values once";
  let description = [{
    Upstream's elimination of common subexpressions, on functions only that our
    lowering made. Lowered kernels are full of equal address arithmetic. Where
    a buffer turns out to be copied onto itself, that is dropped.
  }];
}

def ExpandRandom : Pass<"tapestry-expand-random", "::mlir::func::FuncOp"> {
  let summary = "Random numbers as arithmetic, on scalars and vectors";
  let description = [{
    Philox stays in 64 bits a word: of each product both halves are wanted, and
    whatever stands above a word is left out by the next product.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def SplitComplex : Pass<"tapestry-split-complex", "::mlir::func::FuncOp"> {
  let summary = "Compute with the parts of complex numbers";
  let description = [{
    Operations on buffers of complex numbers become ones on views of their parts,
    which lie two elements apart, so that vectors of real numbers serve them. Those
    that move elements only move words that hold one, or pairs; sums of products in
    which each factor serves many results, as of two matrices, become four sums of
    real products each; running sums are those of each part.

    ```mlir
    linalg.generic ... ins(%x : memref<8xcomplex<f32>>) outs(%y : memref<8xcomplex<f32>>)
    ```
    becomes
    ```mlir
    linalg.generic ... ins(%x.re, %x.im : memref<8xf32, strided<[2]>>, memref<8xf32, strided<[2], offset: 1>>)
        outs(%y.re, %y.im : ...)
    ```
    Products are those of the plain formula. What is done to complex numbers other
    than to take them apart, put them together, add and multiply them is left as it
    is, for the target to lower or refuse.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // TAPESTRY_CODEGEN_COMMON_PASSES_TD
