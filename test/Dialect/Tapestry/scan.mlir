// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM

// CHECK-LABEL: tapestry.graph @scans
tapestry.graph @scans {
  %X = tapestry.source "X" : tensor<5x97xf16>
  %B = tapestry.source "B" : tensor<7xi1>
  // CHECK: %[[C:.*]] = tapestry.scan "C" ["n", "i"] <add> along "i" %X : (tensor<5x97xf16>) -> tensor<5x97xf32>
  %C = tapestry.scan "C" ["n", "i"] <add> along "i" %X : (tensor<5x97xf16>) -> tensor<5x97xf32>
  // CHECK: tapestry.scan "D" ["n", "i"] <max> along "n" %[[C]] : (tensor<5x97xf32>) -> tensor<5x97xbf16>
  %D = tapestry.scan "D" ["n", "i"] <max> along "n" %C : (tensor<5x97xf32>) -> tensor<5x97xbf16>
  // CHECK: tapestry.scan "E" ["k"] <xor> along "k" %B : (tensor<7xi1>) -> tensor<7xi1>
  %E = tapestry.scan "E" ["k"] <xor> along "k" %B : (tensor<7xi1>) -> tensor<7xi1>
  %K = tapestry.source "K" : tensor<5x97xi32>
  // CHECK: tapestry.scan "L" ["n", "i"] <custom> along "i" %K {tag} combine {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: i32, %[[B:.*]]: i32):
  // CHECK: %[[LAST:.*]] = arith.select %{{.*}}, %[[A]], %[[B]] : i32
  // CHECK-NEXT: tapestry.yield %[[LAST]] : i32
  // CHECK-NEXT: } identity 0 : i32 : (tensor<5x97xi32>) -> tensor<5x97xi32>
  %L = tapestry.scan "L" ["n", "i"] <custom> along "i" %K {tag} combine {
  ^bb0(%a: i32, %b: i32):
    %zero = arith.constant 0 : i32
    %is_zero = arith.cmpi eq, %b, %zero : i32
    %last = arith.select %is_zero, %a, %b : i32
    tapestry.yield %last : i32
  } identity 0 : i32 : (tensor<5x97xi32>) -> tensor<5x97xi32>
  tapestry.sink "D", %D : tensor<5x97xbf16>
  tapestry.sink "L", %L : tensor<5x97xi32>
  tapestry.sink "E", %E : tensor<7xi1>
}

// Elements, and what is carried along.
// PROGRAM: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]} ins({{.*}}xf16>) outs({{.*}}xf32>
// PROGRAM: arith.extf
// PROGRAM: %[[SUM:.*]] = arith.addf
// PROGRAM: linalg.yield %[[SUM]], %[[SUM]] : f32, f32
