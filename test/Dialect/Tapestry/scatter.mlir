// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM

#values = affine_map<(a, d, n) -> (n, d)>
#index = affine_map<(a, d, n) -> (n)>

// CHECK-LABEL: tapestry.graph @scatters
tapestry.graph @scatters {
  %X = tapestry.source "X" : tensor<100x6xf32>
  %H = tapestry.source "H" : tensor<f16>
  %A = tapestry.source "A" : tensor<100xi32>
  %B = tapestry.source "B" : tensor<100xi8>
  %first = tapestry.source "first" : tensor<i64>
  // CHECK: %[[C:.*]] = tapestry.require
  %C = tapestry.require "C" %first, %first {index = "A", shape = array<i64: 100>, bound = "only 3"} : tensor<i64>
  // CHECK: tapestry.scatter "S" ["A", "d", "n"] = [9, 6, 100] add %X by %A into [0] at [#{{.*}}, #{{.*}}] after %[[C]] : (tensor<100x6xf32>, tensor<100xi32>, tensor<i64>) -> tensor<9x6xf32>
  %S = tapestry.scatter "S" ["A", "d", "n"] = [9, 6, 100] add %X by %A into [0] at [#values, #index] after %C
      : (tensor<100x6xf32>, tensor<100xi32>, tensor<i64>) -> tensor<9x6xf32>
  // CHECK: tapestry.scatter "M" ["A", "B", "n"] = [9, 5, 100] max %H by %B, %A into [1, 0] at
  %M = tapestry.scatter "M" ["A", "B", "n"] = [9, 5, 100] max %H by %B, %A into [1, 0]
      at [affine_map<(a, b, n) -> ()>, affine_map<(a, b, n) -> (n)>, affine_map<(a, b, n) -> (n)>]
      : (tensor<f16>, tensor<100xi8>, tensor<100xi32>) -> tensor<9x5xf16>
  // CHECK: tapestry.scatter "L" ["A", "n"] = [9, 100] custom %H by %A into [0] at [{{.*}}] combine {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
  // CHECK-NEXT: %[[FAR:.*]] = math.absf %[[X]] : f32
  // CHECK-NEXT: arith.maximumf %[[FAR]], %[[Y]] : f32
  // CHECK: } identity 0.000000e+00 : f32 : (tensor<f16>, tensor<100xi32>) -> tensor<9xf16>
  %L = tapestry.scatter "L" ["A", "n"] = [9, 100] custom %H by %A into [0]
      at [affine_map<(a, n) -> ()>, affine_map<(a, n) -> (n)>] combine {
  ^bb0(%x: f32, %y: f32):
    %far = math.absf %x : f32
    %most = arith.maximumf %far, %y : f32
    tapestry.yield %most : f32
  } identity 0.0 : f32 : (tensor<f16>, tensor<100xi32>) -> tensor<9xf16>
  tapestry.sink "L", %L : tensor<9xf16>
  tapestry.sink "S", %S : tensor<9x6xf32>
  tapestry.sink "M", %M : tensor<9x5xf16>
}

// Sums are kept in f64, in place, and what lies outside is left out.
// PROGRAM: linalg.fill {{.*}} -> tensor<9x6xf64>
// PROGRAM: scf.for %{{.*}} iter_args(%[[SUMS:.*]] = %{{.*}}) -> (tensor<9x6xf64>)
// PROGRAM: arith.cmpi ult
// PROGRAM: scf.if
// PROGRAM: %[[ROW:.*]] = tensor.extract_slice %[[SUMS]]
// PROGRAM: linalg.generic {{.*}} outs(%[[ROW]] : tensor<6xf64>)
// PROGRAM: tensor.insert_slice {{.*}} into %[[SUMS]]
// PROGRAM: arith.truncf %{{.*}} : f64 to f32
