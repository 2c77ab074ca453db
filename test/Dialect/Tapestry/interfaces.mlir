// What upstream's passes may do with our operations.
// RUN: tapestry-opt %s --split-input-file --loop-invariant-code-motion --cse --canonicalize --resolve-ranked-shaped-type-result-dims --inline | FileCheck %s

// A body that divides may trap: it stays in a loop that may not run at all.
// CHECK-LABEL: func.func @hoist
// CHECK-NOT: arith.divsi
// CHECK: tapestry.einsum "sum"
// CHECK: scf.for
// CHECK: tapestry.einsum "ratio"
func.func @hoist(%n: index, %a: tensor<5xi32>, %b: tensor<5xi32>, %init: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %init, %y = %init) -> (tensor<5xi32>, tensor<5xi32>) {
    %ratio = tapestry.einsum "ratio" [i = 5] (%a[i], %b[i]) -> [i] {
    ^bb0(%p: i32, %q: i32):
      %d = arith.divsi %p, %q : i32
      tapestry.yield %d : i32
    } : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    %sum = tapestry.einsum "sum" [i = 5] (%a[i], %b[i]) -> [i] {
    ^bb0(%p: i32, %q: i32):
      %at = tapestry.label "i"
      %s = arith.addi %p, %q : i32
      tapestry.yield %s : i32
    } : (tensor<5xi32>, tensor<5xi32>) -> tensor<5xi32>
    scf.yield %ratio, %sum : tensor<5xi32>, tensor<5xi32>
  }
  return %r#0, %r#1 : tensor<5xi32>, tensor<5xi32>
}

// -----

// Points are neither merged nor erased, equal einsums are merged.
// CHECK-LABEL: tapestry.graph @effects
// CHECK: tapestry.einsum
// CHECK-NOT: tapestry.einsum
// CHECK: %[[P:.*]] = tapestry.sequence_point
// CHECK: %[[Q:.*]] = tapestry.sequence_point
// CHECK: tapestry.sequence_point %[[P]], %[[Q]]
// CHECK: tapestry.sink "C"
tapestry.graph @effects {
  %A = tapestry.source "A" : tensor<5xf32>
  %B = tapestry.einsum "B" [i = 5] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  %C = tapestry.einsum "B" [i = 5] (%A[i]) -> [i] {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  %p = tapestry.sequence_point %B : tensor<5xf32>
  %q = tapestry.sequence_point %C : tensor<5xf32>
  %r = tapestry.sequence_point %p, %q : !tapestry.point, !tapestry.point
  tapestry.sink "C", %C : tensor<5xf32>
}

// -----

// CHECK-LABEL: func.func @shape
// CHECK: %[[C7:.*]] = arith.constant 7 : index
// CHECK: return %[[C7]]
func.func @shape(%a: tensor<5x7xf32>) -> index {
  %c0 = arith.constant 0 : index
  %t = tapestry.einsum "t" [i = 5, j = 7] (%a[i, j]) -> [j, i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5x7xf32>) -> tensor<7x5xf32>
  %d = tensor.dim %t, %c0 : tensor<7x5xf32>
  return %d : index
}

// -----

// A function of einsums is inlined as any other.
// CHECK-LABEL: func.func @caller
// CHECK: tapestry.einsum "t"
// CHECK-NOT: call
func.func private @callee(%a: tensor<5xf32>) -> tensor<5xf32> {
  %t = tapestry.einsum "t" [i = 5] (%a[i]) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<5xf32>) -> tensor<5xf32>
  return %t : tensor<5xf32>
}
func.func @caller(%a: tensor<5xf32>) -> tensor<5xf32> {
  %t = call @callee(%a) : (tensor<5xf32>) -> tensor<5xf32>
  return %t : tensor<5xf32>
}
