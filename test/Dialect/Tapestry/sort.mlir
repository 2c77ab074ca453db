// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM

// CHECK-LABEL: tapestry.graph @sorts
tapestry.graph @sorts {
  %X = tapestry.source "X" : tensor<5x97xf16>
  %U = tapestry.source "U" : tensor<7x3xi8>
  // CHECK: tapestry.sort "S" ["n", "c"] along "c" %X : (tensor<5x97xf16>) -> tensor<5x97xf16>
  %S = tapestry.sort "S" ["n", "c"] along "c" %X : (tensor<5x97xf16>) -> tensor<5x97xf16>
  // CHECK: tapestry.sort "I" ["n", "c"] along "c" %X {descending, indices} : (tensor<5x97xf16>) -> tensor<5x5xi64>
  %I = tapestry.sort "I" ["n", "c"] along "c" %X {descending, indices} : (tensor<5x97xf16>) -> tensor<5x5xi64>
  // CHECK: tapestry.sort "T" ["k", "m"] along "k" %U {unsigned_elements} : (tensor<7x3xi8>) -> tensor<7x3xi8>
  %T = tapestry.sort "T" ["k", "m"] along "k" %U {unsigned_elements} : (tensor<7x3xi8>) -> tensor<7x3xi8>
  tapestry.sink "S", %S : tensor<5x97xf16>
  tapestry.sink "I", %I : tensor<5x5xi64>
  tapestry.sink "T", %T : tensor<7x3xi8>
}

// Few of many are selected; what lies otherwise is turned.
// PROGRAM: tapestry_index.sort {{.*}} {most = 97 : i64, tapestry.vertex = "S"} : tensor<?x97xf16> -> tensor<?x97xf16>
// PROGRAM: tapestry_index.sort {{.*}} {descending, indices, most = 5 : i64, select, tapestry.vertex = "I"} : tensor<?x97xf16> -> tensor<?x5xi64>
// PROGRAM: %[[ROWS:.*]] = linalg.transpose
// PROGRAM: %[[SORTED:.*]] = tapestry_index.sort %[[ROWS]] {{.*}} unsigned_elements}
// PROGRAM: linalg.transpose ins(%[[SORTED]]
