// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{list=true}))' | FileCheck %s --check-prefix=LIST
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:Y:fuse-producer}))' | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:Y:fuse-producer},tapestry-rewrite{list=true}))' | FileCheck %s --check-prefix=AGAIN
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply={rule:Y:fuse-producer;unfuse:Y}}))' | FileCheck %s --check-prefix=APART
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-apply-rules{rules=fuse-producer}))' | FileCheck %s --check-prefix=FIXED
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply={rule:Y:fuse-producer;unfuse:Y:0}}))' 2>&1 | FileCheck %s --check-prefix=FACTOR

// LIST: {{^}}rule:Y:fuse-producer{{$}}
// LIST-NEXT: {{^}}rule:U:fuse-producer{{$}}
// LIST-NOT: rule:
// LIST: module

// AGAIN: {{^}}unfuse:Y{{$}}
// AGAIN-NEXT: {{^}}rule:U:fuse-producer{{$}}
// AGAIN-NOT: rule:Y
// AGAIN: module

// FACTOR: rewrite 'unfuse' of 'Y': it is a fused operator, which has no factors

// What is asked of Y is asked of both; what is asked of Z, that k be whole, is so
// anyhow, and stays with it.
// CHECK: "rule", "Y", "fuse-producer"
// CHECK: %Y = tapestry.fused "Y" (%X, %W, %B) {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<5x8xi32>, %[[W:.*]]: tensor<8x6xi32>, %[[B:.*]]: tensor<5xi32>):
// CHECK-NEXT: tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%[[X]][i, k], %[[W]][k, j]) -> [i, j] reduce add attributes {tapestry.constraints = [#tapestry.constraint<pin cut {k = 1 : i64}>]} {
// CHECK: tapestry.einsum "Y" [a = 6, b = 5] (%Z[b, a], %[[B]][b], %Z[b, a]) -> [a, b] {
// CHECK: tapestry.fused_yield
// CHECK-NEXT: } attributes {tapestry.constraints = [#tapestry.constraint<pin cut {a = 2 : i64}>]} : (tensor<5x8xi32>, tensor<8x6xi32>, tensor<5xi32>) -> tensor<6x5xi32>

// Back to what it was.
// APART: %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add attributes {tapestry.constraints = [#tapestry.constraint<pin cut {k = 1 : i64}>]} {
// APART: %Y = tapestry.einsum "Y" [a = 6, b = 5] (%Z[b, a], %B[b], %Z[b, a]) -> [a, b] attributes {tapestry.constraints = [#tapestry.constraint<pin cut {a = 2 : i64}>]} {
// APART-NOT: tapestry.fused

// What is made of what is fused is part of it, too: any operator with an index space is.
// FIXED: ["rule", "Y", "fuse-producer"], ["rule", "U", "fuse-producer"]
// FIXED: tapestry.fused "Y"
// FIXED: tapestry.fused "U" (%T, %I) {
// FIXED: tapestry.gather "G"
// FIXED: tapestry.einsum "U"
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<5x8xi32>
  %W = tapestry.source "W" : tensor<8x6xi32>
  %B = tapestry.source "B" : tensor<5xi32>
  %Z = tapestry.einsum "Z" [i = 5, j = 6, k = 8] (%X[i, k], %W[k, j]) -> [i, j] reduce add
      attributes {tapestry.constraints = [#tapestry.constraint<pin cut {k = 1}>]} {
  ^bb0(%p: i32, %q: i32):
    %m = arith.muli %p, %q : i32
    tapestry.yield %m : i32
  } : (tensor<5x8xi32>, tensor<8x6xi32>) -> tensor<5x6xi32>
  %Y = tapestry.einsum "Y" [a = 6, b = 5] (%Z[b, a], %B[b], %Z[b, a]) -> [a, b]
      attributes {tapestry.constraints = [#tapestry.constraint<pin cut {a = 2}>]} {
  ^bb0(%z: i32, %c: i32, %y: i32):
    %s = arith.maxsi %z, %c : i32
    %r = arith.muli %s, %y : i32
    tapestry.yield %r : i32
  } : (tensor<5x6xi32>, tensor<5xi32>, tensor<5x6xi32>) -> tensor<6x5xi32>
  tapestry.sink "Y", %Y : tensor<6x5xi32>

  %T = tapestry.source "T" : tensor<9x4xi32>
  %I = tapestry.source "I" : tensor<7xi32>
  %G = tapestry.gather "G" ["s", "a", "I"] = [7, 4, 9] %T by %I
      at [affine_map<(s, a, t) -> (t, a)>, affine_map<(s, a, t) -> (s)>]
      : (tensor<9x4xi32>, tensor<7xi32>) -> tensor<7x4xi32>
  %U = tapestry.einsum "U" [s = 7, a = 4] (%G[s, a]) -> [s, a] {
  ^bb0(%g: i32):
    %s = arith.muli %g, %g : i32
    tapestry.yield %s : i32
  } : (tensor<7x4xi32>) -> tensor<7x4xi32>
  tapestry.sink "U", %U : tensor<7x4xi32>
}
