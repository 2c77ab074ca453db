//===- Passes.td - Passes of tapestry_index ----------------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_INDEX_TRANSFORMS_PASSES_TD
#define TAPESTRY_DIALECT_INDEX_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def LowerTapestryIndex : Pass<"tapestry-lower-index"> {
  let summary = "Lower tapestry_index to arith";
  let description = [{
    Replaces every op of tapestry_index by arith operations on index values:
    additions, products, divisions and remainders by constants, minima and
    maxima. What a layout says at compile time is not computed at run time: an
    uncut dimension is a constant, and clipping and the test for empty parts are
    left out where they cannot matter.

    Before:
    ```mlir
    %b:2 = tapestry_index.part
        #tapestry_index.layout<[97 by "d.0"] on #tapestry_index.grid<"d.0" = 4>>
        at %device
    ```

    After:
    ```mlir
    %c25 = arith.constant 25 : index
    %c97 = arith.constant 97 : index
    %lo = arith.muli %device, %c25 : index
    %next = arith.addi %lo, %c25 : index
    %hi = arith.minsi %next, %c97 : index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numLowered", "lowered", "Number of ops lowered">
  ];
}

#endif // TAPESTRY_DIALECT_INDEX_TRANSFORMS_PASSES_TD
