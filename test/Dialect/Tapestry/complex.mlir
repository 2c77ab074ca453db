// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | tapestry-opt --split-input-file | FileCheck %s

// Elements, pads and identities may be complex.
// CHECK-LABEL: tapestry.graph @read
// CHECK: pad #complex.number<:f32 1.000000e+00, -2.000000e+00>
tapestry.graph @read {
  %X = tapestry.source "X" : tensor<8x5xcomplex<f32>>
  %Y = tapestry.einsum "Y" [i = 10, j = 5] (%X[i - 1, j] pad #complex.number<:f32 1.0, -2.0>) -> [i] reduce add {
  ^bb0(%x: complex<f32>):
    %m = complex.mul %x, %x : complex<f32>
    tapestry.yield %m : complex<f32>
  } : (tensor<8x5xcomplex<f32>>) -> tensor<10xcomplex<f32>>
  tapestry.sink "Y", %Y : tensor<10xcomplex<f32>>
}

// -----

tapestry.graph @parts {
  // expected-error @below {{result #0 must be statically shaped tensor}}
  %X = tapestry.source "X" : tensor<8xcomplex<f16>>
}

// -----

tapestry.graph @einsum_c14 {
  %X = tapestry.source "X" : tensor<8xcomplex<f32>>
  // expected-error @below {{the body holds 'complex.exp', expected arith and math operations without side effects, or sums, products and parts of complex numbers}}
  %Y = tapestry.einsum "Y" [i = 8] (%X[i]) -> [i] {
  ^bb0(%x: complex<f32>):
    // expected-note @below {{the operation is here}}
    %e = complex.exp %x : complex<f32>
    tapestry.yield %e : complex<f32>
  } : (tensor<8xcomplex<f32>>) -> tensor<8xcomplex<f32>>
}

// -----

tapestry.graph @einsum_c15 {
  %X = tapestry.source "X" : tensor<8xcomplex<f32>>
  // expected-error @below {{monoid max does not combine values of type 'complex<f32>'}}
  %Y = tapestry.einsum "Y" [i = 8] (%X[i]) -> [] reduce max {
  ^bb0(%x: complex<f32>):
    tapestry.yield %x : complex<f32>
  } : (tensor<8xcomplex<f32>>) -> tensor<complex<f32>>
}
