// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-verify-shards --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM

// CHECK-LABEL: tapestry.graph @views
// PROGRAM-LABEL: func.func @views
tapestry.graph @views {
  %X = tapestry.source "X" : tensor<11x7xf32>
  // CHECK: tapestry.slice "A" %{{.*}} [2, 0] => [9, 7] : (tensor<11x7xf32>) -> tensor<7x7xf32>
  %A = tapestry.slice "A" %X [2, 0] => [9, 7] : (tensor<11x7xf32>) -> tensor<7x7xf32>
  // CHECK: tapestry.slice "B" %{{.*}} [1, 0] => [11, 7] by [3, 2] : (tensor<11x7xf32>) -> tensor<4x4xf32>
  %B = tapestry.slice "B" %X [1, 0] => [11, 7] by [3, 2] : (tensor<11x7xf32>) -> tensor<4x4xf32>
  // CHECK: tapestry.concat "C" %{{.*}}, %{{.*}}, %{{.*}} along 0 : (tensor<7x7xf32>, tensor<11x7xf32>, tensor<7x7xf32>) -> tensor<25x7xf32>
  %C = tapestry.concat "C" %A, %X, %A along 0 : (tensor<7x7xf32>, tensor<11x7xf32>, tensor<7x7xf32>) -> tensor<25x7xf32>
  // CHECK: tapestry.unsqueeze "D" %{{.*}} at 1 : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
  %D = tapestry.unsqueeze "D" %B at 1 : (tensor<4x4xf32>) -> tensor<4x1x4xf32>
  // CHECK: tapestry.einsum "E" [i = 4, j = 2] range [0, 5] => [4, 7] (
  %E = tapestry.einsum "E" [i = 4, j = 2] range [0, 5] => [4, 7] (%B[i, j]) -> [i, j] {
  ^bb0(%b: f32):
    %j = tapestry.label "j"
    %k = arith.index_cast %j : index to i32
    %f = arith.sitofp %k : i32 to f32
    %s = arith.addf %b, %f : f32
    tapestry.yield %s : f32
  } : (tensor<4x4xf32>) -> tensor<4x2xf32>
  tapestry.sink "C", %C : tensor<25x7xf32>
  tapestry.sink "D", %D : tensor<4x1x4xf32>
  tapestry.sink "E", %E : tensor<4x2xf32>
}
