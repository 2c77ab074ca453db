// RUN: tapestry-opt %s --tapestry-shard=nodes -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tapestry-opt %t.mlir | FileCheck %s
// RUN: tapestry-opt %t.mlir --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %t.mlir --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %t.mlir --tapestry-unshard | FileCheck %s --check-prefix=WHOLE
// RUN: tapestry-opt %t.mlir --tapestry-join-nodes | FileCheck %s --check-prefix=JOINED
// RUN: tapestry-translate --mlir-to-dot %t.mlir | FileCheck %s --check-prefix=PICTURE

// Sources and sinks shard by shard, as in the white paper's figures.

// WHOLE: %[[X:.*]] = tapestry.source "X" from file<"x.npy"> {tapestry.unsigned} : tensor<5x3xi32>
// WHOLE-NEXT: %[[Y:.*]] = tapestry.einsum "Y"
// WHOLE: tapestry.sink "Y", %[[Y]] to file<"y.npy"> : tensor<5x3xi32>
// WHOLE-NOT: tapestry.shard
// JOINED: %[[X:.*]] = tapestry.source "X" from file<"x.npy"> {tapestry.unsigned} : tensor<5x3xi32>
// JOINED: tapestry.slice "X.1" %[[X]] [0, 0] => [3, 3]
// JOINED: tapestry.slice "X.2" %[[X]] [3, 0] => [5, 3]
// JOINED: %[[Y:.*]] = tapestry.concat "Y.parts" %{{.*}}, %{{.*}} along 0
// JOINED-NEXT: tapestry.sink "Y", %[[Y]] to file<"y.npy"> : tensor<5x3xi32>
// PICTURE: label=<Source: X<br/>[0, 0] =&gt; [3, 3]<br/>from file x.npy>
// PICTURE: label=<Source: X<br/>[3, 0] =&gt; [5, 3]<br/>from file x.npy>
// PICTURE: label=<Sink: Y<br/>[0, 0] =&gt; [3, 3]<br/>to file y.npy>
// PICTURE: label=<Sink: Y<br/>[3, 0] =&gt; [5, 3]<br/>to file y.npy>
#grid = #tapestry_index.grid<"d.0" = 2>
#home = #tapestry_index.layout<[5 by "d.0", 3] on #grid>
// CHECK-LABEL: tapestry.graph @g
tapestry.graph @g on #grid {
  // CHECK: %[[X1:.*]] = tapestry.shard "X.1" [0, 0] => [3, 3] () {
  // CHECK-NEXT: %[[T:.*]] = tapestry.source "X" from file<"x.npy"> {tapestry.unsigned} : tensor<5x3xi32>
  // CHECK-NEXT: tapestry.part_of %[[T]] : tensor<5x3xi32>
  // CHECK-NEXT: } : () -> tensor<3x3xi32>
  // CHECK: %[[X2:.*]] = tapestry.shard "X.2" [3, 0] => [5, 3] () {
  // CHECK: tapestry.concat "X" %[[X1]], %[[X2]] along 0
  %X = tapestry.source "X" from file<"x.npy"> {tapestry.unsigned} : tensor<5x3xi32>
      partition #tapestry_index.partition<[["d.0"], []]>
  %Y = tapestry.einsum "Y" [i = 5, j = 3] (%X[i, j]) -> [i, j]
      partition #tapestry_index.partition<[["d.0"], []]> home #home {
  ^bb0(%x: i32):
    %y = arith.addi %x, %x : i32
    tapestry.yield %y : i32
  } : (tensor<5x3xi32>) -> tensor<5x3xi32>
  // CHECK: %[[Y1:.*]] = tapestry.slice "Y.out.1.0" {{.*}} [0, 0] => [3, 3]
  // CHECK: tapestry.shard "Y.out.1" [0, 0] => [3, 3] (%[[Y1]]) {
  // CHECK-NEXT: ^bb0(%[[P:.*]]: tensor<5x3xi32>):
  // CHECK-NEXT: tapestry.sink "Y", %[[P]] to file<"y.npy"> : tensor<5x3xi32>
  // CHECK-NEXT: tapestry.part_of
  // CHECK-NEXT: } : (tensor<3x3xi32>) -> ()
  // CHECK: tapestry.shard "Y.out.2" [3, 0] => [5, 3]
  // CHECK-NOT: tapestry.shard
  tapestry.sink "Y", %Y to file<"y.npy"> : tensor<5x3xi32>
}
