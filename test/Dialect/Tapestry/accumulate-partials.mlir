// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-shard,tapestry-accumulate-partials{stack-bytes=1}))' --split-input-file | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-shard,tapestry-accumulate-partials))' --split-input-file | FileCheck %s --check-prefix=SMALL

// Three partial sums; the second is added before the third is computed.
#grid = #tapestry_index.grid<"d" = 3>
// SMALL: block = 3
// CHECK-LABEL: tapestry.graph @sum
// CHECK: %[[A:.*]] = tapestry.shard "Y.1"
// CHECK: %[[B:.*]] = tapestry.shard "Y.2"
// CHECK: %[[S:.*]] = tapestry.einsum "Y.sum" [i = 5] (%[[A]][i], %[[B]][i]) -> [i] {
// CHECK: arith.addf
// CHECK: %[[C:.*]] = tapestry.shard "Y.3"
// CHECK: %[[Y:.*]] = tapestry.einsum "Y" [i = 5] (%[[S]][i], %[[C]][i]) -> [i] {
// CHECK: arith.addf
// CHECK-NOT: block
// CHECK: tapestry.sink "Y", %[[Y]]
tapestry.graph @sum on #grid {
  %X = tapestry.source "X" : tensor<5x7xf32>
  %Y = tapestry.einsum "Y" [i = 5, j = 7] (%X[i, j]) -> [i]
      reduce add partition #tapestry_index.partition<[[], ["d"]]> {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x7xf32>) -> tensor<5xf32>
  tapestry.sink "Y", %Y : tensor<5xf32>
}

// -----

// A total that is rounded stays one operation.
#grid = #tapestry_index.grid<"d" = 2>
// CHECK-LABEL: tapestry.graph @rounded
// CHECK: block = 2
tapestry.graph @rounded on #grid {
  %X = tapestry.source "X" : tensor<5x7xf16>
  %Y = tapestry.einsum "Y" [i = 5, j = 7] (%X[i, j]) -> [i]
      reduce add partition #tapestry_index.partition<[[], ["d"]]> {
  ^bb0(%x: f16):
    %w = arith.extf %x : f16 to f32
    tapestry.yield %w : f32
  } : (tensor<5x7xf16>) -> tensor<5xf16>
  tapestry.sink "Y", %Y : tensor<5xf16>
}
