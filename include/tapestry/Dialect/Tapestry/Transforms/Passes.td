//===- Passes.td - Passes on tensor expression graphs ------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_TD
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def TapestryPrune : Pass<"tapestry-prune", "::tapestry::teg::GraphOp"> {
  let summary = "Erase what no sink or sequence point observes";
  let description = [{
    Sinks, sequence points and operations with side effects are the roots of
    visibility; what none of them reads, directly or not, is erased, sources
    included.

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
    tapestry.graph @g {
      %A = tapestry.source "A" : tensor<5xf32>
      tapestry.sink "Z", %A : tensor<5xf32>
    }
    ```
  }];
  let statistics = [
    Statistic<"numErased", "erased", "Number of operations erased">
  ];
}

def TapestryPartition : Pass<"tapestry-partition", "::tapestry::teg::GraphOp"> {
  let summary = "Cut every operation of a graph over the devices";
  let description = [{
    Plans the graph and writes the plan down: the graph's grid, and on every
    operation the `partition` of its labels and the `home` layout of its result.
    The plan comes from a solver or from a plan.json.

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
    Option<"devices", "devices", "int64_t", "0",
           "Number of devices; 0: as many as the grid or the plan has">,
    Option<"grid", "grid", "std::string", "",
           "Named axes of devices: node=2,gpu=4">,
    Option<"solver", "solver", "std::string", "\"exact\"",
           "exact or eindecomp">,
    Option<"cost", "cost", "std::string", "\"paper\"", "Cost model: paper">,
    Option<"plan", "plan", "std::string", "",
           "A plan.json to follow instead of solving">
  ];
  let statistics = [
    Statistic<"numVertices", "vertices", "Number of vertices planned">,
    Statistic<"numCollectives", "collectives", "Number of collectives planned">
  ];
  let dependentDialects = ["::tapestry::index::TapestryIndexDialect"];
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

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_PASSES_TD
