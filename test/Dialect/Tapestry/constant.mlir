// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-to-program --tapestry-convert-comm-to-runtime | FileCheck %s --check-prefix=CODE

// CHECK-LABEL: tapestry.graph @constants
tapestry.graph @constants {
  %X = tapestry.source "X" : tensor<3x2xf32>
  // CHECK: %K = tapestry.constant "K" dense<{{\[\[}}0.000000e+00, 1.000000e+00], [-4.000000e+00, 2.000000e+00], [5.000000e-01, 0x7F800000]]> : tensor<3x2xf32>
  %K = tapestry.constant "K" dense<[[0.0, 1.0], [-4.0, 2.0], [0.5, 0x7F800000]]> : tensor<3x2xf32>
  // CHECK: %B = tapestry.constant "B" dense<[true, false]> : tensor<2xi1>
  %B = tapestry.constant "B" dense<[true, false]> : tensor<2xi1>
  // CHECK: %Z = tapestry.constant "Z" dense<(1.000000e+00,-2.000000e+00)> : tensor<5xcomplex<f64>> {tapestry.constraints = [#tapestry.constraint<pin cut {d0 = 3 : i64}>]}
  %Z = tapestry.constant "Z" dense<(1.0, -2.0)> : tensor<5xcomplex<f64>> {tapestry.constraints = [#tapestry.constraint<pin cut {d0 = 3 : i64}>]}
  // CHECK: %S = tapestry.constant "S" dense<7> : tensor<i16>
  %S = tapestry.constant "S" dense<7> : tensor<i16>
  %Y = tapestry.einsum "Y" [i = 3, j = 2] (%K[i, j], %B[j], %X[i, j]) -> [i, j] {
  ^bb0(%k: f32, %b: i1, %x: f32):
    %m = arith.select %b, %k, %x : f32
    tapestry.yield %m : f32
  } : (tensor<3x2xf32>, tensor<2xi1>, tensor<3x2xf32>) -> tensor<3x2xf32>
  // Nobody reads it.
  %unread = tapestry.constant "unread" dense<1> : tensor<9xi8>
  tapestry.sink "Y", %Y : tensor<3x2xf32>
  tapestry.sink "Z", %Z : tensor<5xcomplex<f64>>
  tapestry.sink "S", %S : tensor<i16>
}

// A device takes its rows; of what is whole, all.
// PROGRAM-LABEL: func.func @constants
// PROGRAM: tapestry_index.constant dense<{{.*}}> : tensor<3x2xf32> from[%[[ROW:.*]]#0, %[[ROW]]#2] sizes[] : tensor<1x2xf32>
// PROGRAM: tapestry_index.constant dense<[true, false]> : tensor<2xi1> from[{{.*}}] sizes[] : tensor<2xi8>
// PROGRAM: tapestry_index.constant dense<(1.000000e+00,-2.000000e+00)> : tensor<5xcomplex<f64>> from[%[[PART:.*]]#0] sizes[%{{.*}}] : tensor<?xcomplex<f64>>
// PROGRAM-NOT: unread
// PROGRAM-NOT: comm.all

// CODE-DAG: memref.global "private" constant @constant.constants.0 : memref<3x2xf32> = dense<{{.*}}> {alignment = 64 : i64}
// CODE-DAG: memref.global "private" constant @{{.*}} : memref<2xi8> = dense<[1, 0]>
// CODE-DAG: memref.global "private" constant @{{.*}} : memref<5xi128> = dense<-{{[0-9]+}}>
// CODE: tensor.extract_slice
