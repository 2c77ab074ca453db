// White paper, "Piecewise Tensors": X never needs to exist. Ranges of it are mapped
// through the concat to ranges of its parts.

// RUN: tapestry-opt %s --tapestry-compose-selectors | FileCheck %s
// RUN: %python %S/Inputs/check.py piecewise-tensors --devices 1

// CHECK-NOT: tapestry.concat
// CHECK-NOT: tapestry.slice
// X[6:9] is within X.2.
// CHECK: tapestry.einsum "Rows" [i = 3, j = 4] (%X.2[i + 1, j]) -> [i, j] {
// X[3:8] is two rows of X.1 and three of X.2.
// CHECK: tapestry.einsum "Both" [i = 5, j = 4] ({{.*}}%X.1[i + 3, j]{{.*}}%X.2[i - 2, j]{{.*}}) -> [j] reduce add {
// CHECK-NOT: %X.3
tapestry.graph @pieces {
  %X1 = tapestry.source "X.1" : tensor<5x4xf32>
  %X2 = tapestry.source "X.2" : tensor<5x4xf32>
  %X3 = tapestry.source "X.3" : tensor<5x4xf32>
  %X = tapestry.concat "X" %X1, %X2, %X3 along 0
      : (tensor<5x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>) -> tensor<15x4xf32>
  %rows = tapestry.slice "rows" %X [6, 0] => [9, 4] : (tensor<15x4xf32>) -> tensor<3x4xf32>
  %Rows = tapestry.einsum "Rows" [i = 3, j = 4] (%rows[i, j]) -> [i, j] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    tapestry.yield %y : f32
  } : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %both = tapestry.slice "both" %X [3, 0] => [8, 4] : (tensor<15x4xf32>) -> tensor<5x4xf32>
  %Both = tapestry.einsum "Both" [i = 5, j = 4] (%both[i, j]) -> [j] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x4xf32>) -> tensor<4xf32>
  tapestry.sink "Rows", %Rows : tensor<3x4xf32>
  tapestry.sink "Both", %Both : tensor<4xf32>
}
