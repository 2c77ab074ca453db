// RUN: tapestry-opt %s --tapestry-prune | FileCheck %s

// CHECK-LABEL: tapestry.graph @chain attributes {tapestry.unread_inputs = ["C"]}
tapestry.graph @chain {
  // CHECK-NEXT: %[[A:.*]] = tapestry.source "A"
  %A = tapestry.source "A" : tensor<6xf32>
  // CHECK-NEXT: %[[B:.*]] = tapestry.source "B"
  %B = tapestry.source "B" : tensor<6xf32>
  %C = tapestry.source "C" : tensor<6xf32>
  // CHECK-NEXT: %[[SEEN:.*]] = tapestry.einsum "seen"
  %seen = tapestry.einsum "seen" [i = 6] (%A[i]) -> [] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<6xf32>) -> tensor<f32>
  // CHECK: %[[AWAITED:.*]] = tapestry.einsum "awaited"
  %awaited = tapestry.einsum "awaited" [i = 6] (%B[i]) -> [] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<6xf32>) -> tensor<f32>
  // CHECK-NOT: "unseen
  %unseen = tapestry.einsum "unseen" [i = 6] (%C[i], %A[i]) -> [i] {
  ^bb0(%x: f32, %y: f32):
    %s = arith.addf %x, %y : f32
    tapestry.yield %s : f32
  } : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  %unseen2 = tapestry.einsum "unseen2" [i = 6] (%unseen[i]) -> [] reduce max {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<6xf32>) -> tensor<f32>
  // CHECK: tapestry.sink "Z", %[[SEEN]]
  tapestry.sink "Z", %seen : tensor<f32>
  // CHECK-NEXT: tapestry.sequence_point %[[AWAITED]]
  %p = tapestry.sequence_point %awaited : tensor<f32>
  // CHECK-NEXT: }
}

// Without roots nothing is visible.
// CHECK-LABEL: tapestry.graph @nothing attributes {tapestry.unread_inputs = ["Z", "A", "B"]}
// CHECK-NEXT: }
tapestry.graph @nothing attributes {tapestry.unread_inputs = ["Z"]} {
  %A = tapestry.source "A" : tensor<6xf32>
  %B = tapestry.source "B" : tensor<6xf32>
}

// Sources are what a call gives; what else nobody sees goes.
// CHECK-LABEL: tapestry.graph private @called {
// CHECK-NEXT: tapestry.source "A"
// CHECK-NEXT: tapestry.source "U"
// CHECK-NEXT: tapestry.sink "C"
tapestry.graph private @called {
  %A = tapestry.source "A" : tensor<6xf32>
  %U = tapestry.source "U" : tensor<6xf32>
  %unseen = tapestry.einsum "unseen" [i = 6] (%U[i]) -> [i] {
  ^bb0(%u: f32):
    tapestry.yield %u : f32
  } : (tensor<6xf32>) -> tensor<6xf32>
  tapestry.sink "C", %A : tensor<6xf32>
}
tapestry.graph @caller {
  %A = tapestry.source "A" : tensor<6xf32>
  %C = tapestry.call @called(%A, %A) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  tapestry.sink "C", %C : tensor<6xf32>
}
