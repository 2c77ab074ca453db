// Operators in loops become what their rules say, too, under names of their own.
// RUN: tapestry-opt %s --verify-roundtrip --pass-pipeline='builtin.module(tapestry.graph(tapestry-expand))' | FileCheck %s
// RUN: tapestry compile %s --devices 3 --stop-after=plan > %t.mlir

// CHECK: tapestry.graph @steps attributes {tapestry.rewrites = {{\[\[}}"expand", "Start", "max-einsum"], ["expand", "Y", "linear-block"]]}
// CHECK-NOT: tapestry.operator
tapestry.graph @steps {
  %X = tapestry.source "X" : tensor<4x5xf32>
  %W = tapestry.source "W" : tensor<5x5xf32>
  %b = tapestry.source "b" : tensor<5xf32>
  %Start = tapestry.operator "Start" "max"(%X, %X) : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  // CHECK: tapestry.loop "t" 3
  %Z = tapestry.loop "t" 3 from %Start : tensor<4x5xf32> {
  ^bb0(%x: tensor<4x5xf32>):
    // CHECK: tapestry.einsum "Y.matmul"
    // CHECK: %[[Y:.*]] = tapestry.einsum "Y" [
    // CHECK: tapestry.next %[[Y]]
    %Y = tapestry.operator "Y" "linear"(%x, %W, %b)
        : (tensor<4x5xf32>, tensor<5x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
    tapestry.next %Y : tensor<4x5xf32>
  }
  tapestry.sink "Z", %Z : tensor<4x5xf32>
}
