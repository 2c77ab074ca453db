// What is put together may be a piece of more: rows of partial sums, which are
// added for each of the rows. Nothing is said of what has been put together.
// RUN: tapestry-opt %s --tapestry-unshard --verify-diagnostics | FileCheck %s

// CHECK-LABEL: tapestry.graph @g
// CHECK: %[[A:.*]] = tapestry.source "A"
// CHECK: %[[B:.*]] = tapestry.source "B"
// CHECK-NEXT: %[[C:.*]] = tapestry.einsum "C" [i = 7, k = 9, j = 5] (%[[A]][i, k], %[[B]][k, j]) -> [i, j] reduce add
// CHECK: tapestry.sink "C", %[[C]]
// CHECK-NOT: einsum
tapestry.graph @g {
  %A = tapestry.source "A" : tensor<7x9xf32>
  %B = tapestry.source "B" : tensor<9x5xf32>
  %s1 = tapestry.slice "s1" %A [0, 0] => [7, 5] : (tensor<7x9xf32>) -> tensor<7x5xf32>
  %s2 = tapestry.slice "s2" %B [0, 0] => [5, 5] : (tensor<9x5xf32>) -> tensor<5x5xf32>
  %e3 = tapestry.einsum "e3" [i = 7, k = 5, j = 5] (%s1[i, k], %s2[k, j]) -> [i, j] reduce add {
  ^bb0(%a0: f32, %a1: f32):
    %y = arith.mulf %a0, %a1 : f32
    tapestry.yield %y : f32
  } : (tensor<7x5xf32>, tensor<5x5xf32>) -> tensor<7x5xf32>
  %s4 = tapestry.slice "s4" %A [0, 5] => [7, 9] : (tensor<7x9xf32>) -> tensor<7x4xf32>
  %s5 = tapestry.slice "s5" %B [5, 0] => [9, 5] : (tensor<9x5xf32>) -> tensor<4x5xf32>
  %e6 = tapestry.einsum "e6" [i = 7, k = 4, j = 5] (%s4[i, k], %s5[k, j]) -> [i, j] reduce add {
  ^bb0(%a0: f32, %a1: f32):
    %y = arith.mulf %a0, %a1 : f32
    tapestry.yield %y : f32
  } : (tensor<7x4xf32>, tensor<4x5xf32>) -> tensor<7x5xf32>
  %s7 = tapestry.slice "s7" %e3 [0, 0] => [3, 5] : (tensor<7x5xf32>) -> tensor<3x5xf32>
  %s8 = tapestry.slice "s8" %e6 [0, 0] => [3, 5] : (tensor<7x5xf32>) -> tensor<3x5xf32>
  %e9 = tapestry.einsum "e9" [d0 = 3, d1 = 5] (%s7[d0, d1], %s8[d0, d1]) -> [d0, d1] {
  ^bb0(%a0: f32, %a1: f32):
    %y = arith.addf %a0, %a1 : f32
    tapestry.yield %y : f32
  } : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %s10 = tapestry.slice "s10" %e3 [3, 0] => [7, 5] : (tensor<7x5xf32>) -> tensor<4x5xf32>
  %s11 = tapestry.slice "s11" %e6 [3, 0] => [7, 5] : (tensor<7x5xf32>) -> tensor<4x5xf32>
  %e12 = tapestry.einsum "e12" [d0 = 4, d1 = 5] (%s10[d0, d1], %s11[d0, d1]) -> [d0, d1] {
  ^bb0(%a0: f32, %a1: f32):
    %y = arith.addf %a0, %a1 : f32
    tapestry.yield %y : f32
  } : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %C = tapestry.concat "C" %e9, %e12 along 0 : (tensor<3x5xf32>, tensor<4x5xf32>) -> tensor<7x5xf32>
  tapestry.sink "C", %C : tensor<7x5xf32>
}
