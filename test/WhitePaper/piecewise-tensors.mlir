// White paper, "Piecewise Tensors": X, of [1000, 10, 10], never needs to exist. Ranges of
// it are mapped through the concat to ranges of X.1 and X.2, each of [500, 10, 10]. Nothing
// of the 400,000 bytes is sent between devices, and none copied but where Both reads across
// the seam: five rows, of 400 bytes each, in the two pieces that it chooses from.

// RUN: tapestry-opt %s --tapestry-compose-selectors -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: %python %S/Inputs/check.py piecewise-tensors --devices 1 --unsent 1,2,4 --most-copied 4800

// CHECK-NOT: tapestry.concat
// CHECK-NOT: tapestry.slice
// X[600:700] is within X.2.
// CHECK: tapestry.einsum "Rows" [i = 100, j = 10, k = 10] (%X.2[i + 100, j, k]) -> [i, j, k] {
// X[498:503] is two rows of X.1 and three of X.2.
// CHECK: tapestry.einsum "Both" [i = 5, j = 10, k = 10] ({{.*}}%X.1[i + 498, j, k]{{.*}}%X.2[i - 2, j, k]{{.*}}) -> [j, k] reduce add {
// CHECK: tapestry.einsum "Y" [i = 1000, j = 10, k = 10] ({{.*}}%X.1[i, j, k]{{.*}}%X.2[i - 500, j, k]{{.*}}) -> [i, j, k] {
tapestry.graph @pieces {
  %X1 = tapestry.source "X.1" : tensor<500x10x10xf32>
  %X2 = tapestry.source "X.2" : tensor<500x10x10xf32>
  %X = tapestry.concat "X" %X1, %X2 along 0
      : (tensor<500x10x10xf32>, tensor<500x10x10xf32>) -> tensor<1000x10x10xf32>
  %rows = tapestry.slice "rows" %X [600, 0, 0] => [700, 10, 10]
      : (tensor<1000x10x10xf32>) -> tensor<100x10x10xf32>
  %Rows = tapestry.einsum "Rows" [i = 100, j = 10, k = 10] (%rows[i, j, k]) -> [i, j, k] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    tapestry.yield %y : f32
  } : (tensor<100x10x10xf32>) -> tensor<100x10x10xf32>
  %both = tapestry.slice "both" %X [498, 0, 0] => [503, 10, 10]
      : (tensor<1000x10x10xf32>) -> tensor<5x10x10xf32>
  %Both = tapestry.einsum "Both" [i = 5, j = 10, k = 10] (%both[i, j, k]) -> [j, k] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x10x10xf32>) -> tensor<10x10xf32>
  %Y = tapestry.einsum "Y" [i = 1000, j = 10, k = 10] (%X[i, j, k]) -> [i, j, k] {
  ^bb0(%x: f32):
    %y = arith.addf %x, %x : f32
    tapestry.yield %y : f32
  } : (tensor<1000x10x10xf32>) -> tensor<1000x10x10xf32>
  tapestry.sink "Rows", %Rows : tensor<100x10x10xf32>
  tapestry.sink "Both", %Both : tensor<10x10xf32>
  tapestry.sink "Y", %Y : tensor<1000x10x10xf32>
}
