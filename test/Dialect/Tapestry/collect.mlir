// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-plan-pipeline=devices=3 --tapestry-to-program | FileCheck %s --check-prefix=PROGRAM

// CHECK-LABEL: tapestry.graph @collects
tapestry.graph @collects {
  %X = tapestry.source "X" : tensor<13x7xf32>
  %start = tapestry.einsum "t.X.start" [b = 13, k = 7] (%X[b, k]) -> [b, k] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<13x7xf32>) -> tensor<13x7xf32>
  %zero = tapestry.einsum "t.start" [] () -> [] {
    %c = arith.constant 0 : i64
    tapestry.yield %c : i64
  } : () -> tensor<i64>
  %rows = tapestry.einsum "t.H.start" [t = 5, b = 13, k = 7] () -> [t, b, k] {
    %c = arith.constant 0.0 : f32
    tapestry.yield %c : f32
  } : () -> tensor<5x13x7xf32>
  %r:3 = tapestry.loop "t" 5 from %start, %zero, %rows : tensor<13x7xf32>, tensor<i64>, tensor<5x13x7xf32> {
  ^bb0(%x: tensor<13x7xf32>, %t: tensor<i64>, %into: tensor<5x13x7xf32>):
    %next = tapestry.einsum "t.X" [b = 13, k = 7] (%x[b, k]) -> [b, k] {
    ^bb0(%y: f32):
      %z = arith.addf %y, %y : f32
      tapestry.yield %z : f32
    } : (tensor<13x7xf32>) -> tensor<13x7xf32>
    %count = tapestry.einsum "t.count" [] (%t[]) -> [] {
    ^bb0(%n: i64):
      %c = arith.constant 1 : i64
      %m = arith.addi %n, %c : i64
      tapestry.yield %m : i64
    } : (tensor<i64>) -> tensor<i64>
    // CHECK: %[[H:.*]] = tapestry.collect "t.H" ["b", "k"] %{{.*}}, %{{.*}}, %{{.*}} : (tensor<13x7xf32>, tensor<5x13x7xf32>, tensor<i64>) -> tensor<5x13x7xf32>
    %H = tapestry.collect "t.H" ["b", "k"] %x, %into, %t : (tensor<13x7xf32>, tensor<5x13x7xf32>, tensor<i64>) -> tensor<5x13x7xf32>
    // CHECK: tapestry.next %{{.*}}, %{{.*}}, %[[H]]
    tapestry.next %next, %count, %H : tensor<13x7xf32>, tensor<i64>, tensor<5x13x7xf32>
  }
  tapestry.sink "H", %r#2 : tensor<5x13x7xf32>
}

// The rows are cut as one of them is, and nothing moves.
// PROGRAM: func.func @collects
// PROGRAM-SAME: -> (tensor<5x?x7xf32> {comm.layout = #[[HOME:.*]], comm.name = "H"
// PROGRAM: func.func @collects.t(
// PROGRAM-SAME: %[[INTO:[a-z0-9]*]]: tensor<5x?x7xf32>
// PROGRAM-NOT: comm.all_gather
// PROGRAM: %[[MOST:.*]] = arith.constant 4 : index
// PROGRAM: %[[ROW:.*]] = arith.minsi %{{.*}}, %[[MOST]] : index
// PROGRAM: tensor.insert_slice %{{.*}} into %[[INTO]][%[[ROW]], 0, 0] [1, %{{.*}}, 7] [1, 1, 1] : tensor<?x7xf32> into tensor<5x?x7xf32>

// CHECK-LABEL: tapestry.graph @complex
tapestry.graph @complex {
  %X = tapestry.source "X" : tensor<7xcomplex<f32>>
  %into = tapestry.source "Into" : tensor<5x7xcomplex<f32>>
  %t = tapestry.source "t" : tensor<i64>
  %H = tapestry.collect "H" ["b"] %X, %into, %t : (tensor<7xcomplex<f32>>, tensor<5x7xcomplex<f32>>, tensor<i64>) -> tensor<5x7xcomplex<f32>>
  tapestry.sink "H", %H : tensor<5x7xcomplex<f32>>
}

// PROGRAM: func.func @complex
// PROGRAM: tensor.insert_slice %{{.*}} into %{{.*}} : tensor<?xcomplex<f32>> into tensor<5x?xcomplex<f32>>
