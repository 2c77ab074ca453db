// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-verify-shards))' | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3, "d.2" = 2>

// Uneven cuts, replicas over d.2, partial sums over d.1, a part without points.
// CHECK-LABEL: tapestry.graph @uneven
// CHECK-COUNT-3: partition
tapestry.graph @uneven on #grid {
  %A = tapestry.source "A" : tensor<5x53xf32> partition #tapestry_index.partition<[["d.0", "d.1"], []]>
    home #tapestry_index.layout<[5 by "d.1" "d.0", 53 by "d.2"] on #grid>
  %B = tapestry.source "B" : tensor<53x7xf32>
  %C = tapestry.einsum "C" [i = 5, j = 53, k = 7] (%A[i, j], %B[j, k]) -> [k, i] reduce add
      partition #tapestry_index.partition<[["d.0"], ["d.1"], []]>
      home #tapestry_index.layout<[7, 5 by "d.0" "d.1"] on #grid> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tapestry.yield %m : f32
  } : (tensor<5x53xf32>, tensor<53x7xf32>) -> tensor<7x5xf32>
  // Nothing to reduce, nothing in the index space.
  %E = tapestry.source "E" : tensor<0x3xf32> partition #tapestry_index.partition<[["d.0"], ["d.1"]]>
  tapestry.sink "C", %C : tensor<7x5xf32>
}

// What comes from outside may be given in the overlapping windows that are read.
// CHECK-LABEL: tapestry.graph @windows
tapestry.graph @windows on #grid {
  %X = tapestry.source "X" : tensor<13xf32>
    home #tapestry_index.layout<[13 = [12 by "d.0"] + [2]] on #grid>
  %S = tapestry.einsum "S" [i = 12, j = 2] (%X[i + j]) -> [i] reduce add
      partition #tapestry_index.partition<[["d.0"], []]>
      home #tapestry_index.layout<[12 by "d.0"] on #grid> {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<13xf32>) -> tensor<12xf32>
  tapestry.sink "S", %S : tensor<12xf32>
}
