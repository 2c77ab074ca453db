// RUN: tapestry-opt %s --tapestry-shard --tapestry-print-tasks --split-input-file -o /dev/null | FileCheck %s

// The example of the pass' description.
#grid = #tapestry_index.grid<"d.0" = 2>
// CHECK: tasks of g: 2 shards, 2 kernels
// CHECK-NEXT: chunk 0: f32[5, 3] input 'X'
// CHECK-NEXT: view 0: f32[3, 3] of chunk 0 from 0 by [3, 1]
// CHECK-NEXT: chunk 1: f32[3] 'Y.1'
// CHECK-NEXT: shard 'Y.1' of 'Y': kernel 0, views [0], chunks [1], 9 operations
// CHECK-NEXT: view 1: f32[2, 3] of chunk 0 from 9 by [3, 1]
// CHECK-NEXT: chunk 2: f32[2] 'Y.2'
// CHECK-NEXT: shard 'Y.2' of 'Y': kernel 1, views [1], chunks [2], 6 operations
// CHECK-NEXT: copy 2: f32[5]
// CHECK-NEXT:   [0] to [3] of chunk 1 from 0 by [1]
// CHECK-NEXT:   [3] to [5] of chunk 2 from 0 by [1]
// CHECK-NEXT: output 'Y': view 2
tapestry.graph @g on #grid {
  %X = tapestry.source "X" : tensor<5x3xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 3] (%X[i, j]) -> [i]
      reduce add partition #tapestry_index.partition<[["d.0"], []]> {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x3xf32>) -> tensor<5xf32>
  tapestry.sink "Y", %Y : tensor<5xf32>
}

// -----

// Replicas are one shard, equal shards one kernel, and stacked rows a copy.
#grid = #tapestry_index.grid<"a" = 2, "b" = 2>
// CHECK: tasks of product: 3 shards, 2 kernels
// CHECK-NEXT: chunk 0: f32[4, 6] input 'X'
// CHECK-NEXT: chunk 1: f32[6, 2] input 'W'
// CHECK-NEXT: view 0: f32[4, 3] of chunk 0 from 0 by [6, 1]
// CHECK-NEXT: view 1: f32[3, 2] of chunk 1 from 0 by [2, 1]
// CHECK-NEXT: chunk 2: f32[4, 2] 'Y.1'
// CHECK-NEXT: shard 'Y.1' of 'Y': kernel 0, views [0, 1], chunks [2], 48 operations
// CHECK-NEXT: view 2: f32[4, 3] of chunk 0 from 3 by [6, 1]
// CHECK-NEXT: view 3: f32[3, 2] of chunk 1 from 6 by [2, 1]
// CHECK-NEXT: chunk 3: f32[4, 2] 'Y.2'
// CHECK-NEXT: shard 'Y.2' of 'Y': kernel 0, views [2, 3], chunks [3], 48 operations
// CHECK-NEXT: copy 4: f32[2, 4, 2]
// CHECK-NEXT:   [0, 0, 0] to [1, 4, 2] of chunk 2 from 0 by [0, 2, 1]
// CHECK-NEXT:   [1, 0, 0] to [2, 4, 2] of chunk 3 from 0 by [0, 2, 1]
// CHECK-NEXT: chunk 4: f32[4, 2] 'Y'
// CHECK-NEXT: shard 'Y' of 'Y': kernel 1, views [4], chunks [4], 16 operations
// CHECK-NEXT: view 5: f32[4, 2] of chunk 4 from 0 by [2, 1]
// CHECK-NEXT: output 'Y': view 5
tapestry.graph @product on #grid {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<6x2xf32>
  %Y = tapestry.einsum "Y" [i = 4, j = 2, k = 6] (%X[i, k], %W[k, j]) -> [i, j]
      reduce add partition #tapestry_index.partition<[[], [], ["b"]]> {
  ^bb0(%x: f32, %w: f32):
    %m = arith.mulf %x, %w : f32
    tapestry.yield %m : f32
  } : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  tapestry.sink "Y", %Y : tensor<4x2xf32>
}

// -----

// Selectors are views: turned around, in steps, seen often; what they lie on is
// there once. A constant beside a tensor, and a copy, are shards.
#grid = #tapestry_index.grid<"d" = 2>
// CHECK: tasks of selectors: 1 shard, 1 kernel
// CHECK-NEXT: chunk 0: u8[4, 6] input 'X'
// CHECK-NEXT: view 0: i8[3, 4] of chunk 0 from 19 by [2, -6]
// CHECK-NEXT: chunk 1: i8[3, 4] 'C'
// CHECK-NEXT: shard 'C' of 'C': kernel 0, views [0], chunks [1], 0 operations
// CHECK-NEXT: output 'S': view 0
// CHECK-NEXT: view 1: i8[3, 4] of chunk 1 from 0 by [4, 1]
// CHECK-NEXT: output 'C': view 1
tapestry.graph @selectors on #grid {
  %X = tapestry.source "X" {tapestry.unsigned} : tensor<4x6xi8>
  %R = tapestry.reverse "R" %X along [0] : (tensor<4x6xi8>) -> tensor<4x6xi8>
  %P = tapestry.permute "P" %R to [1, 0] : (tensor<4x6xi8>) -> tensor<6x4xi8>
  %S = tapestry.slice "S" %P [1, 0] => [6, 4] by [2, 1] : (tensor<6x4xi8>) -> tensor<3x4xi8>
  %C = tapestry.copy "C" %S : (tensor<3x4xi8>) -> tensor<3x4xi8>
  tapestry.sink "S", %S {tapestry.unsigned} : tensor<3x4xi8>
  tapestry.sink "C", %C : tensor<3x4xi8>
}

// -----

// Shards that read where they are have kernels of their own.
#grid = #tapestry_index.grid<"d" = 2>
// CHECK: tasks of places: 2 shards, 2 kernels
// CHECK-NEXT: chunk 0: i64[2] 'Y.1'
// CHECK-NEXT: shard 'Y.1' of 'Y': kernel 0, views [], chunks [0], 0 operations
// CHECK-NEXT: chunk 1: i64[2] 'Y.2'
// CHECK-NEXT: shard 'Y.2' of 'Y': kernel 1, views [], chunks [1], 0 operations
// CHECK-NEXT: copy 0: i64[4]
// CHECK-NEXT:   [0] to [2] of chunk 0 from 0 by [1]
// CHECK-NEXT:   [2] to [4] of chunk 1 from 0 by [1]
// CHECK-NEXT: output 'Y': view 0
tapestry.graph @places on #grid {
  %Y = tapestry.einsum "Y" [i = 4] () -> [i] partition #tapestry_index.partition<[["d"]]> {
    %i = tapestry.label "i"
    %v = arith.index_cast %i : index to i64
    tapestry.yield %v : i64
  } : () -> tensor<4xi64>
  tapestry.sink "Y", %Y : tensor<4xi64>
}

// -----

// A constant around a tensor is what the pieces of a copy leave out; rows that
// take turns are boxes of their own.
#grid = #tapestry_index.grid<"d" = 1>
// CHECK: tasks of pieces: 0 shards, 0 kernels
// CHECK-NEXT: chunk 0: f32[2, 3] input 'X'
// CHECK-NEXT: copy 0: f32[3, 5] on bytes 0000E040
// CHECK-NEXT:   [1, 0] to [3, 3] of chunk 0 from 0 by [3, 1]
// CHECK-NEXT: output 'P': view 0
// CHECK-NEXT: copy 1: f32[4, 3]
// CHECK-NEXT:   [0, 0] to [1, 3] of chunk 0 from 0 by [0, 1]
// CHECK-NEXT:   [2, 0] to [3, 3] of chunk 0 from 3 by [0, 1]
// CHECK-NEXT:   [1, 0] to [2, 3] of chunk 0 from 2 by [0, -1]
// CHECK-NEXT:   [3, 0] to [4, 3] of chunk 0 from 5 by [0, -1]
// CHECK-NEXT: output 'N': view 1
tapestry.graph @pieces on #grid {
  %X = tapestry.source "X" : tensor<2x3xf32>
  %P = tapestry.pad "P" %X by 7.0 : f32 low [1, 0] high [0, 2] : (tensor<2x3xf32>) -> tensor<3x5xf32>
  %R = tapestry.reverse "R" %X along [1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %N = tapestry.interleave "N" %X, %R along 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  tapestry.sink "P", %P : tensor<3x5xf32>
  tapestry.sink "N", %N : tensor<4x3xf32>
}
