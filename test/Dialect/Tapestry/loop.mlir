// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt --mlir-print-op-generic %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --canonicalize | FileCheck %s --check-prefix=CANONICAL

// What is carried only for itself is not carried: here number 1.
// CHECK-LABEL: tapestry.graph @loop
// CHECK: %[[LOOP:.*]]:2 = tapestry.loop "t" 100 from %[[S:.*]], %[[Z:.*]] : tensor<5xf32>, tensor<i64> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: tensor<5xf32>, %[[N:.*]]: tensor<i64>):
// CHECK: tapestry.next %[[XN:.*]], %[[NN:.*]] : tensor<5xf32>, tensor<i64> until %[[STOP:.*]] : tensor<i1>
// CHECK: tapestry.sink "X", %[[LOOP]]#0
// CANONICAL-LABEL: tapestry.graph @loop
// CANONICAL: %[[LOOP:.*]] = tapestry.loop "t" 100 from %{{[^,]*}} : tensor<5xf32> {
// CANONICAL-NOT: "t.count"
// CANONICAL: tapestry.next %[[XN:.*]] : tensor<5xf32> until %{{.*}} : tensor<i1>
// CANONICAL: tapestry.sink "X", %[[LOOP]]
tapestry.graph @loop {
  %A = tapestry.source "A" : tensor<5xf32>
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  %Z = tapestry.einsum "Z" [] () -> [] {
    %zero = arith.constant 0 : i64
    tapestry.yield %zero : i64
  } : () -> tensor<i64>
  %X, %N = tapestry.loop "t" 100 from %S, %Z : tensor<5xf32>, tensor<i64> {
  ^bb0(%x: tensor<5xf32>, %n: tensor<i64>):
    %E = tapestry.einsum "t.E" [i = 5] (%x[i]) -> [] reduce max {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<f32>
    %stop = tapestry.einsum "t.until" [] (%E[]) -> [] {
    ^bb0(%a: f32):
      %most = arith.constant 1.0 : f32
      %less = arith.cmpf olt, %a, %most : f32
      tapestry.yield %less : i1
    } : (tensor<f32>) -> tensor<i1>
    %xn = tapestry.einsum "t.X" [i = 5] (%x[i], %A[i]) -> [i] {
    ^bb0(%a: f32, %b: f32):
      %m = arith.mulf %a, %b : f32
      tapestry.yield %m : f32
    } : (tensor<5xf32>, tensor<5xf32>) -> tensor<5xf32>
    %nn = tapestry.einsum "t.count" [] (%n[]) -> [] {
    ^bb0(%a: i64):
      %one = arith.constant 1 : i64
      %m = arith.addi %a, %one : i64
      tapestry.yield %m : i64
    } : (tensor<i64>) -> tensor<i64>
    tapestry.next %xn, %nn : tensor<5xf32>, tensor<i64> until %stop : tensor<i1>
  }
  tapestry.sink "X", %X : tensor<5xf32>
}

// A loop that nobody observes is gone, whatever it holds.
// CHECK-LABEL: tapestry.graph @unseen
// CHECK: tapestry.loop "t" 3 from
// CANONICAL-LABEL: tapestry.graph @unseen
// CANONICAL-NOT: tapestry.loop
tapestry.graph @unseen {
  %A = tapestry.source "A" : tensor<5xf32>
  %S = tapestry.einsum "S" [i = 5] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  %X = tapestry.loop "t" 3 from %S : tensor<5xf32> {
  ^bb0(%x: tensor<5xf32>):
    %xn = tapestry.einsum "t.X" [i = 5] (%x[i]) -> [i] {
    ^bb0(%a: f32):
      tapestry.yield %a : f32
    } : (tensor<5xf32>) -> tensor<5xf32>
    tapestry.next %xn : tensor<5xf32>
  }
  tapestry.sink "A", %A : tensor<5xf32>
}
