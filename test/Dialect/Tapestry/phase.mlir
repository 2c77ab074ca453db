// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{list=true apply=phase:Y:y:3}))' | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:Z:z:3:Y}))' | FileCheck %s --check-prefix=CHAIN
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:S:r:2}))' | FileCheck %s --check-prefix=STRIDED

// What is offered: of Z also together with Y.
// CHECK: {{^}}phase:Y:y:3{{$}}
// CHECK-NEXT: {{^}}phase:Z:z:3{{$}}
// CHECK-NEXT: {{^}}phase:Z:z:3:Y{{$}}
// CHECK: {{^}}phase:S:r:2{{$}}
// CHECK-NOT: phase:T

// Dilated windows are dense in each phase; 10 points have 4 steps of 3 phases.
// CHECK: tapestry.rewrites = {{\[\[}}"phase", "Y", "y", "3"]]
// CHECK: %[[V:.*]] = tapestry.einsum "Y.1" [d0 = 6, d1 = 3] (%X[3 * d0 + d1] pad 0.000000e+00 : f32) -> [d0, d1]
// CHECK: %[[W:.*]] = tapestry.einsum "Y.2" [y = 4, r = 3, y_phase = 3] (%[[V]][y + r, y_phase], %F[r]) -> [y, y_phase] reduce add
// CHECK: %[[Y:.*]] = tapestry.einsum "Y" [y = 10] (%[[W]][y floordiv 3, y mod 3]) -> [y]
// CHECK: tapestry.einsum "Z" [z = 4, r = 3] (%[[Y]][z + 3 * r], %F[r])

// What Z reads stays in phases.
// CHAIN: tapestry.rewrites = {{\[\[}}"phase", "Z", "z", "3", "Y"]]
// CHAIN: %[[W:.*]] = tapestry.einsum "Y.2"
// CHAIN-NOT: einsum "Y"
// CHAIN: %[[Z:.*]] = tapestry.einsum "Z.1" [z = 2, r = 3, z_phase = 3] (%[[W]][z + r, z_phase], %F[r]) -> [z, z_phase]
// CHAIN: tapestry.einsum "Z" [z = 4] (%[[Z]][z floordiv 3, z mod 3]) -> [z]

// A stride goes out of the windows where the filter is in phases, which are summed;
// the fourth tap is none.
// STRIDED: %[[V:.*]] = tapestry.einsum "S.1" [d0 = 8, d1 = 2] (%X[2 * d0 + d1 - 1] pad 0.000000e+00 : f32)
// STRIDED: %[[F:.*]] = tapestry.einsum "S.2" [d0 = 2, d1 = 2] (%F[2 * d0 + d1] pad 0.000000e+00 : f32)
// STRIDED: tapestry.einsum "S" [s = 7, r = 2, r_phase = 2] (%[[V]][s + r, r_phase], %[[F]][r, r_phase]) -> [s] reduce add {
// STRIDED: %[[R:.*]] = tapestry.label "r"
// STRIDED: %[[P:.*]] = tapestry.label "r_phase"
// STRIDED: arith.cmpi slt
// STRIDED: arith.select
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<16xf32>
  %F = tapestry.source "F" : tensor<3xf32>
  %Y = tapestry.einsum "Y" [y = 10, r = 3] (%X[y + 3 * r], %F[r]) -> [y] reduce add {
  ^bb0(%x: f32, %f: f32):
    %m = arith.mulf %x, %f : f32
    tapestry.yield %m : f32
  } : (tensor<16xf32>, tensor<3xf32>) -> tensor<10xf32>
  %Z = tapestry.einsum "Z" [z = 4, r = 3] (%Y[z + 3 * r], %F[r]) -> [z] reduce add {
  ^bb0(%x: f32, %f: f32):
    %m = arith.mulf %x, %f : f32
    tapestry.yield %m : f32
  } : (tensor<10xf32>, tensor<3xf32>) -> tensor<4xf32>
  %S = tapestry.einsum "S" [s = 7, r = 3] (%X[2 * s + r - 1] pad 0.0 : f32, %F[r]) -> [s] reduce add {
  ^bb0(%x: f32, %f: f32):
    %m = arith.mulf %x, %f : f32
    tapestry.yield %m : f32
  } : (tensor<16xf32>, tensor<3xf32>) -> tensor<7xf32>
  %T = tapestry.einsum "T" [t = 14, r = 3] (%X[t + r], %F[r]) -> [t] reduce add {
  ^bb0(%x: f32, %f: f32):
    %m = arith.mulf %x, %f : f32
    tapestry.yield %m : f32
  } : (tensor<16xf32>, tensor<3xf32>) -> tensor<14xf32>
  tapestry.sink "Z", %Z : tensor<4xf32>
  tapestry.sink "S", %S : tensor<7xf32>
  tapestry.sink "T", %T : tensor<14xf32>
}
