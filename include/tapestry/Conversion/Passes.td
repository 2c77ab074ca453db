//===- Passes.td - Conversions between dialects ------------*- tablegen -*-===//
//
// The steps from a planned graph to a program that the runtime can start, in the
// order in which they run.
//
//===----------------------------------------------------------------------===//

#ifndef TAPESTRY_CONVERSION_PASSES
#define TAPESTRY_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTapestryToTRA : Pass<"tapestry-convert-to-tra", "::mlir::ModuleOp"> {
  let summary = "Turn a planned graph into tensor-relational algebra";
  let description = [{
    Every `tapestry.graph` whose operations carry a `partition` becomes a function
    over tensor relations: each operation is a `tra.join` of its operands, with a
    `tra.aggregate` behind it where a reduced label is cut and a
    `tra.repartition` before it where an operand lies in another layout than the
    operation reads it in. An operation without a scalar region is a `tra.block`,
    whose body it fills itself (`BlockOpInterface::lowerLocal`).

    f16 and bf16 reductions are joined and aggregated in f32 and rounded once, by
    a join of their own.

    Before:
    ```mlir
    tapestry.graph @g on #grid {
      %A = tapestry.source "A" {home = #rows} : tensor<8x6xf32>
      %s = tapestry.einsum "s" [i = 8, j = 6] (%A[i, j]) -> [i] reduce add {...}
             {partition = #by_j, home = #whole} : (tensor<8x6xf32>) -> tensor<8xf32>
      tapestry.sink "s", %s : tensor<8xf32>
    }
    ```
    After:
    ```mlir
    func.func @g(%A: tensor<8x6xf32>) -> tensor<8xf32> {
      %0 = tra.from_tensor %A : ...
      %1 = tra.repartition "A", %0 : ...          // rows to columns
      %2 = tra.join "s" [i = 8, j = 6] by #by_j (%1[i, j]) -> [i] reduce add ...
      %3 = tra.aggregate "s" add %2 : ...         // partial sums to the total
      %4 = tra.to_tensor %3 : ...
      return %4 : tensor<8xf32>
    }
    ```
  }];
  let dependentDialects = [
    "::tapestry::tra::TRADialect", "::tapestry::index::TapestryIndexDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::mlir::scf::SCFDialect", "::mlir::func::FuncDialect",
    "::mlir::arith::ArithDialect"
  ];
  let statistics = [
    Statistic<"numJoins", "joins", "Number of joins">,
    Statistic<"numAggregates", "aggregates", "Number of aggregates">,
    Statistic<"numRepartitions", "repartitions", "Number of repartitions">
  ];
}

def ConvertTRAToComm : Pass<"tapestry-convert-tra-to-comm", "::mlir::ModuleOp"> {
  let summary = "Turn relations into one program that every device runs";
  let description = [{
    Keys go to devices by the layouts of the relations: each relation becomes the
    one part that a device holds, each join a `linalg.generic` over that part, each
    aggregate and repartition the collective that `planResharding` names for its
    two layouts. An extent that differs between devices is dynamic.

    Parts are never padded: the last part of an uneven cut is smaller, and a part
    may be empty. `pad(X, v)` reads become a `tensor.pad` of exactly the points of
    the device's window that lie outside the tensor.

    Booleans are stored as bytes from here on.
  }];
  let dependentDialects = [
    "::tapestry::comm::CommDialect", "::tapestry::index::TapestryIndexDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::tensor::TensorDialect",
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect"
  ];
  let statistics = [
    Statistic<"numCollectives", "collectives", "Number of collectives">
  ];
}

def ConvertCommToRuntime : Pass<"tapestry-convert-comm-to-runtime", "::mlir::ModuleOp"> {
  let summary = "Turn collectives into calls of the runtime";
  let description = [{
    Each device program `@g` becomes a function `@device_program.g` over memrefs
    whose collectives call `tapestry_rt_collective`, with an entry point
    `@tapestry_entry.g` that takes the runtime's arrays of pointers. What the
    runtime must know of inputs, outputs and collectives is left on the module in
    the list `comm.programs`, from which `tapestry-emit-program-description` makes
    constants once everything else is in the LLVM dialect.
  }];
  let dependentDialects = [
    "::tapestry::index::TapestryIndexDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::tensor::TensorDialect", "::mlir::func::FuncDialect",
    "::mlir::scf::SCFDialect"
  ];
}

def BufferizePrograms
    : Pass<"tapestry-bufferize-programs", "::mlir::func::FuncOp"> {
  let summary = "Turn the tensors of device programs into buffers";
  let description = [{
    Upstream's elimination of empty tensors and bufferization, with the ops of
    `tapestry_index` lowered and canonicalization before and after, on functions
    only that our lowering made: what an embedder keeps beside them in the module
    stays as it is. Results are computed where the caller wants them.

    An operation that computes into an empty tensor gets one of its own, so that
    its result is nobody else's to write, which needs no proof. Upstream's one-shot
    analysis is asked about the other operations only: it compares all reads with
    all writes of what may share a buffer.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"
  ];
}

def CutProducts : Pass<"tapestry-cut-products", "::mlir::ModuleOp"> {
  let summary = "Cut large products whose results are reduced over devices";
  let description = [{
    A nest with a reduction whose result is read by an all_reduce or a
    reduce_scatter alone becomes `parts` nests, each over as many rows of the
    result, and each followed by a part of the collective, which goes on while
    the next is computed (`tapestry-overlap-collectives`). All devices have to
    have the rows before that they have after, and inputs to be read row by row
    or whole. What is sent is the same; where more than two devices reduce, in
    another order.
  }];
  let options = [
    Option<"leastBytes", "least-bytes", "int64_t", "1048576",
           "Bytes of a device's result from which on it is cut">,
    Option<"parts", "parts", "int64_t", "4", "Into how many parts it is cut">
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect"
  ];
  let statistics = [Statistic<"numCut", "cut", "Number of products cut">];
}

def OverlapCollectives
    : Pass<"tapestry-overlap-collectives", "::mlir::ModuleOp"> {
  let summary = "Let collectives of device programs go on beside computation";
  let description = [{
    A call of `tapestry_rt_collective` becomes one of `tapestry_rt_start`, behind
    the last operation that writes its source or touches its target, and one of
    `tapestry_rt_wait`, before the first operation that does. Both are given the
    buffers, which stay until the wait. Where nothing that takes time lies
    between, and where fewer than `least-bytes` bytes leave a device, the call
    stays as it is; what is small is started, too, where it would have to wait
    for others that are on their way. Not more than `together` large ones are: a
    start comes later or a wait earlier where there would be more. All devices
    run the same code, so that all start in the same order.

    ```mlir
    call @compute(%a) : (memref<8xf32>) -> ()
    call @collective.f.0(%rank, %c0_i64, %x, %y)
    call @use(%y) : (memref<8xf32>) -> ()
    ```

    becomes

    ```mlir
    call @start.collective.f.0(%rank, %c0_i64, %x, %y)
    call @compute(%a) : (memref<8xf32>) -> ()
    call @wait.collective.f.0(%rank, %c0_i64, %x, %y)
    call @use(%y) : (memref<8xf32>) -> ()
    ```
  }];
  let options = [
    Option<"leastBytes", "least-bytes", "int64_t", "65536",
           "Bytes that leave a device from which on a collective is started">,
    Option<"together", "together", "unsigned", "3",
           "The most that are on their way at once, of those that are not small">
  ];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"
  ];
  let statistics = [
    Statistic<"numStarted", "started", "Number of collectives that are started">
  ];
}

def FreeBuffers : Pass<"tapestry-free-buffers", "::mlir::ModuleOp"> {
  let summary = "Free each buffer of device programs after its last use";
  let description = [{
    A device program is one straight line, so the last operation that uses a
    buffer, a view of it or anything computed from its address is known; the
    buffer is freed behind it. It stays where its address is stored or handed to
    an operation that is not known to let go of it; calls are.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
  let statistics = [Statistic<"numFreed", "freed", "Number of buffers freed">];
}

def MarkVertices : Pass<"tapestry-mark-vertices", "::mlir::ModuleOp"> {
  let summary = "Tell the runtime which vertex the following time belongs to";
  let description = [{
    Puts a call of `tapestry_rt_vertex` around every kernel call that carries
    `tapestry.vertex`. Time of a kernel that computes several vertices belongs to
    the last of them.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::func::FuncDialect"];
}

def CountCopies : Pass<"tapestry-count-copies", "::mlir::ModuleOp"> {
  let summary = "Tell the runtime what a device program copies";
  let description = [{
    Behind the last operation of a vertex in a block that stores elements as it
    has loaded them, puts a call of `tapestry_rt_copied` with the bytes that all of
    those have written, and names the vertex in `comm.programs`. Such are kernels
    that gather windows, slice, concatenate or change layouts, and the copies that
    bufferization left. Where no vertex does it, named is the output that is written,
    the vertex that computes in the buffer, the loop or the program. What a kernel keeps to itself while it runs is no copy,
    nor is the one write of an output that hands out what inputs have.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
    "::mlir::func::FuncDialect", "::mlir::memref::MemRefDialect"
  ];
  let statistics = [
    Statistic<"numCounted", "counted", "Number of copies that are counted">
  ];
}

def PredictMemory : Pass<"tapestry-predict-memory", "::mlir::ModuleOp"> {
  let summary = "Predict the peak of every device's arena, and what it copies";
  let description = [{
    Walks the program as each device would run it and follows the bytes of the
    runtime's arena: the parts of inputs and outputs, every buffer from its
    allocation to its free, and what a collective takes beside them. The sizes
    are evaluated for each device; what outlined kernels take is the target's to
    say. Leaves one number per device in `comm.programs`, or
    none where a size cannot be evaluated, and of each list of copies that
    `tapestry-count-copies` has named what all devices write in a pass. Runs when all
    buffers are known: behind the target's kernel passes.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "Target that kernels were lowered for">,
    Option<"cpu", "cpu", "std::string", "\"native\"",
           "Processor that kernels were lowered for">,
    Option<"vectorBits", "vector-bits", "unsigned", "0",
           "Width of a vector register; 0 takes the processor's">,
    Option<"threads", "threads", "int64_t", "1", "Threads of a device">
  ];
  let statistics = [
    Statistic<"numDevices", "devices", "Devices whose peak is known">
  ];
}

def SegmentPrograms : Pass<"tapestry-segment-programs", "::mlir::ModuleOp"> {
  let summary = "Cut long device programs into functions";
  let description = [{
    LLVM takes more than twice the time for twice the block. A device program of
    more than `most-calls` calls becomes a line of calls of functions of at most
    that many, in the place of the entry's call of it. They take pointers to the
    buffers that they use, or where those stand in the arrays that the entry is
    given, and return the buffers that they make for later parts; constants are
    repeated.

    Where the program repeats itself, as one of layers does, it is cut at the same
    places each time, and parts that are equal but for the 64-bit numbers that their
    calls are given (vertices and collectives) and the numbers of inputs and outputs
    are one function: numbers that step alike from one part to the next are one
    argument.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
  let options = [
    Option<"mostCalls", "most-calls", "unsigned", "64",
           "The most calls that one function makes">
  ];
  let statistics = [Statistic<"numParts", "parts", "Functions made">,
                    Statistic<"numShared", "shared", "Parts that have the function of another">];
}

def EmitProgramDescription
    : Pass<"tapestry-emit-program-description", "::mlir::ModuleOp"> {
  let summary = "Emit the constants that describe programs to the runtime";
  let description = [{
    Turns each program in the module attribute `comm.programs`, named after its
    graph `g`, into a constant `tapestry_program_g` of the runtime's ABI.h: inputs,
    outputs and collectives with the box of every device, vertices, and the entry
    point. The only program of a module is called `tapestry_program` as well (a
    weak alias), which the main of `tapestry compile` starts. How kernels are
    called, and in which memory collectives work, is the target's to say.
  }];
  let options = [
    Option<"target", "target", "std::string", "\"cpu\"",
           "Target that the program was lowered for">,
    Option<"cpu", "cpu", "std::string", "\"native\"",
           "Processor that the program was lowered for">,
    Option<"threads", "threads", "int64_t", "0",
           "Threads of a device; 0: as many as a run has cores for">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TAPESTRY_CONVERSION_PASSES
