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
