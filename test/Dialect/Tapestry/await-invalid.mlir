// RUN: tapestry-opt %s --split-input-file --verify-diagnostics

// One case per constraint of tapestry.await, named after it, and circles
// (graph_c3).

tapestry.graph @await_c1 {
  %x = tapestry.source "X" : tensor<4xf32>
  // expected-error @below {{awaits no point}}
  %a = "tapestry.await"(%x) {name = "A"} : (tensor<4xf32>) -> tensor<4xf32>
}

// -----

tapestry.graph @await_c1_block {
  %x = tapestry.source "X" : tensor<4xf32>
  %first = tapestry.sequence_point %x : tensor<4xf32>
  %c = tapestry.constant "C" dense<0.0> : tensor<4xf32>
  %l = tapestry.loop "t" 3 from %c : tensor<4xf32> {
  ^bb0(%y: tensor<4xf32>):
    // expected-error @below {{awaits a point that stands in another block than 'A'}}
    %a = tapestry.await "A" %y after %first : tensor<4xf32>
    tapestry.next %a : tensor<4xf32>
  }
}

// -----

tapestry.graph @await_type {
  %x = tapestry.source "X" : tensor<4xf32>
  %p = tapestry.sequence_point none
  // expected-error @below {{failed to verify that all of {input, result} have same type}}
  %a = "tapestry.await"(%x, %p) {name = "A"} : (tensor<4xf32>, !tapestry.point) -> tensor<5xf32>
}

// -----

tapestry.graph @await_c2 on #tapestry_index.grid<"d.0" = 2> {
  %x = tapestry.source "X" : tensor<4xf32>
  %p = tapestry.sequence_point none
  // expected-error @below {{has a partition of rank 2 for 1 dimension}}
  %a = tapestry.await "A" %x after %p : tensor<4xf32> partition #tapestry_index.partition<[["d.0"], []]>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @await_c3 on #grid {
  %x = tapestry.source "X" : tensor<4xf32>
  %p = tapestry.sequence_point none
  // expected-error @below {{has a home of extent 5 in dimension 0, but the tensor has extent 4}}
  %a = tapestry.await "A" %x after %p : tensor<4xf32> home #tapestry_index.layout<[5 by "d.0"] on #grid>
}

// -----

#grid = #tapestry_index.grid<"d.0" = 2>
tapestry.graph @await_c4 on #grid {
  %x = tapestry.source "X" : tensor<4xf32>
  %p = tapestry.sequence_point none
  // expected-error @below {{operand}}
  %a = tapestry.await "A" %x after %p {operand_routes = [[], []]} : tensor<4xf32> home #tapestry_index.layout<[4 by "d.0"] on #grid>
}

// -----

tapestry.graph @circle {
  %x = tapestry.source "X" : tensor<4xf32>
  // expected-error @below {{waits for itself: 'A' after a sequence point after 'C' after 'A'}}
  %a = tapestry.await "A" %x after %p : tensor<4xf32>
  %c = tapestry.copy "C" %a : (tensor<4xf32>) -> tensor<4xf32>
  %p = tapestry.sequence_point %c : tensor<4xf32>
  tapestry.sink "C", %c : tensor<4xf32>
}

// -----

tapestry.graph @circle_of_points {
  %x = tapestry.source "X" : tensor<4xf32>
  // expected-error @below {{waits for itself: a sequence point after a sequence point after a sequence point}}
  %p = tapestry.sequence_point %q, %x : !tapestry.point, tensor<4xf32>
  %q = tapestry.sequence_point %p : !tapestry.point
}

// -----

// No circle, but not in order either.
tapestry.graph @late {
  %x = tapestry.source "X" : tensor<4xf32>
  // expected-error @below {{operand #1 does not dominate this use}}
  %a = tapestry.await "A" %x after %p : tensor<4xf32>
  // expected-note @below {{operand defined here}}
  %p = tapestry.sequence_point %x : tensor<4xf32>
}
