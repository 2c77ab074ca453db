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
  // CHECK: tapestry.squeeze "F" %{{.*}} at 1 : (tensor<4x1x4xf32>) -> tensor<4x4xf32>
  %F = tapestry.squeeze "F" %D at 1 : (tensor<4x1x4xf32>) -> tensor<4x4xf32>
  // CHECK: tapestry.permute "G" %{{.*}} to [2, 0, 1] : (tensor<4x1x4xf32>) -> tensor<4x4x1xf32>
  %G = tapestry.permute "G" %D to [2, 0, 1] : (tensor<4x1x4xf32>) -> tensor<4x4x1xf32>
  // CHECK: tapestry.reverse "H" %{{.*}} along [0, 1] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %H = tapestry.reverse "H" %F along [0, 1] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK: tapestry.broadcast "I" %{{.*}} to [4, 4, 3] : (tensor<4x4x1xf32>) -> tensor<4x4x3xf32>
  %I = tapestry.broadcast "I" %G to [4, 4, 3] : (tensor<4x4x1xf32>) -> tensor<4x4x3xf32>
  // CHECK: tapestry.repeat "J" %{{.*}} along 1 times 2 : (tensor<4x4xf32>) -> tensor<4x8xf32>
  %J = tapestry.repeat "J" %H along 1 times 2 : (tensor<4x4xf32>) -> tensor<4x8xf32>
  // CHECK: tapestry.pad "K" %{{.*}} by 1.000000e+00 : f32 low [1, 0] high [0, 2] : (tensor<4x8xf32>) -> tensor<5x10xf32>
  %K = tapestry.pad "K" %J by 1.0 : f32 low [1, 0] high [0, 2] : (tensor<4x8xf32>) -> tensor<5x10xf32>
  // CHECK: tapestry.pad "L" %{{.*}} by "reflect" low [1, 0] high [0, 2] : (tensor<4x8xf32>) -> tensor<5x10xf32>
  %L = tapestry.pad "L" %J by "reflect" low [1, 0] high [0, 2] : (tensor<4x8xf32>) -> tensor<5x10xf32>
  // CHECK: tapestry.copy "M" %{{.*}} : (tensor<5x10xf32>) -> tensor<5x10xf32>
  %M = tapestry.copy "M" %K : (tensor<5x10xf32>) -> tensor<5x10xf32>
  // CHECK: tapestry.interleave "N" %{{.*}}, %{{.*}}, %{{.*}} along 0 : (tensor<5x10xf32>, tensor<5x10xf32>, tensor<4x10xf32>) -> tensor<14x10xf32>
  %short = tapestry.slice "short" %K [0, 0] => [4, 10] : (tensor<5x10xf32>) -> tensor<4x10xf32>
  %N = tapestry.interleave "N" %K, %L, %short along 0 : (tensor<5x10xf32>, tensor<5x10xf32>, tensor<4x10xf32>) -> tensor<14x10xf32>
  // CHECK: tapestry.view "O" %{{.*}} by <(d0, d1, d2) -> (3 * d2 + 1, -d0 + 9)> : (tensor<14x10xf32>) -> tensor<10x2x5xf32>
  %O = tapestry.view "O" %N by <(d0, d1, d2) -> (3 * d2 + 1, -d0 + 9)> : (tensor<14x10xf32>) -> tensor<10x2x5xf32>
  // CHECK: tapestry.einsum "E" [i = 4, j = 2] (
  %E = tapestry.einsum "E" [i = 4, j = 2] (%B[i, j]) -> [i, j] {
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
  tapestry.sink "I", %I : tensor<4x4x3xf32>
  tapestry.sink "L", %L : tensor<5x10xf32>
  tapestry.sink "M", %M : tensor<5x10xf32>
  tapestry.sink "O", %O : tensor<10x2x5xf32>
}
