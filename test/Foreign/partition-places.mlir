// Errors of the planner stand where the constraint does, once.
// RUN: not tapestry-opt %s --tapestry-partition=devices=2 2>&1 | FileCheck %s
// RUN: not tapestry-opt %s --tapestry-plan-pipeline=devices=2 2>&1 | FileCheck %s
// RUN: not tapestry-opt %s --tapestry-partition="devices=2 plan=%t.json" 2>&1 | FileCheck %s --check-prefix=FILE -DFILE=%t.json

// FILE: partition-places.mlir:[[@LINE+2]]:1: error: [[FILE]]: No such file or directory
// FILE-NOT: error:
tapestry.graph @g {
  %A = tapestry.source "A" : tensor<8x8xf32>
  // CHECK: partition-places.mlir:[[@LINE+2]]:8: error: vertex 'B': label 'i' is pinned to 3 parts, which 2 devices (d.0 = 2) cannot make
  // CHECK-NOT: error:
  %B = tapestry.einsum "B" [i = 8, k = 8] (%A[i, k]) -> [i, k] attributes {tapestry.constraints = [#tapestry.constraint<pin cut {i = 3 : i64}>]} {
  ^bb0(%arg0: f32):
    tapestry.yield %arg0 : f32
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  tapestry.sink "B", %B : tensor<8x8xf32>
}
