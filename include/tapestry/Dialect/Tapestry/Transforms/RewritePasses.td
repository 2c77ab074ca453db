//===- RewritePasses.td - Passes that choose rewrites ------*- tablegen -*-===//

#ifndef TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_REWRITEPASSES_TD
#define TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_REWRITEPASSES_TD

include "tapestry/Dialect/Tapestry/Transforms/PricedPlanOptions.td"

def TapestryChoosePhases
    : Pass<"tapestry-choose-phases", "::tapestry::teg::GraphOp"> {
  let summary = "Put strided and dilated windows in phases where that is cheaper";
  let description = [{
    A window X[y + 8 * r] of a label is dense in the phases of y: y = 8q + p reads
    V[q + r, p], a strided view of X, and devices that have phases of their own
    need no halo (rewrite `phase` in Transforms/GraphRewrites.h). The pass plans
    the graph for `devices` or `grid` and, where a tenth of the cost or more is for
    moves, what such rewrites make of it: up to 4, those that take most einsums
    along, which stay in phases from the first to the last. It takes the cheapest as long as one
    is cheaper than the graph is. What is done is written down on the graph;
    without `devices` and `grid` nothing is.
  }];
  let options = pricedPlanOptions;
  let statistics = [
    Statistic<"numPhased", "phased", "Number of rewrites into phases">
  ];
}

def TapestryOrderContractions
    : Pass<"tapestry-order-contractions", "::tapestry::teg::GraphOp"> {
  let summary = "Compute products of many tensors two at a time";
  let description = [{
    Replaces a reduced product of three or more factors, such as
    sum[j, k] A[i, j] * B[j, k] * C[k, l], by a tree of einsums with two factors
    each, where that takes fewer operations. New vertices are named after the
    old one: `Z.1`, `Z.2`, ...; the last keeps the name. The tree is optimal up
    to 12 factors (see Planner/Contraction/ContractionOrder.h); `objective` says by what.

    A product is taken apart where its multiplication distributes over the
    reduction: float mul and div and integer mul under add, float add under max
    and min, and, or, max and min under each other. Results are equal to the bit for integers, booleans, max
    and min. Floats are multiplied and added in another order, so they are equal
    up to rounding, unless a partial product overflows where the whole one does
    not. Sums of f16 and bf16 stay f32 between the steps. Einsums with windows,
    pads or repeated labels of one operand are left alone.

    Before:
    ```mlir
    tapestry.graph @chain {
      %A = tapestry.source "A" : tensor<8x32xf32>
      %B = tapestry.source "B" : tensor<32x64xf32>
      %C = tapestry.source "C" : tensor<64x4xf32>
      %Z = tapestry.einsum "Z" [i = 8, l = 4, j = 32, k = 64]
          (%A[i, j], %B[j, k], %C[k, l]) -> [i, l] reduce add {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.mulf %0, %c : f32
        tapestry.yield %1 : f32
      } : (tensor<8x32xf32>, tensor<32x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
      tapestry.sink "Z", %Z : tensor<8x4xf32>
    }
    ```

    After:
    ```mlir
    tapestry.graph @chain attributes {tapestry.rewrites = [["order", "Z", "1 2", "0 3"]]} {
      %A = tapestry.source "A" : tensor<8x32xf32>
      %B = tapestry.source "B" : tensor<32x64xf32>
      %C = tapestry.source "C" : tensor<64x4xf32>
      %Z.1 = tapestry.einsum "Z.1" [l = 4, j = 32, k = 64]
          (%B[j, k], %C[k, l]) -> [l, j] reduce add {
      ^bb0(%b: f32, %c: f32):
        %0 = arith.mulf %b, %c : f32
        tapestry.yield %0 : f32
      } : (tensor<32x64xf32>, tensor<64x4xf32>) -> tensor<4x32xf32>
      %Z = tapestry.einsum "Z" [i = 8, l = 4, j = 32]
          (%A[i, j], %Z.1[l, j]) -> [i, l] reduce add {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.mulf %a, %b : f32
        tapestry.yield %0 : f32
      } : (tensor<8x32xf32>, tensor<4x32xf32>) -> tensor<8x4xf32>
      tapestry.sink "Z", %Z : tensor<8x4xf32>
    }
    ```
  }];
  let options = !listconcat([
    Option<"objective", "objective", "std::string", "\"flops\"",
           "What is least: flops, peak (the largest intermediate) or planned "
           "(what the plan costs, of the few trees with the fewest flops)">
  ], pricedPlanOptions);
  let statistics = [
    Statistic<"numOrdered", "ordered", "Number of products taken apart">,
    Statistic<"numSteps", "steps", "Number of einsums they became">
  ];
}

#endif // TAPESTRY_DIALECT_TAPESTRY_TRANSFORMS_REWRITEPASSES_TD
