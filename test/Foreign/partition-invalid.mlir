// RUN: tapestry-opt %s -split-input-file -verify-diagnostics -tapestry-partition=devices=2

tapestry.graph @far {
  %A = tapestry.source "A" : tensor<5xf32>
  // expected-error @below {{subscript '1152921504606846976 * i' of operand 0 reaches 2^62 or more}}
  %B = tapestry.einsum "B" [i = 4] (%A[1152921504606846976 * i] pad 0.0 : f32) -> [i] {
  ^bb0(%v: f32):
    tapestry.yield %v : f32
  } : (tensor<5xf32>) -> tensor<4xf32>
  tapestry.sink "B", %B : tensor<4xf32>
}

// -----

// What computes nothing that is used is no vertex.
tapestry.graph @unused {
  %A = tapestry.source "A" : tensor<5xf32>
  %c = arith.constant 3 : index
  tapestry.sink "A", %A : tensor<5xf32>
}
