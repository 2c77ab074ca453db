// RUN: tapestry-opt %s --tapestry-shard --split-input-file | FileCheck %s
// RUN: tapestry-opt %s --tapestry-shard --split-input-file | tapestry-opt --split-input-file --tapestry-plan-pipeline=devices=3 --tapestry-verify-shards

// The example of the pass' description.
#grid = #tapestry_index.grid<"d.0" = 2>
// CHECK-LABEL: tapestry.graph @g {
tapestry.graph @g on #grid {
  // CHECK-NEXT: %[[X:.*]] = tapestry.source "X" : tensor<5x3xf32>
  %X = tapestry.source "X" : tensor<5x3xf32>
  // CHECK-NEXT: %[[X1:.*]] = tapestry.slice "Y.1.0" %[[X]] [0, 0] => [3, 3] : (tensor<5x3xf32>) -> tensor<3x3xf32>
  // CHECK-NEXT: %[[Y1:.*]] = tapestry.shard "Y.1" [0, 0] => [3, 3] (%[[X1]])
  // CHECK: %[[X2:.*]] = tapestry.slice "Y.2.0" %[[X]] [3, 0] => [5, 3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %[[Y2:.*]] = tapestry.shard "Y.2" [3, 0] => [5, 3] (%[[X2]])
  // CHECK: %[[Y:.*]] = tapestry.concat "Y" %[[Y1]], %[[Y2]] along 0 : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 3] (%X[i, j]) -> [i]
      reduce add partition #tapestry_index.partition<[["d.0"], []]> {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x3xf32>) -> tensor<5xf32>
  // CHECK-NEXT: tapestry.sink "Y", %[[Y]]
  tapestry.sink "Y", %Y : tensor<5xf32>
}

// -----

// A reduction in blocks, in wide accumulators, and replicas of one shard.
#grid = #tapestry_index.grid<"a" = 2, "b" = 3>
// CHECK-LABEL: tapestry.graph @linear {
tapestry.graph @linear on #grid {
  %X = tapestry.source "X" : tensor<5x7xf16> partition #tapestry_index.partition<[["a"], []]>
  %W = tapestry.source "W" : tensor<7x4xf16>
  // CHECK: tapestry.shard "Y.1" [0, 0, 0] => [5, 4, 3] (
  // CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<5x7xf16>, %[[W:.*]]: tensor<7x4xf16>):
  // CHECK-NEXT: %[[ALL:.*]] = tapestry.einsum "Y" [i = 5, j = 4, k = 7] (%[[X]][i, k], %[[W]][k, j]) -> [i, j] reduce add {
  // CHECK: tapestry.part_of %[[ALL]] : tensor<5x4xf16>
  // CHECK: : (tensor<5x3xf16>, tensor<3x4xf16>) -> tensor<5x4xf32>
  // CHECK: tapestry.shard "Y.2" [0, 0, 3] => [5, 4, 6] (
  // CHECK: tapestry.shard "Y.3" [0, 0, 6] => [5, 4, 7] (
  // CHECK-NOT: tapestry.shard
  // CHECK: %[[STACK:.*]] = tapestry.concat "Y.stack" {{.*}} along 0 : (tensor<1x5x4xf32>, tensor<1x5x4xf32>, tensor<1x5x4xf32>) -> tensor<3x5x4xf32>
  // CHECK-NEXT: tapestry.einsum "Y" [block = 3, i = 5, j = 4] (%[[STACK]][block, i, j]) -> [i, j] reduce add {
  // CHECK: : (tensor<3x5x4xf32>) -> tensor<5x4xf16>
  %Y = tapestry.einsum "Y" [i = 5, j = 4, k = 7] (%X[i, k], %W[k, j]) -> [i, j]
      reduce add partition #tapestry_index.partition<[[], [], ["b"]]> {
  ^bb0(%x: f16, %w: f16):
    %p = arith.extf %x : f16 to f32
    %q = arith.extf %w : f16 to f32
    %m = arith.mulf %p, %q : f32
    tapestry.yield %m : f32
  } : (tensor<5x7xf16>, tensor<7x4xf16>) -> tensor<5x4xf16>
  tapestry.sink "Y", %Y : tensor<5x4xf16>
}

// -----

// Halos, ends, turns, and a part that would be empty.
#grid = #tapestry_index.grid<"d" = 4>
// CHECK-LABEL: tapestry.graph @reads {
tapestry.graph @reads on #grid {
  %X = tapestry.source "X" : tensor<9xi32>
  // CHECK: tapestry.slice {{.*}} [0] => [2]
  // CHECK: tapestry.slice {{.*}} [4] => [7]
  // CHECK: tapestry.shard "Y.1" [0] => [3] (
  // CHECK: tapestry.slice {{.*}} [2] => [5]
  // CHECK: tapestry.shard "Y.2" [3] => [6] (%{{.*}}, %X)
  // CHECK: tapestry.slice {{.*}} [5] => [8]
  // CHECK: tapestry.slice {{.*}} [1] => [4]
  // CHECK: tapestry.shard "Y.3" [6] => [9] (
  // CHECK: tapestry.concat "Y" %Y.1, %Y.2, %Y.3 along 0
  %Y = tapestry.einsum "Y" [i = 9] (%X[i - 1] pad 0 : i32, %X[(i + 4) mod 9]) -> [i]
      partition #tapestry_index.partition<[["d"]]> {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tapestry.yield %s : i32
  } : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
  tapestry.sink "Y", %Y : tensor<9xi32>
}
