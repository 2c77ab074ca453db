// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=2 --tapestry-shard -o %t.mlir
// RUN: FileCheck %s --check-prefix=SHARDS < %t.mlir
// RUN: tapestry plan %t.mlir --devices=2 > %t.plan
// RUN: tapestry compile %t.mlir --devices=3 --stop-after=relation | FileCheck %s

// A region of scalars takes its operands at all points: beside the slice that
// those have which choose it 0, and where none chooses it one cell.

// SHARDS: tapestry.slice "Z.1.0" %X [0] => [3]
// SHARDS: tapestry.slice "Z.1.1" %V [3] => [4]
// SHARDS: tapestry.slice "Z.2.0" %X [0] => [1]
// SHARDS: tapestry.slice "Z.2.1" %V [4] => [8]
// CHECK: tra.join "Z.1" [i = 4] {{.*}} (%{{.*}}[i] pad 0.000000e+00 : f32, %{{.*}}[i - 3] pad 0.000000e+00 : f32)
// CHECK: tra.join "Z.2" [i = 4] {{.*}} (%{{.*}}[0], %{{.*}}[i])
tapestry.graph @chosen {
  %X = tapestry.source "X" : tensor<8xf32>
  %V = tapestry.source "V" : tensor<8xf32>
  %Z = tapestry.einsum "Z" [i = 8] (%X[i], %V[i]) -> [i] {
  ^bb0(%x: f32, %v: f32):
    %i = tapestry.label "i"
    %c3 = arith.constant 3 : index
    %isFirst = arith.cmpi slt, %i, %c3 : index
    %z = arith.select %isFirst, %x, %v : f32
    tapestry.yield %z : f32
  } : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  tapestry.sink "Z", %Z : tensor<8xf32>
}
