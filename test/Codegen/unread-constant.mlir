// What is read beside a constant is its pad, and the constant goes.
// RUN: tapestry compile %s --devices 3 --cpu=x86-64-v3 --stop-after=code | FileCheck %s
// RUN: tapestry run %s --devices 3 -o Y=%t.npy

// CHECK: llvm.func
// CHECK-NOT: memref.global
tapestry.graph @beside {
  %C = tapestry.constant "C" dense<[[-48.0, -18.0]]> : tensor<1x2xf64>
  %Y = tapestry.einsum "Y" [i = 1, j = 2] (%C[i + 1, j + 1] pad 7.5 : f64) -> [i, j] {
  ^bb0(%x: f64):
    tapestry.yield %x : f64
  } : (tensor<1x2xf64>) -> tensor<1x2xf64>
  tapestry.sink "Y", %Y : tensor<1x2xf64>
}
