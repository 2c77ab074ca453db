// White paper, "The Cost Information": the marginal costs of an index space of batch, x,
// y and k are constant along each dimension, whatever the others are. Pictures say them
// in the signature, which all shards share, and what each shard takes on the shard.

// RUN: tapestry-translate --mlir-to-dot %s | FileCheck %s --check-prefix=WHOLE
// RUN: tapestry-opt %s --tapestry-shard -o %t.mlir
// RUN: tapestry-translate --mlir-to-dot %t.mlir | FileCheck %s

// All 100 images of 8 by 8 cells and 128 filters take 100 * 1 + 8 * 4 + 8 * 4 + 128 * 128
// gpu and 100 * 1 + 8 * 8 + 8 * 8 + 128 * 64 ram.
// WHOLE: label=<<b>block</b> conv<br/>[batch, x, y, k]<br/>[0, 0, 0, 0] =&gt; [100, 8, 8, 128]<br/><i>costs: 16548 gpu, 8420 ram</i>>
// WHOLE: label=<Signature<br/>{{.*}}<i>batch: 1 gpu, 1 ram</i><br/><i>x: 4 gpu, 8 ram</i><br/><i>y: 4 gpu, 8 ram</i><br/><i>k: 128 gpu, 64 ram</i>>

// 66 images fewer take 66 * 1 less of each, 64 filters fewer 64 * 128 gpu and 64 * 64 ram.
// CHECK: [0, 0, 0, 0] =&gt; [34, 8, 8, 64]<br/><i>costs: 8290 gpu, 4258 ram</i>>
// CHECK: label=<Signature<br/>{{.*}}<i>k: 128 gpu, 64 ram</i>>
// CHECK: [0, 0, 0, 64] =&gt; [34, 8, 8, 128]<br/><i>costs: 8290 gpu, 4258 ram</i>>
// CHECK: [34, 0, 0, 0] =&gt; [68, 8, 8, 64]<br/><i>costs: 8290 gpu, 4258 ram</i>>
// CHECK: [68, 0, 0, 0] =&gt; [100, 8, 8, 64]<br/><i>costs: 8288 gpu, 4256 ram</i>>
// CHECK-NOT: Signature

#conv = #tapestry.kernel<"conv" [batch, x, y, k]
    (X : f32[batch, x : 3, y : 3], F : f32[k, *, *]) -> (Y : f32[batch, k, x, y])
    cost {batch.gpu = 1, batch.ram = 1, x.gpu = 4, x.ram = 8,
          y.gpu = 4, y.ram = 8, k.gpu = 128, k.ram = 64}>
#grid = #tapestry_index.grid<"b" = 3, "k" = 2>
tapestry.graph @g on #grid {
  %X = tapestry.source "X" : tensor<100x10x10xf32>
  %F = tapestry.source "F" : tensor<128x3x3xf32>
  %Y = tapestry.block "Y" #conv [batch = 100, x = 8, y = 8, k = 128] (%X, %F) {}
      : (tensor<100x10x10xf32>, tensor<128x3x3xf32>) -> tensor<100x128x8x8xf32>
      partition #tapestry_index.partition<[["b"], [], [], ["k"]]>
  tapestry.sink "Y", %Y : tensor<100x128x8x8xf32>
}
