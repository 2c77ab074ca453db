// White paper, "TEG: Tapestry Expression Graph": tensors A.1 and A.2 are seen as one
// through a concat, B is added, and a sequence point marks the sink of C as observed. Where the
// operator is cut as A lies, the parts are processed in parallel without ever fusing A.

// RUN: tapestry-opt %s --tapestry-shard --tapestry-compose-selectors | FileCheck %s
// RUN: %python %S/Inputs/check.py expression-graph --devices 2

// CHECK-NOT:  tapestry.slice
// CHECK:      %[[C1:.*]] = tapestry.shard "C.1" [0, 0] => [500, 10] (%A.1, %B)
// CHECK:      %[[C2:.*]] = tapestry.shard "C.2" [500, 0] => [1000, 10] (%A.2, %B)
// CHECK:      %[[C:.*]] = tapestry.concat "C" %[[C1]], %[[C2]] along 0
// CHECK-NEXT: %[[DONE:.*]] = tapestry.sink "C", %[[C]]
// CHECK-NEXT: tapestry.sequence_point %[[DONE]] : !tapestry.point
#grid = #tapestry_index.grid<"host" = 2>
#rows = #tapestry_index.partition<[["host"], []]>
tapestry.graph @add on #grid {
  %A1 = tapestry.source "A.1" : tensor<500x10xf32>
  %A2 = tapestry.source "A.2" : tensor<500x10xf32>
  %B = tapestry.source "B" : tensor<10xf32>
  %A = tapestry.concat "A" %A1, %A2 along 0
      : (tensor<500x10xf32>, tensor<500x10xf32>) -> tensor<1000x10xf32>
  %C = tapestry.einsum "C" [n = 1000, c = 10] (%A[n, c], %B[c]) -> [n, c] partition #rows {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tapestry.yield %s : f32
  } : (tensor<1000x10xf32>, tensor<10xf32>) -> tensor<1000x10xf32>
  %done = tapestry.sink "C", %C : tensor<1000x10xf32> -> !tapestry.point
  %p = tapestry.sequence_point %done : !tapestry.point
}
