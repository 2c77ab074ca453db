// What a block takes is priced, and said of its vertex: of a resource that it has
// costs of itself, those, of others the kernel's.

// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-convert-to-tra | FileCheck %s

// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-shard | tapestry-translate --mlir-to-dot | FileCheck %s --check-prefix=SHARD

// A shard takes what the marginal costs come to along its range, of costs of the whole
// its share: of 34 of 100 rows 170 points of 2 and 34 steps of 3.
// SHARD: [0, 0] =&gt; [34, 5]<br/><i>costs: 442 flops, 680 ram</i>>
// SHARD: [0, 0] =&gt; [34, 5]<br/><i>costs: 408 flops, 680 ram</i>>
// SHARD: [0, 0] =&gt; [34, 5]<br/><i>costs: 850 flops, 0 ram</i>>

// CHECK: comm.vertices = [{flops = 1500 : i64, name = "Y"}, {flops = 1000 : i64, name = "Z"}, {flops = 2500 : i64, name = "W"}]
#f = #tapestry.kernel<"f" [i, j] (X : f32[i, j]) -> (Y : f32[i, j]) cost {point.flops = 2, i.flops = 3, point.ram = 4}>
tapestry.graph @costs {
  %X = tapestry.source "X" : tensor<100x5xf32>
  // 500 points of 2 and 100 steps of 3 are 1300: each takes 2.6, about 3.
  %Y = tapestry.block "Y" #f [i = 100, j = 5] (%X) {} : (tensor<100x5xf32>) -> tensor<100x5xf32>
  // 1200 are 2.4 each, of which each takes 2.
  %Z = tapestry.block "Z" #f [i = 100, j = 5] (%Y) {} costs {flops = 1200 : i64} : (tensor<100x5xf32>) -> tensor<100x5xf32>
  %W = tapestry.block "W" #f [i = 100, j = 5] (%Z) {} costs {flops = 2500 : i64, ram = 0 : i64} : (tensor<100x5xf32>) -> tensor<100x5xf32>
  tapestry.sink "W", %W : tensor<100x5xf32>
}
