// RUN: tapestry-opt %s | FileCheck %s
// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --canonicalize --cse | FileCheck %s
// RUN: tapestry-opt %s --tapestry-partition=devices=4 | FileCheck %s --check-prefix=PLAN
// RUN: tapestry-opt %s --tapestry-partition=devices=4 | tapestry-opt --emit-bytecode | tapestry-opt | FileCheck %s --check-prefix=PLAN
// RUN: tapestry-opt %s --tapestry-partition=devices=4 --tapestry-verify-shards --tapestry-shard | FileCheck %s --check-prefix=SHARD
// RUN: tapestry-opt %s --tapestry-partition=devices=4 --tapestry-shard --tapestry-unshard | FileCheck %s
// RUN: tapestry-translate --mlir-to-dot %s | FileCheck %s --check-prefix=DOT

// Rows of Z are columns of Y; the operands that both read are operands twice.
// CHECK-LABEL: tapestry.graph @transposed
// CHECK: %Y = tapestry.fused "Y" (%X, %W, %X) {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<5x8xi32>, %[[W:.*]]: tensor<8x6xi32>, %[[O:.*]]: tensor<5x8xi32>):
// CHECK-NEXT: %[[Z:.*]] = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%[[X]][i, k], %[[W]][k, j]) -> [i, j] reduce add {
// CHECK: tapestry.einsum "Y" [a = 6, b = 5] (%[[Z]][b, a], %[[Z]][b, a], %[[O]][b, 0]) -> [a, b] {
// CHECK: tapestry.fused_yield
// CHECK-NEXT: } : (tensor<5x8xi32>, tensor<8x6xi32>, tensor<5x8xi32>) -> tensor<6x5xi32>

// PLAN-LABEL: tapestry.graph @transposed
// PLAN: tapestry.fused "Y"
// PLAN-NOT: partition
// PLAN: } : (tensor<5x8xi32>, tensor<8x6xi32>, tensor<5x8xi32>) -> tensor<6x5xi32> partition #tapestry_index.partition<{{\[\[}}"d.0"], ["d.1"]]> home

// What is cut is all that Y has labels of.
// SHARD-LABEL: tapestry.graph @transposed
// SHARD: %[[X1:.*]] = tapestry.slice "Y.1.0" %X [0, 0] => [3, 8]
// SHARD: %[[W1:.*]] = tapestry.slice "Y.1.1" %W [0, 0] => [8, 3]
// SHARD: %[[O1:.*]] = tapestry.slice "Y.1.2" %X [0, 0] => [3, 1]
// SHARD: tapestry.shard "Y.1" [0, 0] => [3, 3] (%[[X1]], %[[W1]], %[[O1]]) {
// SHARD-NEXT: ^bb0(
// SHARD-NEXT: tapestry.fused "Y"

// DOT-LABEL: digraph "transposed" {
// DOT: label=<<b>fused</b> Z =&gt; Y<br/>[a, b]<br/>[0, 0] =&gt; [6, 5]>];
// DOT: label=<Signature<br/>P0 = [b, 0:+8]<br/>P1 = [0:+8, a]<br/>P2 = [b, 0]<br/>&#8594; [a, b]<br/><i>17 flops a point</i>>];
tapestry.graph @transposed {
  %X = tapestry.source "X" : tensor<5x8xi32>
  %W = tapestry.source "W" : tensor<8x6xi32>
  %Y = tapestry.fused "Y" (%X, %W, %X) {
  ^bb0(%x: tensor<5x8xi32>, %w: tensor<8x6xi32>, %o: tensor<5x8xi32>):
    %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%x[i, k], %w[k, j]) -> [i, j] reduce add {
    ^bb0(%p: i32, %q: i32):
      %m = arith.muli %p, %q : i32
      tapestry.yield %m : i32
    } : (tensor<5x8xi32>, tensor<8x6xi32>) -> tensor<5x6xi32>
    %Y = tapestry.einsum "Y" [a = 6, b = 5] (%Z[b, a], %Z[b, a], %o[b, 0]) -> [a, b] {
    ^bb0(%z: i32, %y: i32, %c: i32):
      %s = arith.maxsi %z, %c : i32
      tapestry.yield %s : i32
    } : (tensor<5x6xi32>, tensor<5x6xi32>, tensor<5x8xi32>) -> tensor<6x5xi32>
    tapestry.fused_yield %Y : tensor<6x5xi32>
  } : (tensor<5x8xi32>, tensor<8x6xi32>, tensor<5x8xi32>) -> tensor<6x5xi32>
  tapestry.sink "Y", %Y : tensor<6x5xi32>
}

// Windows of the producer are windows of both, with their pads; one of both is part of
// another.
// CHECK-LABEL: tapestry.graph @windows
// CHECK: tapestry.fused "Out" (%X, %F) {
// CHECK: tapestry.fused "Y" (
// CHECK: tapestry.einsum "Z" [y = 12, r = 3]
// CHECK: tapestry.einsum "Y" [y = 12]
// CHECK: tapestry.einsum "Out" [y = 12]

// The second of four blocks reads X from 2 * 3 - 1 to 2 * 5 - 1 + 2 * 2.
// SHARD-LABEL: tapestry.graph @windows
// SHARD: tapestry.slice "Out.2.0" %X [5] => [14] : (tensor<24xf32>) -> tensor<9xf32>

// DOT-LABEL: digraph "windows" {
// DOT: <b>fused</b> Z =&gt; Y =&gt; Out<br/>
// DOT: P0 = [2 * y - 1:+3 by 2]<br/>P1 = [0:+3]<br/>&#8594; [y]<br/>
tapestry.graph @windows {
  %X = tapestry.source "X" : tensor<24xf32>
  %F = tapestry.source "F" : tensor<3xf32>
  %Out = tapestry.fused "Out" (%X, %F) {
  ^bb0(%x: tensor<24xf32>, %f: tensor<3xf32>):
    %Y = tapestry.fused "Y" (%x, %f) {
    ^bb0(%u: tensor<24xf32>, %v: tensor<3xf32>):
      %Z = tapestry.einsum "Z" [y = 12, r = 3] (%u[2 * y + 2 * r - 1] pad 0.0 : f32, %v[r]) -> [y] reduce add {
      ^bb0(%p: f32, %q: f32):
        %m = arith.mulf %p, %q : f32
        tapestry.yield %m : f32
      } : (tensor<24xf32>, tensor<3xf32>) -> tensor<12xf32>
      %W = tapestry.einsum "Y" [y = 12] (%Z[y]) -> [y] {
      ^bb0(%z: f32):
        %s = math.absf %z : f32
        tapestry.yield %s : f32
      } : (tensor<12xf32>) -> tensor<12xf32>
      tapestry.fused_yield %W : tensor<12xf32>
    } : (tensor<24xf32>, tensor<3xf32>) -> tensor<12xf32>
    %O = tapestry.einsum "Out" [y = 12] (%Y[y]) -> [y] {
    ^bb0(%z: f32):
      %s = math.sqrt %z : f32
      tapestry.yield %s : f32
    } : (tensor<12xf32>) -> tensor<12xf32>
    tapestry.fused_yield %O : tensor<12xf32>
  } : (tensor<24xf32>, tensor<3xf32>) -> tensor<12xf32>
  tapestry.sink "Out", %Out : tensor<12xf32>
}
