//===- Passes.td - Passes on tensor expression graphs ------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_TD
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"
include "tapestry/Dialect/Tapestry/Transforms/ExpandPasses.td"
include "tapestry/Dialect/Tapestry/Transforms/RewritePasses.td"

def TapestryPrune : Pass<"tapestry-prune", "::mlir::ModuleOp"> {
  let summary = "Erase what no sink or sequence point observes";
  let description = [{
    Sinks, sequence points and operations with side effects are the roots of
    visibility; what none of them reads, directly or not, is erased, sources
    included. Their names stay on the graph: files that are named for them are
    no mistake. A graph that is called keeps its sources: they are what its
    callers give it.

    Before:
    ```mlir
    tapestry.graph @g {
      %A = tapestry.source "A" : tensor<5xf32>
      %B = tapestry.source "B" : tensor<7xf32>
      tapestry.sink "Z", %A : tensor<5xf32>
    }
    ```

    After:
    ```mlir
    tapestry.graph @g attributes {tapestry.unread_inputs = ["B"]} {
      %A = tapestry.source "A" : tensor<5xf32>
      tapestry.sink "Z", %A : tensor<5xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numErased", "erased", "Number of operations erased">
  ];
}

def TapestryInlineCalls : Pass<"tapestry-inline-calls", "::mlir::ModuleOp"> {
  let summary = "Replace calls of graphs by the operations of the graphs";
  let description = [{
    Every `tapestry.call` becomes the called graph's operations, whose sources are
    the operands and whose sinks are the results. Names of operations and layout
    groups start with the graph's name, from the second call in a graph on also
    with its number: `layer.H`, `layer.2.H`; where the caller has names that start
    so, with the next number. What follows a sink's sequence points in the called
    graph follows them in the caller: all sinks and sequence points that the
    result reaches. Private graphs that nobody calls any longer are erased.

    A caller that is no graph, such as a `func.func`, computes the operations
    itself, where it runs: nothing is cut over devices. One-shot bufferization
    makes loops of them. It has no sinks, so that sequence points have nothing to
    order and are left out.

    A graph that is called has no grid yet, and no constraints, files or generators
    of its sources and sinks: where its tensors come from and go to is up to the
    caller.

    Before:
    ```mlir
    tapestry.graph private @copy {
      %A = tapestry.source "A" : tensor<5xf32>
      %B = tapestry.einsum "B" [i = 5] (%A[i]) -> [i] {...} : ...
      tapestry.sink "B", %B : tensor<5xf32>
    }
    tapestry.graph @main {
      %X = tapestry.source "X" : tensor<5xf32>
      %Y = tapestry.call @copy(%X) : (tensor<5xf32>) -> tensor<5xf32>
      tapestry.sink "Y", %Y : tensor<5xf32>
    }
    ```
    After:
    ```mlir
    tapestry.graph @main {
      %X = tapestry.source "X" : tensor<5xf32>
      %B = tapestry.einsum "copy.B" [i = 5] (%X[i]) -> [i] {...} : ...
      tapestry.sink "Y", %B : tensor<5xf32>
    }
    ```
  }];
  let statistics = [Statistic<"numInlined", "inlined", "Number of calls replaced">];
}

def TapestryRewrite : Pass<"tapestry-rewrite", "::tapestry::teg::GraphOp"> {
  let summary = "Replace a graph by an equivalent one, in named steps";
  let description = [{
    Applies rewrites in order; Transforms/GraphRewrites.h says which kinds there
    are. A rewrite is `kind:vertex:arguments`, several are separated by `;`. One
    that does not apply is an error with the reason.

    Before:
    ```mlir
    tapestry.graph @g {
      %A = tapestry.source "A" : tensor<8xf32>
      %E = tapestry.einsum "E" [i = 8] (%A[i]) -> [i] {
      ^bb0(%a: f32):
        %0 = math.exp %a : f32
        tapestry.yield %0 : f32
      } : (tensor<8xf32>) -> tensor<8xf32>
      %S = tapestry.einsum "S" [i = 8] (%E[i]) -> [] reduce add {
      ^bb0(%e: f32):
        tapestry.yield %e : f32
      } : (tensor<8xf32>) -> tensor<f32>
      tapestry.sink "S", %S : tensor<f32>
    }
    ```

    After, with apply=fuse:E:S:
    ```mlir
    tapestry.graph @g attributes {tapestry.rewrites = [["fuse", "E", "S"]]} {
      %A = tapestry.source "A" : tensor<8xf32>
      %S = tapestry.einsum "S" [i = 8] (%A[i]) -> [] reduce add {
      ^bb0(%a: f32):
        %0 = math.exp %a : f32
        tapestry.yield %0 : f32
      } : (tensor<8xf32>) -> tensor<f32>
      tapestry.sink "S", %S : tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"apply", "apply", "std::string", "",
           "The rewrites, in order">,
    Option<"list", "list", "bool", "false",
           "Print the rewrites that apply before any is applied">
  ];
  let statistics = [
    Statistic<"numApplied", "applied", "Number of rewrites applied">
  ];
}

def TapestryApplyRules
    : Pass<"tapestry-apply-rules", "::tapestry::teg::GraphOp"> {
  let summary = "Apply global rules until none applies any more";
  let description = [{
    Looks for the patterns of global rules (Transforms/RewriteRules.h) in the
    whole graph, rule by rule in the order of precedence, and again until nothing
    is found. What is done is written down on the graph. Rules that lead
    back to a graph that there was are an error that names them.

    The rules that there are, in the order of precedence; plug-ins add theirs:

    | rule | from | to |
    |---|---|---|
    | `linear-fold` | an elementwise product, its sum over some labels, and a sum with another tensor, that nothing else reads and nobody asks to cut along those labels | one sum of products, which keeps those labels whole, and the other sum |
    | `fuse-elementwise` | an elementwise producer and the einsum that alone reads it, at no more points | one einsum; a search knows it as `fuse` |
    | `fuse-producer` | an operator that reduces and is not fused yet, and the one that alone reads what it makes, element by element; nobody asks how the first is cut but to keep whole what it reduces | `tapestry.fused`; of two shards, a shard of that. `unfuse` takes them apart |

    Before:
    ```mlir
    tapestry.graph @g {
      %A = tapestry.source "A" : tensor<8xf32>
      %E = tapestry.einsum "E" [i = 8] (%A[i]) -> [i] {
      ^bb0(%a: f32):
        %0 = math.exp %a : f32
        tapestry.yield %0 : f32
      } : (tensor<8xf32>) -> tensor<8xf32>
      %S = tapestry.einsum "S" [i = 8] (%E[i]) -> [] reduce add {
      ^bb0(%e: f32):
        tapestry.yield %e : f32
      } : (tensor<8xf32>) -> tensor<f32>
      tapestry.sink "S", %S : tensor<f32>
    }
    ```

    After:
    ```mlir
    tapestry.graph @g attributes {tapestry.rewrites = [["rule", "S", "fuse-elementwise"]]} {
      %A = tapestry.source "A" : tensor<8xf32>
      %S = tapestry.einsum "S" [i = 8] (%A[i]) -> [] reduce add {
      ^bb0(%a: f32):
        %0 = math.exp %a : f32
        tapestry.yield %0 : f32
      } : (tensor<8xf32>) -> tensor<f32>
      tapestry.sink "S", %S : tensor<f32>
    }
    ```
  }];
  let options = [
    ListOption<"rules", "rules", "std::string", "Of these rules only">,
    Option<"most", "most", "unsigned", "10000",
           "Rewrites after which rules that still apply are an error">
  ];
  let statistics = [
    Statistic<"numApplied", "applied", "Number of rewrites">
  ];
}

def TapestryComposeSelectors
    : Pass<"tapestry-compose-selectors", "::tapestry::teg::GraphOp"> {
  let summary = "Let readers of selectors read what is behind them";
  let description = [{
    An einsum that reads a selector reads the selector's operands: by other
    subscripts where what it reads lies in one tensor; of up to `most-tensors` it reads all,
    beside each a value that its body, by the labels, does not choose. Where that
    would read something else, as beside a slice that is padded, or through a fold,
    the selector stays. So do those that others than einsums read: they are computed.
    What is a tensor again, as the concatenation of its halves, is that tensor.
    With `in-place` a body chooses where each tensor is read at
    a shift, so that no device puts anything together, and there is one reader, or behind are sources, of
    which none reads an element twice: what is computed would be sent to each.
    An einsum that yields what it reads at shifts, of one tensor or by labels of several, is a view
    then as selectors are: such readers read what is behind it, unless it has constraints, a layout group or the mark
    `tapestry.made`, which goes; others read what it makes of that. A graph that is planned
    already is left alone.

    Before:
    ```mlir
    tapestry.graph @g {
      %X = tapestry.source "X" : tensor<6xf32>
      %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xf32>) -> tensor<3xf32>
      %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xf32>) -> tensor<3xf32>
      %c = tapestry.concat "c" %b, %a along 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
      %d = tapestry.slice "d" %c [1] => [3] : (tensor<6xf32>) -> tensor<2xf32>
      %Y = tapestry.einsum "Y" [i = 2] (%d[i]) -> [i] {
      ^bb0(%x: f32):
        %y = math.exp %x : f32
        tapestry.yield %y : f32
      } : (tensor<2xf32>) -> tensor<2xf32>
      tapestry.sink "Y", %Y : tensor<2xf32>
    }
    ```

    After:
    ```mlir
    tapestry.graph @g {
      %X = tapestry.source "X" : tensor<6xf32>
      %Y = tapestry.einsum "Y" [i = 2] (%X[i + 4]) -> [i] {
      ^bb0(%x: f32):
        %y = math.exp %x : f32
        tapestry.yield %y : f32
      } : (tensor<6xf32>) -> tensor<2xf32>
      tapestry.sink "Y", %Y : tensor<2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"mostTensors", "most-tensors", "unsigned", "8",
           "Of so many tensors a body chooses; 1: none does">,
    Option<"inPlace", "in-place", "bool", "false",
           "A body chooses only where it is computed where the tensors lie, and nobody else reads what they make">
  ];
  let statistics = [
    Statistic<"numComposed", "composed", "Number of readers rewritten">,
    Statistic<"numErased", "erased", "Number of selectors erased">
  ];
}

def TapestryPartition : Pass<"tapestry-partition", "::tapestry::teg::GraphOp"> {
  let summary = "Cut every operation of a graph over the devices";
  let description = [{
    Plans the graph and writes the plan down: the graph's grid, and on every
    operation the `partition` of its labels and the `home` layout of its result.
    The plan comes from a solver or from a plan.json. The options are those of
    `tapestry plan`. A memory limit holds for what the program will allocate
    where the tool can lower it to find out (tapestry-opt can), else for the
    planner's estimate.

    Before:
    ```mlir
    tapestry.graph @g {
      %A = tapestry.source "A" : tensor<8xf32>
      tapestry.sink "Z", %A : tensor<8xf32>
    }
    ```

    After, with devices=2:
    ```mlir
    #grid = #tapestry_index.grid<"d.0" = 2>
    tapestry.graph @g on #grid {
      %A = tapestry.source "A" : tensor<8xf32>
        partition #tapestry_index.partition<[["d.0"]]>
        home #tapestry_index.layout<[8 by "d.0"] on #grid>
      tapestry.sink "Z", %A : tensor<8xf32>
    }
    ```
  }];
  let options = [
    Option<"devices", "devices", "std::string", "",
           "Number of devices (as many as the grid or the plan has)">,
    Option<"grid", "grid", "std::string", "",
           "Named axes of devices: node=2,gpu=4">,
    Option<"machine", "machine", "std::string", "",
           "What cost=spmd reckons with: cpu (default), h100x8, h100x256 or a "
           "machine file">,
    Option<"threads", "threads", "std::string", "",
           "Threads of each device, for cost=spmd (1)">,
    Option<"solver", "solver", "std::string", "",
           "exact (default), bounded or eindecomp">,
    Option<"cost", "cost", "std::string", "",
           "Cost model: paper (default) or spmd">,
    Option<"memory", "memory", "std::string", "",
           "The most bytes that a device may hold at once: 16GiB">,
    Option<"plan", "plan", "std::string", "",
           "A plan.json to follow instead of solving">
  ];
  let statistics = [
    Statistic<"numVertices", "vertices", "Number of vertices planned">,
    Statistic<"numCollectives", "collectives", "Number of collectives planned">
  ];
  let dependentDialects = ["::tapestry::index::TapestryIndexDialect"];
}

def TapestryShard : Pass<"tapestry-shard", "::tapestry::teg::GraphOp"> {
  let summary = "Write a planned graph shard by shard";
  let description = [{
    Every vertex that computes becomes one `tapestry.shard` per distinct block of its
    partition that is not empty; replicas are one. A shard reads slices of the
    operands, the images of its block, halos included, and is no longer cut. Results are concatenated, one dimension after the other. Where a label
    is cut that a result lacks, partial results are stacked along a dimension `block`,
    over which one more einsum reduces them by the monoid. An operand that is read
    whole is no slice. The plan is gone then: the grid, partitions, homes and routes.

    Labels that values run on along, as those of scans and sorts, are not cut.
    Constants, selectors but copies, and what waits for other
    operations stay whole. With `nodes` sources become shards, too, as their plan cuts
    them, and sinks as the homes of what they hand out are cut; those that are on a
    device, or that points follow, stay whole. What a user asked of
    what is cut (`tapestry.constraints`, `tapestry.layout_group`) is left out.

    Before:
    ```mlir
    #grid = #tapestry_index.grid<"d.0" = 2>
    tapestry.graph @g on #grid {
      %X = tapestry.source "X" : tensor<5x3xf32>
      %Y = tapestry.einsum "Y" [i = 5, j = 3] (%X[i, j]) -> [i]
          reduce add partition #tapestry_index.partition<[["d.0"], []]> {
      ^bb0(%x: f32):
        tapestry.yield %x : f32
      } : (tensor<5x3xf32>) -> tensor<5xf32>
      tapestry.sink "Y", %Y : tensor<5xf32>
    }
    ```

    After:
    ```mlir
    tapestry.graph @g {
      %X = tapestry.source "X" : tensor<5x3xf32>
      %Y.1.0 = tapestry.slice "Y.1.0" %X [0, 0] => [3, 3] : (tensor<5x3xf32>) -> tensor<3x3xf32>
      %Y.1 = tapestry.shard "Y.1" [0, 0] => [3, 3] (%Y.1.0) {
      ^bb0(%x: tensor<5x3xf32>):
        %y = tapestry.einsum "Y" [i = 5, j = 3] (%x[i, j]) -> [i] reduce add {
        ^bb0(%e: f32):
          tapestry.yield %e : f32
        } : (tensor<5x3xf32>) -> tensor<5xf32>
        tapestry.part_of %y : tensor<5xf32>
      } : (tensor<3x3xf32>) -> tensor<3xf32>
      %Y.2.0 = tapestry.slice "Y.2.0" %X [3, 0] => [5, 3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
      %Y.2 = tapestry.shard "Y.2" [3, 0] => [5, 3] (%Y.2.0) {
      ^bb0(%x: tensor<5x3xf32>):
        %y = tapestry.einsum "Y" [i = 5, j = 3] (%x[i, j]) -> [i] reduce add {
        ^bb0(%e: f32):
          tapestry.yield %e : f32
        } : (tensor<5x3xf32>) -> tensor<5xf32>
        tapestry.part_of %y : tensor<5xf32>
      } : (tensor<2x3xf32>) -> tensor<2xf32>
      %Y = tapestry.concat "Y" %Y.1, %Y.2 along 0 : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
      tapestry.sink "Y", %Y : tensor<5xf32>
    }
    ```
  }];
  let options = [
    Option<"keepsLoops", "keep-loops", "bool", /*default=*/"false",
           "Leave the bodies of loops whole">,
    Option<"cutsNodes", "nodes", "bool", /*default=*/"false",
           "Cut sources and sinks, too">
  ];
  let statistics = [
    Statistic<"numCut", "cut", "Number of vertices that became shards">,
    Statistic<"numShards", "shards", "Number of shards">
  ];
}

def TapestryJoinNodes : Pass<"tapestry-join-nodes", "::tapestry::teg::GraphOp"> {
  let summary = "Put sources and sinks together of which there are shards";
  let description = [{
    Shards of sources of one name become slices of one source, and those of sinks of
    one name one sink of what they hand out, concatenated. So each device that reads a
    part of a source, or has one of what a sink takes, reads or writes that as before.

    Shards of one name are of one tensor, with one target, and there is no whole source
    or sink beside them. Those of a sink hand every cell out exactly once.

    ```mlir
    // error: cell (500, 0) of output 'Y' is handed out 2 times, expected 1
    // error: a shard of input 'X' is of 'tensor<1000x10xf32>', another of 'tensor<1000x9xf32>'
    ```
  }];
  let dependentDialects = ["::tapestry::teg::TapestryDialect"];
  let statistics = [
    Statistic<"numShards", "shards", "Number of shards of sources and sinks">
  ];
}

def TapestryAccumulatePartials
    : Pass<"tapestry-accumulate-partials", "::tapestry::teg::GraphOp"> {
  let summary = "Combine partial results one after another";
  let description = [{
    A reduction of stacked partial results, as `tapestry-shard` leaves it, becomes one
    operation per partial result but the first, each of which combines it with what
    there is of those before. So no more than three of them have to be in memory at
    once, and none is copied. The rows of a stack that has less than `stack-bytes` stay
    together, as do those whose total is rounded to another type.

    Before:
    ```mlir
    %row = tapestry.unsqueeze "Y.row" %Y.1 at 0 : (tensor<5xf32>) -> tensor<1x5xf32>
    %row2 = tapestry.unsqueeze "Y.row.2" %Y.2 at 0 : (tensor<5xf32>) -> tensor<1x5xf32>
    %stack = tapestry.concat "Y.stack" %row, %row2 along 0 : (tensor<1x5xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
    %Y = tapestry.einsum "Y" [block = 2, i = 5] (%stack[block, i]) -> [i] reduce add {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<2x5xf32>) -> tensor<5xf32>
    ```

    After, `%first` and `%second` being views of `%Y.1` and `%Y.2`:
    ```mlir
    %Y = tapestry.einsum "Y" [i = 5] (%first[i], %second[i]) -> [i] {
    ^bb0(%a: f32, %b: f32):
      %sum = arith.addf %a, %b : f32
      tapestry.yield %sum : f32
    } : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    ```
  }];
  let options = [
    Option<"stackBytes", "stack-bytes", "int64_t", /*default=*/"1 << 20",
           "Bytes of all partial results from which on they are not stacked">
  ];
  let statistics = [
    Statistic<"numChains", "chains", "Number of reductions that were replaced">
  ];
}

def TapestryPrintTasks : Pass<"tapestry-print-tasks", "::tapestry::teg::GraphOp"> {
  let summary = "Print a graph as shards on chunks";
  let description = [{
    Prints to standard output what the greedy executor runs of the graph, which is
    left as it is. A `chunk` is a dense tensor that is there once: an input, or what one
    shard makes. A `view` is elements of one chunk: from an offset by strides, in
    elements. A `copy` is put together from views, each of a box of cells. A `shard`
    makes chunks from views by a kernel; equal kernels have one number. An `output`
    is a view that is written.

    For the graph behind `tapestry-shard` above:
    ```
    tasks of g: 2 shards, 2 kernels
    chunk 0: f32[5, 3] input 'X'
    view 0: f32[3, 3] of chunk 0 from 0 by [3, 1]
    chunk 1: f32[3] 'Y.1'
    shard 'Y.1' of 'Y': kernel 0, views [0], chunks [1], 9 operations
    view 1: f32[2, 3] of chunk 0 from 9 by [3, 1]
    chunk 2: f32[2] 'Y.2'
    shard 'Y.2' of 'Y': kernel 1, views [1], chunks [2], 6 operations
    copy 2: f32[5]
      [0] to [3] of chunk 1 from 0 by [1]
      [3] to [5] of chunk 2 from 0 by [1]
    output 'Y': view 2
    ```
  }];
}

def TapestryRecognizeShards
    : Pass<"tapestry-recognize-shards", "::tapestry::teg::GraphOp"> {
  let summary = "Write plain operators on slices as the shards that they are";
  let description = [{
    Operators whose results make one tensor, put together by concatenations, however
    nested, and einsums that compute nothing, or combined by the monoid that they reduce by, may be blocks of one operator:
    what they compute is alike, and each reads slices of what the others read slices of.
    Their places in the tensor say which index points each has; those of its slices, how
    the one reads the tensors, and which points it reduces. What they read of operators of
    one kind, halos too, is taken for one tensor, and those operators for blocks of what
    makes it. Each becomes a `tapestry.shard` that computes what it did. Of slices that are
    transposed or otherwise seen, `tapestry-compose-selectors` has operators read the
    tensors before.

    A remark says why pieces of one kind are no such blocks.

    Before:
    ```mlir
    %a = tapestry.slice "a" %X [0] => [2] : (tensor<5xf32>) -> tensor<2xf32>
    %1 = tapestry.einsum "1" [i = 2] (%a[i]) -> [i] { ... } : (tensor<2xf32>) -> tensor<2xf32>
    %b = tapestry.slice "b" %X [2] => [5] : (tensor<5xf32>) -> tensor<3xf32>
    %2 = tapestry.einsum "2" [i = 3] (%b[i]) -> [i] { ... } : (tensor<3xf32>) -> tensor<3xf32>
    %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```

    After:
    ```mlir
    %a = tapestry.slice "a" %X [0] => [2] : (tensor<5xf32>) -> tensor<2xf32>
    %1 = tapestry.shard "1" [0] => [2] (%a) {
    ^bb0(%t: tensor<5xf32>):
      %w = tapestry.einsum "1" [i = 5] (%t[i]) -> [i] { ... } : (tensor<5xf32>) -> tensor<5xf32>
      tapestry.part_of %w : tensor<5xf32>
    } : (tensor<2xf32>) -> tensor<2xf32>
    // and of [2] => [5] likewise
    %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```
  }];
  let statistics = [
    Statistic<"numShards", "shards", "Number of operators that became shards">
  ];
}

def TapestryUnshard : Pass<"tapestry-unshard", "::tapestry::teg::GraphOp"> {
  let summary = "Recover the whole operations of a graph written shard by shard";
  let description = [{
    Shards are of one operation where they hold what computes equally, read slices
    of the same tensors, and their ranges make its index space exactly once. That
    operation takes the place of what they are put together to, however it is cut,
    nested, ordered and named: concatenations, slices, and what combines partial
    results by its monoid: reductions of stacks, sums of two or more tensors, and sums
    of those. What else reads a shard reads a slice of the whole. Where shards read
    slices of a concatenation that the graph lacks, as after
    `tapestry-compose-selectors`, of whole tensors and all of it, the whole reads that.
    Nothing is asked of attributes and names, of labels neither; the whole has the
    labels of its first shard. Shards that are none of a whole stay as they are.

    Plain operators on slices are put together likewise, if `tapestry-recognize-shards`
    takes them for shards. That is a guess: the graph as it was has to be proved a sharding
    of what it becomes, as `tapestry-verify-sharding` does, or the operators stay as they
    are; those that are proved without the others are put together all the same. A remark
    says what has been tried of them, and where it fails:
    ```mlir
    // remark: 'Y' is not put together: operand 0 of 'Y.2' begins at (1) of 'X', expected (2) as 'Y.1' reads it
    // remark: 'Y' is not put together: index point (2) is computed 0 times, expected 1
    ```

    Before: what `tapestry-shard` makes of

    After:
    ```mlir
    tapestry.graph @g {
      %X = tapestry.source "X" : tensor<5x3xf32>
      %Y = tapestry.einsum "Y" [i = 5, j = 3] (%X[i, j]) -> [i] reduce add {
      ^bb0(%x: f32):
        tapestry.yield %x : f32
      } : (tensor<5x3xf32>) -> tensor<5xf32>
      tapestry.sink "Y", %Y : tensor<5xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numShards", "shards", "Number of shards that were put together">,
    Statistic<"numWholes", "wholes", "Number of operations they became">
  ];
}

def TapestryVerifyShards
    : Pass<"tapestry-verify-shards", "::tapestry::teg::GraphOp"> {
  let summary = "Prove that every op's shards cover its results exactly once";
  let description = [{
    For every block operator with a partition: the devices' blocks cover the
    index space, and what they write covers every result cell exactly once,
    replicas and partial values counted once. For every home layout: the parts
    that devices own cover the tensor exactly once. An error names the
    operation, a point, and how often it is covered. Changes nothing.

    ```mlir
    // error: shards of "W": index point (0) is in 2 of the blocks, expected 1
    ```
  }];
  let statistics = [
    Statistic<"numProved", "proved", "Number of partitions and homes proved">
  ];
}

def TapestryVerifySharding
    : Pass<"tapestry-verify-sharding", "::mlir::ModuleOp"> {
  let summary = "Prove that a graph is a sharding of another";
  let description = [{
    Of the two graphs, by default the module's first and second, every tensor of the
    second is shown to be a view of tensors of the first: selectors are looked
    through (one whose result is no boxes of other tensors, as what a constant pads, has to be as in the first graph), and a shard computes a block of a vertex that computes as what it holds
    if it is given the slices that the vertex reads there. Partial values are those of a vertex whose reduced labels the
    range does not have all of; a plain operator that computes as a block of a vertex,
    of which its operands say where that lies, is that shard; what combines them by its monoid, over a stack or as
    sums of tensors, in any order and depth, is the result where they make the whole once. What has no shards has to be as it
    is in the first graph. Then every index point of every vertex has to be computed
    exactly once, of equal vertices of equal operands once for each, and sinks hand out equal cells.
    A shard of a source is those cells of it; shards of a sink hand out every cell once. Names of vertices and labels do not matter,
    those of sources and sinks do.

    What a sequence point waits for happens before what awaits it in the sharded graph,
    too, shard by shard: sources, sinks, loops and the shards that make what is waited
    for of an operator before sources, sinks, loops, ends of passes, and shards that
    read a tensor which awaits the point. That follows from what is read and awaited
    there, whatever points there are for it; more may be ordered. `tapestry.await` is
    looked through: of equal operators the one behind fewer points is that of the first
    graph. What a point keeps alive leads to a sink or a point there.

    An error names the first cell that is wrong, and what is there instead, or what need
    not follow what:
    ```mlir
    // error: 'Y.2' is no shard of 'Y': operand 0 has at (0, 0) cell (2, 0) of 'X', expected cell (3, 0) of 'X'
    // error: index point (3, 0) of 'Y' is computed 2 times in the sharded graph, expected 1
    // error: sink 'Y' has at (0) cell (3) of 'Y', expected cell (0) of 'Y'
    // error: 'Y' combines no block of 'Y': at (0) index point (0, 2) is combined 0 times, expected 1
    // error: 'Y.sum' combines partial values of 'Y' by another monoid
    // error: cell (3) of sink 'Y' is handed out 2 times in the sharded graph, expected 1
    // error: 'Y.2' with the range [3, 6) leaves the index space [0, 5) of 'Y': index point (5) is the first outside
    // error: 'Z.1' need not follow 'Y.2': in the whole graph 'Y' happens before a sequence point that 'Z' awaits
    // error: 'Y.1' is observed by no sink and no sequence point: in the whole graph one waits for 'Y'
    // error: 'Y.2' with the range [3, 6) computes as no vertex of the whole graph, not as 'Y': its 'monoid' is #tapestry_index.monoid<max>, expected #tapestry_index.monoid<add>
    ```
    What views do not decide is an error, too. Changes nothing.

    The graph that was sharded is the planned one, which plans may have changed (constants
    that are folded, rewrites):
    ```sh
    tapestry-opt --tapestry-plan-pipeline=devices=4 g.mlir -o planned.mlir
    tapestry-opt --pass-pipeline='builtin.module(tapestry.graph(tapestry-shard))' planned.mlir -o sharded.mlir
    tapestry-opt --tapestry-verify-sharding=whole-file=planned.mlir sharded.mlir -o /dev/null
    ```
  }];
  let options = [
    Option<"whole", "whole", "std::string", "", "The graph that is sharded">,
    Option<"sharded", "sharded", "std::string", "", "Its sharding">,
    Option<"wholeFile", "whole-file", "std::string", "",
           "A file with the graph that is sharded; the module's first is then "
           "its sharding">
  ];
  let statistics = [
    Statistic<"numShards", "shards", "Number of shards proved">
  ];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_TD
