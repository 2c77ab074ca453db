// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry-verify-sharding,tapestry.graph(tapestry-unshard))' --split-input-file | FileCheck %s

// Shards are of one operation whatever their labels are called; that has those of the first.
// CHECK-LABEL: tapestry.graph @largest_shards {
// CHECK-NOT: tapestry.shard
// CHECK: tapestry.einsum "Y" [i = 10, j = 6] (%X[i, j]) -> [i] reduce max {
// CHECK-NOT: tapestry.shard
tapestry.graph @largest {
  %X = tapestry.source "X" : tensor<10x6xf32>
  %Y = tapestry.einsum "Y" [n = 10, m = 6] (%X[n, m]) -> [n] reduce max {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<10x6xf32>) -> tensor<10xf32>
  tapestry.sink "Y", %Y : tensor<10xf32>
}
tapestry.graph @largest_shards {
  %X = tapestry.source "X" : tensor<10x6xf32>
  %X.1 = tapestry.slice "X.1" %X [0, 0] => [10, 2] : (tensor<10x6xf32>) -> tensor<10x2xf32>
  %X.2 = tapestry.slice "X.2" %X [0, 2] => [10, 6] : (tensor<10x6xf32>) -> tensor<10x4xf32>
  %u = tapestry.shard "u" [0, 0] => [10, 2] (%X.1) {
  ^bb0(%t: tensor<10x6xf32>):
    %w = tapestry.einsum "w" [i = 10, j = 6] (%t[i, j]) -> [i] reduce max {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<10x6xf32>) -> tensor<10xf32>
    tapestry.part_of %w : tensor<10xf32>
  } : (tensor<10x2xf32>) -> tensor<10xf32>
  %v = tapestry.shard "v" [0, 2] => [10, 6] (%X.2) {
  ^bb0(%t: tensor<10x6xf32>):
    %w = tapestry.einsum "w" [a = 10, b = 6] (%t[a, b]) -> [a] reduce max {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<10x6xf32>) -> tensor<10xf32>
    tapestry.part_of %w : tensor<10xf32>
  } : (tensor<10x4xf32>) -> tensor<10xf32>
  %Y = tapestry.einsum "Y" [n = 10] (%u[n], %v[n]) -> [n] {
  ^bb0(%x: f32, %y: f32):
    %m = arith.maximumf %x, %y : f32
    tapestry.yield %m : f32
  } : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  tapestry.sink "Y", %Y : tensor<10xf32>
}

// -----

// Where the body reads a label, values run on along one, elements are put in order along
// one, and a kernel has them: in its costs, too.
#smooth = #tapestry.kernel<"smooth" [b, x] (X : f32[b, x]) -> (Y : f32[b, x]) cost {b.flops = 3, point.flops = 12}>
#other = #tapestry.kernel<"smooth" [r, c] (X : f32[r, c]) -> (Y : f32[r, c]) cost {r.flops = 3, point.flops = 12}>
// CHECK-LABEL: tapestry.graph @more_shards {
// CHECK-NOT: tapestry.shard
// CHECK: tapestry.einsum "N.1.{{.*}}" [i = 4, j = 5]
// CHECK: tapestry.label "j"
// CHECK: tapestry.scan "C.1.{{.*}}" ["i", "j"] <add> along "j"
// CHECK: tapestry.sort "S.1.{{.*}}" ["i", "j"] along "j"
// CHECK: tapestry.block "B"
// CHECK-NOT: tapestry.shard
tapestry.graph @more {
  %X = tapestry.source "X" : tensor<4x5xf32>
  %N = tapestry.einsum "N" [p = 4, q = 5] (%X[p, q]) -> [p, q] {
  ^bb0(%x: f32):
    %q = tapestry.label "q"
    %i = arith.index_cast %q : index to i32
    %f = arith.sitofp %i : i32 to f32
    %s = arith.addf %x, %f : f32
    tapestry.yield %s : f32
  } : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %C = tapestry.scan "C" ["p", "q"] <add> along "q" %N : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %S = tapestry.sort "S" ["p", "q"] along "q" %C : (tensor<4x5xf32>) -> tensor<4x5xf32>
  %B = tapestry.block "B" #smooth [b = 4, x = 5] (%S) {} : (tensor<4x5xf32>) -> tensor<4x5xf32>
  tapestry.sink "B", %B : tensor<4x5xf32>
}
tapestry.graph @more_shards {
  %X = tapestry.source "X" : tensor<4x5xf32>
  %X.1 = tapestry.slice "X.1" %X [0, 0] => [3, 5] : (tensor<4x5xf32>) -> tensor<3x5xf32>
  %X.2 = tapestry.slice "X.2" %X [3, 0] => [4, 5] : (tensor<4x5xf32>) -> tensor<1x5xf32>
  %N.1 = tapestry.shard "N.1" [0, 0] => [3, 5] (%X.1) {
  ^bb0(%t: tensor<4x5xf32>):
    %w = tapestry.einsum "w" [i = 4, j = 5] (%t[i, j]) -> [i, j] {
    ^bb0(%x: f32):
      %j = tapestry.label "j"
      %i = arith.index_cast %j : index to i32
      %f = arith.sitofp %i : i32 to f32
      %s = arith.addf %x, %f : f32
      tapestry.yield %s : f32
    } : (tensor<4x5xf32>) -> tensor<4x5xf32>
    tapestry.part_of %w : tensor<4x5xf32>
  } : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %N.2 = tapestry.shard "N.2" [3, 0] => [4, 5] (%X.2) {
  ^bb0(%t: tensor<4x5xf32>):
    %w = tapestry.einsum "w" [j = 4, i = 5] (%t[j, i]) -> [j, i] {
    ^bb0(%x: f32):
      %j = tapestry.label "i"
      %i = arith.index_cast %j : index to i32
      %f = arith.sitofp %i : i32 to f32
      %s = arith.addf %x, %f : f32
      tapestry.yield %s : f32
    } : (tensor<4x5xf32>) -> tensor<4x5xf32>
    tapestry.part_of %w : tensor<4x5xf32>
  } : (tensor<1x5xf32>) -> tensor<1x5xf32>
  %N = tapestry.concat "N" %N.1, %N.2 along 0 : (tensor<3x5xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  %C.1 = tapestry.shard "C.1" [0, 0] => [3, 5] (%N.1) {
  ^bb0(%t: tensor<4x5xf32>):
    %w = tapestry.scan "w" ["i", "j"] <add> along "j" %t : (tensor<4x5xf32>) -> tensor<4x5xf32>
    tapestry.part_of %w : tensor<4x5xf32>
  } : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %C.2 = tapestry.shard "C.2" [3, 0] => [4, 5] (%N.2) {
  ^bb0(%t: tensor<4x5xf32>):
    %w = tapestry.scan "w" ["j", "i"] <add> along "i" %t : (tensor<4x5xf32>) -> tensor<4x5xf32>
    tapestry.part_of %w : tensor<4x5xf32>
  } : (tensor<1x5xf32>) -> tensor<1x5xf32>
  %C = tapestry.concat "C" %C.1, %C.2 along 0 : (tensor<3x5xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  %S.1 = tapestry.shard "S.1" [0, 0] => [3, 5] (%C.1) {
  ^bb0(%t: tensor<4x5xf32>):
    %w = tapestry.sort "w" ["i", "j"] along "j" %t : (tensor<4x5xf32>) -> tensor<4x5xf32>
    tapestry.part_of %w : tensor<4x5xf32>
  } : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %S.2 = tapestry.shard "S.2" [3, 0] => [4, 5] (%C.2) {
  ^bb0(%t: tensor<4x5xf32>):
    %w = tapestry.sort "w" ["a", "b"] along "b" %t : (tensor<4x5xf32>) -> tensor<4x5xf32>
    tapestry.part_of %w : tensor<4x5xf32>
  } : (tensor<1x5xf32>) -> tensor<1x5xf32>
  %S = tapestry.concat "S" %S.1, %S.2 along 0 : (tensor<3x5xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  %B.1 = tapestry.shard "B.1" [0, 0] => [3, 5] (%S.1) {
  ^bb0(%t: tensor<4x5xf32>):
    %w = tapestry.block "w" #other [r = 4, c = 5] (%t) {} : (tensor<4x5xf32>) -> tensor<4x5xf32>
    tapestry.part_of %w : tensor<4x5xf32>
  } : (tensor<3x5xf32>) -> tensor<3x5xf32>
  %B.2 = tapestry.shard "B.2" [3, 0] => [4, 5] (%S.2) {
  ^bb0(%t: tensor<4x5xf32>):
    %w = tapestry.block "w" #smooth [b = 4, x = 5] (%t) {} : (tensor<4x5xf32>) -> tensor<4x5xf32>
    tapestry.part_of %w : tensor<4x5xf32>
  } : (tensor<1x5xf32>) -> tensor<1x5xf32>
  %B = tapestry.concat "B" %B.1, %B.2 along 0 : (tensor<3x5xf32>, tensor<1x5xf32>) -> tensor<4x5xf32>
  tapestry.sink "B", %B : tensor<4x5xf32>
}
