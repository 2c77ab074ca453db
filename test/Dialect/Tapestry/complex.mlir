// RUN: tapestry-opt %s --split-input-file --verify-diagnostics | tapestry-opt --split-input-file | FileCheck %s
// RUN: tapestry-opt %s --split-input-file --verify-diagnostics --mlir-print-op-generic | tapestry-opt --split-input-file | FileCheck %s

// Elements, pads and identities may be complex.
// CHECK-LABEL: tapestry.graph @read
// CHECK: pad dense<(1.000000e+00,-2.000000e+00)> : tensor<complex<f32>>
tapestry.graph @read {
  %X = tapestry.source "X" : tensor<8x5xcomplex<f32>>
  %Y = tapestry.einsum "Y" [i = 10, j = 5] (%X[i - 1, j] pad dense<(1.0, -2.0)> : tensor<complex<f32>>) -> [i] reduce add {
  ^bb0(%x: complex<f32>):
    %m = complex.mul %x, %x : complex<f32>
    tapestry.yield %m : complex<f32>
  } : (tensor<8x5xcomplex<f32>>) -> tensor<10xcomplex<f32>>
  tapestry.sink "Y", %Y : tensor<10xcomplex<f32>>
}

// -----

// Parts that are inf or NaN are printed such that they can be read.
// CHECK-LABEL: tapestry.graph @specials
// CHECK: pad dense<(0xFF800000,0x7FC00000)> : tensor<complex<f32>>
// CHECK: identity dense<(0x7FF0000000000000,0.000000e+00)> : tensor<complex<f64>>
// CHECK: pad dense<(-0.000000e+00,0x7F800000)> : tensor<complex<f32>>
tapestry.graph @specials {
  %X = tapestry.source "X" : tensor<8xcomplex<f32>>
  %D = tapestry.source "D" : tensor<8xcomplex<f64>>
  %I = tapestry.source "I" : tensor<3xi32>
  %Y = tapestry.einsum "Y" [i = 9] (%X[i - 1] pad dense<(0xFF800000, 0x7FC00000)> : tensor<complex<f32>>) -> [i] {
  ^bb0(%x: complex<f32>):
    tapestry.yield %x : complex<f32>
  } : (tensor<8xcomplex<f32>>) -> tensor<9xcomplex<f32>>
  %Z = tapestry.einsum "Z" [i = 8] (%D[i]) -> [] reduce custom {
  ^bb0(%x: complex<f64>):
    tapestry.yield %x : complex<f64>
  } combine {
  ^bb0(%x: complex<f64>, %y: complex<f64>):
    %m = complex.mul %x, %y : complex<f64>
    tapestry.yield %m : complex<f64>
  } identity dense<(0x7FF0000000000000, 0.0)> : tensor<complex<f64>> : (tensor<8xcomplex<f64>>) -> tensor<complex<f64>>
  %G = tapestry.gather "G" ["i", "x"] = [3, 8] %X by %I at [affine_map<(i, x) -> (x)>, affine_map<(i, x) -> (i)>]
      pad dense<(-0.0, 0x7F800000)> : tensor<complex<f32>> : (tensor<8xcomplex<f32>>, tensor<3xi32>) -> tensor<3xcomplex<f32>>
  tapestry.sink "Y", %Y : tensor<9xcomplex<f32>>
  tapestry.sink "Z", %Z : tensor<complex<f64>>
  tapestry.sink "G", %G : tensor<3xcomplex<f32>>
}

// -----

tapestry.graph @einsum_c11_upstream {
  %X = tapestry.source "X" : tensor<8xcomplex<f32>>
  // expected-error @below {{pad of operand 0 is #complex.number<:f32 1.000000e+00, -2.000000e+00> : complex<f32>, expected a constant of type 'complex<f32>'}}
  %Y = tapestry.einsum "Y" [i = 9] (%X[i - 1] pad #complex.number<:f32 1.0, -2.0>) -> [i] {
  ^bb0(%x: complex<f32>):
    tapestry.yield %x : complex<f32>
  } : (tensor<8xcomplex<f32>>) -> tensor<9xcomplex<f32>>
}

// -----

tapestry.graph @einsum_c11_rank {
  %X = tapestry.source "X" : tensor<8xcomplex<f32>>
  // expected-error @below {{expected a constant of type 'complex<f32>'}}
  %Y = tapestry.einsum "Y" [i = 9] (%X[i - 1] pad dense<(1.0, -2.0)> : tensor<1xcomplex<f32>>) -> [i] {
  ^bb0(%x: complex<f32>):
    tapestry.yield %x : complex<f32>
  } : (tensor<8xcomplex<f32>>) -> tensor<9xcomplex<f32>>
}

// -----

tapestry.graph @einsum_c11_type {
  // expected-note @below {{operand 0 is defined here}}
  %X = tapestry.source "X" : tensor<8xcomplex<f32>>
  // expected-error @below {{pad of operand 0 has type 'complex<f64>', but its elements have type 'complex<f32>'}}
  %Y = tapestry.einsum "Y" [i = 9] (%X[i - 1] pad dense<(1.0, -2.0)> : tensor<complex<f64>>) -> [i] {
  ^bb0(%x: complex<f32>):
    tapestry.yield %x : complex<f32>
  } : (tensor<8xcomplex<f32>>) -> tensor<9xcomplex<f32>>
}

// -----

tapestry.graph @gather_c8 {
  %X = tapestry.source "X" : tensor<8xf32>
  %I = tapestry.source "I" : tensor<3xi32>
  // expected-error @below {{expected a constant of type 'f32'}}
  %G = tapestry.gather "G" ["i", "x"] = [3, 8] %X by %I at [affine_map<(i, x) -> (x)>, affine_map<(i, x) -> (i)>]
      pad dense<1.0> : tensor<f32> : (tensor<8xf32>, tensor<3xi32>) -> tensor<3xf32>
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
