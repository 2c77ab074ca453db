// RUN: tapestry-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: func @merge_equal_operands
// CHECK-SAME: %[[A:.*]]: tensor<6xf32>, %[[B:.*]]: tensor<6xf32>
func.func @merge_equal_operands(%a: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<6xf32> {
  // CHECK: tapestry.einsum "E" [i = 6] (%[[A]][i], %[[B]][i], %[[A]][-i + 5]) -> [i] {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[Z:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.mulf %[[X]], %[[X]]
  // CHECK-NEXT: %[[T:.*]] = arith.subf %[[S]], %[[Y]]
  // CHECK-NEXT: %[[U:.*]] = arith.divf %[[T]], %[[Z]]
  // CHECK-NEXT: tapestry.yield %[[U]]
  %0 = tapestry.einsum "E" [i = 6] (%a[i], %b[i], %a[i], %a[5 - i]) -> [i] {
  ^bb0(%x: f32, %y: f32, %x2: f32, %z: f32):
    %s = arith.mulf %x, %x2 : f32
    %t = arith.subf %s, %y : f32
    %u = arith.divf %t, %z : f32
    tapestry.yield %u : f32
  } : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// Different pads read different values.
// CHECK-LABEL: func @keep_different_pads
func.func @keep_different_pads(%a: tensor<6xf32>) -> tensor<6xf32> {
  // CHECK: [i + 1] pad 2.000000e+00 : f32, %{{.*}}[i + 1] pad 3.000000e+00 : f32)
  %0 = tapestry.einsum "E" [i = 6] (%a[i + 1] pad 2.0 : f32, %a[i + 1] pad 3.0 : f32) -> [i] {
  ^bb0(%x: f32, %y: f32):
    %s = arith.subf %x, %y : f32
    tapestry.yield %s : f32
  } : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: func @drop_unused_operand
// CHECK-SAME: %[[A:.*]]: tensor<6xf32>, %[[B:.*]]: tensor<3x6xf32>
func.func @drop_unused_operand(%a: tensor<6xf32>, %b: tensor<3x6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  // CHECK: tapestry.einsum "E" [i = 6] (%[[A]][i]) -> [i] {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
  // CHECK-NEXT: tapestry.yield %[[X]]
  %0 = tapestry.einsum "E" [i = 6] (%b[2, i], %a[i], %b[0, i]) -> [i] {
  ^bb0(%y: f32, %x: f32, %z: f32):
    tapestry.yield %x : f32
  } : (tensor<3x6xf32>, tensor<6xf32>, tensor<3x6xf32>) -> tensor<6xf32>
  // Label j would occur nowhere without the second operand, and a[i] is summed
  // three times.
  // CHECK: tapestry.einsum "F" [i = 6, j = 3] (%[[A]][i], %[[B]][j, i]) -> [i] reduce add {
  %1 = tapestry.einsum "F" [i = 6, j = 3] (%a[i], %b[j, i]) -> [i] reduce add {
  ^bb0(%x: f32, %y: f32):
    tapestry.yield %x : f32
  } : (tensor<6xf32>, tensor<3x6xf32>) -> tensor<6xf32>
  return %0, %1 : tensor<6xf32>, tensor<6xf32>
}

// Sinks and sequence points stay; an einsum without users goes.
// CHECK-LABEL: tapestry.graph @dead
tapestry.graph @dead {
  // CHECK-NEXT: %[[A:.*]] = tapestry.source "A"
  %A = tapestry.source "A" : tensor<6xf32>
  // CHECK-NEXT: tapestry.sequence_point %[[A]]
  %p = tapestry.sequence_point %A : tensor<6xf32>
  %0 = tapestry.einsum "unused" [i = 6] (%A[i]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK-NEXT: tapestry.sink "Z", %[[A]]
  tapestry.sink "Z", %A : tensor<6xf32>
  // CHECK-NEXT: }
}

// A label that occurs nowhere else keeps its einsum valid, used or not.
// CHECK-LABEL: func.func @label_stays
func.func @label_stays(%a: tensor<6xf32>) -> tensor<6xf32> {
  // CHECK: tapestry.label "j"
  %0 = tapestry.einsum "s" [i = 6, j = 3] (%a[i]) -> [i] reduce add {
  ^bb0(%x: f32):
    %j = tapestry.label "j"
    %c0 = arith.constant 0 : index
    %p = arith.muli %j, %c0 : index
    tapestry.yield %x : f32
  } : (tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// Every operand that stays keeps the way it takes.
// CHECK-LABEL: tapestry.graph @routes_follow
#grid = #tapestry_index.grid<"d.0" = 2>
#row = #tapestry_index.layout<[6 by "d.0"] on #grid>
#whole = #tapestry_index.layout<[6] on #grid>
tapestry.graph @routes_follow on #grid {
  %A = tapestry.source "A" : tensor<6xf32> partition #tapestry_index.partition<[["d.0"]]> home #row
  %B = tapestry.source "B" : tensor<6xf32> partition #tapestry_index.partition<[["d.0"]]> home #row
  // CHECK: tapestry.einsum "E" [i = 6] (%A[i], %B[i])
  // CHECK-SAME: operand_routes {{\[\[\], \[}}#{{[a-z0-9]+}}]]
  %E = tapestry.einsum "E" [i = 6] (%A[i], %A[i], %B[i]) -> [i]
      partition #tapestry_index.partition<[["d.0"]]> home #row operand_routes [[], [], [#whole]] {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.mulf %0, %z : f32
    tapestry.yield %1 : f32
  } : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  tapestry.sink "Z", %E : tensor<6xf32>
}
