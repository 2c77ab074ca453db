// RUN: tapestry-opt %s | FileCheck %s
// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --canonicalize --cse | FileCheck %s --check-prefix=CANON

#smooth = #tapestry.kernel<"smooth" [b, x]
    (X : f32[b, 2 * x : 3 step 2], W : f32[*] params scale : f32)
    -> (Y : f32[b, x], E : f64[b] add)>

// The points of a block that all are combined, and some of them.
// CHECK-LABEL: tapestry.graph @blocks
tapestry.graph @blocks {
  %X = tapestry.source "X" : tensor<3x15xf32>
  %W = tapestry.source "W" : tensor<3xf32>
  // CHECK: %Y.1, %Y.1.1 = tapestry.shard "Y.1" [2, 0] => [5, 6] (%X, %W) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<5x15xf32>, %{{.*}}: tensor<3xf32>):
  // CHECK-NEXT: tapestry.block "Y" #smooth [b = 5, x = 6]
  // CHECK-NEXT: tapestry.part_of %{{.*}}, %{{.*}} : tensor<5x6xf32>, tensor<5xf64>
  // CHECK-NEXT: } : (tensor<3x15xf32>, tensor<3xf32>) -> (tensor<3x6xf32>, tensor<3xf64>)
  %Y, %E = tapestry.shard "Y.1" [2, 0] => [5, 6] (%X, %W) {
  ^bb0(%x: tensor<5x15xf32>, %w: tensor<3xf32>):
    %0:2 = tapestry.block "Y" #smooth [b = 5, x = 6] (%x, %w) {scale = 0.5 : f32}
        : (tensor<5x15xf32>, tensor<3xf32>) -> (tensor<5x6xf32>, tensor<5xf64>)
    tapestry.part_of %0#0, %0#1 : tensor<5x6xf32>, tensor<5xf64>
  } : (tensor<3x15xf32>, tensor<3xf32>) -> (tensor<3x6xf32>, tensor<3xf64>)
  tapestry.sink "Y", %Y : tensor<3x6xf32>
  %Z = tapestry.source "Z" : tensor<1x5xf32>
  // CHECK: tapestry.shard "P" [4, 1] => [5, 2]
  // CHECK: partition <{{.*}}> homes [
  %P, %F = tapestry.shard "P" [4, 1] => [5, 2] (%Z, %W) {
  ^bb0(%x: tensor<5x15xf32>, %w: tensor<3xf32>):
    %0:2 = tapestry.block "Y" #smooth [b = 5, x = 6] (%x, %w) {scale = 0.5 : f32}
        : (tensor<5x15xf32>, tensor<3xf32>) -> (tensor<5x6xf32>, tensor<5xf64>)
    tapestry.part_of %0#0, %0#1 : tensor<5x6xf32>, tensor<5xf64>
  } : (tensor<1x5xf32>, tensor<3xf32>) -> (tensor<1x1xf32>, tensor<1xf64>)
    partition #tapestry_index.partition<[[], []]>
    homes [#tapestry_index.layout<[1, 1] on #tapestry_index.grid<"d" = 2>>,
           #tapestry_index.layout<[1] on #tapestry_index.grid<"d" = 2>>]
}

// What a shard holds keeps the operands that the shard takes.
// CANON-LABEL: tapestry.graph @unused
tapestry.graph @unused {
  %X = tapestry.source "X" : tensor<3xf32>
  %Z = tapestry.source "Z" : tensor<3xf32>
  // CHECK: tapestry.shard "Y.1" [2] => [5] (%X, %Z) {
  // CANON: tapestry.shard "Y.1" [2] => [5] (%X, %Z) {
  // CANON: tapestry.einsum "Y" [i = 5] (%{{.*}}[i], %{{.*}}[i]) -> [i] {
  %Y = tapestry.shard "Y.1" [2] => [5] (%X, %Z) {
  ^bb0(%x: tensor<5xf32>, %z: tensor<5xf32>):
    %y = tapestry.einsum "Y" [i = 5] (%x[i], %z[i]) -> [i] {
    ^bb0(%a: f32, %b: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    tapestry.part_of %y : tensor<5xf32>
  } : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  tapestry.sink "Y", %Y : tensor<3xf32>
}
