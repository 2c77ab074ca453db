// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-order-contractions))' | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-order-contractions{objective=peak}))' | FileCheck %s --check-prefix=PEAK
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-order-contractions{objective=planned devices=4}))' | FileCheck %s --check-prefix=PLANNED
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-order-contractions{objective=luck}))' 2>&1 | FileCheck %s --check-prefix=LUCK

// LUCK: error: unknown objective 'luck' of contraction orders; there are flops, peak and planned

// The example of the pass's description.
// CHECK-LABEL: tapestry.graph @chain
// CHECK-SAME: tapestry.rewrites = {{\[\[}}"order", "Z", "1 2", "0 3"]]
// CHECK: %[[A:.*]] = tapestry.source "A"
// CHECK: %[[B:.*]] = tapestry.source "B"
// CHECK: %[[C:.*]] = tapestry.source "C"
// CHECK: %[[Z1:.*]] = tapestry.einsum "Z.1" [l = 4, j = 32, k = 64] (%[[B]][j, k], %[[C]][k, l]) -> [l, j] reduce add
// CHECK: arith.mulf
// CHECK: %[[Z:.*]] = tapestry.einsum "Z" [i = 8, l = 4, j = 32] (%[[A]][i, j], %[[Z1]][l, j]) -> [i, l] reduce add
// CHECK: tapestry.sink "Z", %[[Z]] : tensor<8x4xf32>
// PEAK-LABEL: tapestry.graph @chain
// PEAK: "Z.1" {{.*}} -> [l, j] reduce add
// PLANNED-LABEL: tapestry.graph @chain
// PLANNED: tapestry.einsum "Z.1"
tapestry.graph @chain {
  %A = tapestry.source "A" : tensor<8x32xf32>
  %B = tapestry.source "B" : tensor<32x64xf32>
  %C = tapestry.source "C" : tensor<64x4xf32>
  %Z = tapestry.einsum "Z" [i = 8, l = 4, j = 32, k = 64]
      (%A[i, j], %B[j, k], %C[k, l]) -> [i, l] reduce add {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    tapestry.yield %1 : f32
  } : (tensor<8x32xf32>, tensor<32x64xf32>, tensor<64x4xf32>) -> tensor<8x4xf32>
  tapestry.sink "Z", %Z : tensor<8x4xf32>
}

// Names that are taken are not given again; what is computed of one operand, of
// labels or of nothing goes along; labels of one operand alone are summed
// before; f16 sums stay f32 in between.
// CHECK-LABEL: tapestry.graph @factors
// CHECK: tapestry.einsum "Z.1"
// CHECK: %[[Z2:.*]] = tapestry.einsum "Z.2" [i = 4, k = 16] (%{{.*}}[i, k]) -> [i, k] {
// CHECK: math.exp
// CHECK: tapestry.label "i"
// CHECK: : (tensor<4x16xf16>) -> tensor<4x16xf32>
// CHECK: %[[Z3:.*]] = tapestry.einsum "Z.3" [k = 16, m = 8] (%{{.*}}[k, m]) -> [k] reduce add
// CHECK: : (tensor<16x8xf16>) -> tensor<16xf32>
// CHECK: %[[Z4:.*]] = tapestry.einsum "Z.4" [i = 4, k = 16] (%[[Z2]][i, k], %[[Z3]][k]) -> [i, k] {
// CHECK: tapestry.einsum "Z" [i = 4, j = 6, k = 16] (%{{.*}}[k, j], %[[Z4]][i, k]) -> [i, j] reduce add
// CHECK: arith.constant 5.000000e-01
// CHECK: -> tensor<4x6xf16>
tapestry.graph @factors {
  %A = tapestry.source "A" : tensor<4x16xf16>
  %B = tapestry.source "Z.1" : tensor<16x6xf16>
  %C = tapestry.source "C" : tensor<16x8xf16>
  %T = tapestry.einsum "Z.1" [i = 16, j = 6] (%B[i, j]) -> [i, j] {
  ^bb0(%b: f16):
    tapestry.yield %b : f16
  } : (tensor<16x6xf16>) -> tensor<16x6xf16>
  %Z = tapestry.einsum "Z" [i = 4, j = 6, k = 16, m = 8]
      (%A[i, k], %T[k, j], %C[k, m]) -> [i, j] reduce add {
  ^bb0(%a: f16, %b: f16, %c: f16):
    %half = arith.constant 0.5 : f32
    %wa = arith.extf %a : f16 to f32
    %wb = arith.extf %b : f16 to f32
    %wc = arith.extf %c : f16 to f32
    %e = math.exp %wa : f32
    %0 = arith.mulf %e, %half : f32
    %1 = arith.mulf %0, %wb : f32
    %i = tapestry.label "i"
    %k = tapestry.label "k"
    %below = arith.cmpi sle, %i, %k : index
    %mask = arith.uitofp %below : i1 to f32
    %2 = arith.mulf %wc, %mask : f32
    %3 = arith.mulf %1, %2 : f32
    tapestry.yield %3 : f32
  } : (tensor<4x16xf16>, tensor<16x6xf16>, tensor<16x8xf16>) -> tensor<4x6xf16>
  tapestry.sink "Z", %Z : tensor<4x6xf16>
}

// Left alone: windows, diagonals, a sum that does not distribute, integer sums
// under max, which may wrap, a product that costs as much at once, and products
// that nothing is summed of.
// CHECK-LABEL: tapestry.graph @alone
// CHECK-NOT: tapestry.rewrites
// CHECK-NOT: {{"[A-Za-z]*\.1"}}
// CHECK: tapestry.sink "last"
tapestry.graph @alone {
  %A = tapestry.source "A" : tensor<8x8xf32>
  %B = tapestry.source "B" : tensor<8x8xf32>
  %I = tapestry.source "I" : tensor<8x8xi32>
  %window = tapestry.einsum "window" [i = 7, j = 2, k = 8, l = 8]
      (%A[i + j, k], %B[k, l], %A[l, i]) -> [i] reduce add {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    tapestry.yield %1 : f32
  } : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<7xf32>
  %diagonal = tapestry.einsum "diagonal" [i = 8, k = 8, l = 8]
      (%A[k, k], %B[k, l], %A[l, i]) -> [i] reduce add {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    tapestry.yield %1 : f32
  } : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
  %sum = tapestry.einsum "sum" [i = 8, j = 8, k = 8, l = 8]
      (%A[i, j], %B[j, k], %A[k, l]) -> [i, l] reduce add {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    tapestry.yield %1 : f32
  } : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %wraps = tapestry.einsum "wraps" [i = 8, j = 8, k = 8, l = 8]
      (%I[i, j], %I[j, k], %I[k, l]) -> [i, l] reduce max {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %0 = arith.addi %a, %b : i32
    %1 = arith.addi %0, %c : i32
    tapestry.yield %1 : i32
  } : (tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
  %same = tapestry.einsum "same" [i = 8, k = 8]
      (%A[i, k], %B[i, k], %A[k, i]) -> [i] reduce add {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    tapestry.yield %1 : f32
  } : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8xf32>
  %last = tapestry.einsum "last" [i = 8, j = 8, k = 8]
      (%A[i, j], %B[j, k], %A[k, i]) -> [i, j, k] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.mulf %0, %c : f32
    tapestry.yield %1 : f32
  } : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8x8xf32>
  tapestry.sink "window", %window : tensor<7xf32>
  tapestry.sink "diagonal", %diagonal : tensor<8xf32>
  tapestry.sink "sum", %sum : tensor<8x8xf32>
  tapestry.sink "wraps", %wraps : tensor<8x8xi32>
  tapestry.sink "same", %same : tensor<8xf32>
  tapestry.sink "last", %last : tensor<8x8x8xf32>
}

// Other semirings: shortest paths, reachability, the largest bottleneck.
// CHECK-LABEL: tapestry.graph @semirings
// CHECK: "paths.1" {{.*}} reduce min
// CHECK: arith.addf
// CHECK: "reach.1" {{.*}} reduce or
// CHECK: arith.andi
// CHECK: "width.1" {{.*}} reduce max
// CHECK: arith.minsi
tapestry.graph @semirings {
  %A = tapestry.source "A" : tensor<8x8xf32>
  %B = tapestry.source "B" : tensor<8x8xi1>
  %I = tapestry.source "I" : tensor<8x8xi32>
  %paths = tapestry.einsum "paths" [i = 8, l = 8, j = 8, k = 8]
      (%A[i, j], %A[j, k], %A[k, l]) -> [i, l] reduce min {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.addf %a, %b : f32
    %1 = arith.addf %0, %c : f32
    tapestry.yield %1 : f32
  } : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %reach = tapestry.einsum "reach" [i = 8, l = 8, j = 8, k = 8]
      (%B[i, j], %B[j, k], %B[k, l]) -> [i, l] reduce or {
  ^bb0(%a: i1, %b: i1, %c: i1):
    %0 = arith.andi %a, %b : i1
    %1 = arith.andi %0, %c : i1
    tapestry.yield %1 : i1
  } : (tensor<8x8xi1>, tensor<8x8xi1>, tensor<8x8xi1>) -> tensor<8x8xi1>
  %width = tapestry.einsum "width" [i = 8, l = 8, j = 8, k = 8]
      (%I[i, j], %I[j, k], %I[k, l]) -> [i, l] reduce max {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %0 = arith.minsi %a, %b : i32
    %1 = arith.minsi %0, %c : i32
    tapestry.yield %1 : i32
  } : (tensor<8x8xi32>, tensor<8x8xi32>, tensor<8x8xi32>) -> tensor<8x8xi32>
  tapestry.sink "paths", %paths : tensor<8x8xf32>
  tapestry.sink "reach", %reach : tensor<8x8xi1>
  tapestry.sink "width", %width : tensor<8x8xi32>
}

// A divisor that is not summed over leaves the sum, as a softmax's does.
// CHECK-LABEL: tapestry.graph @quotient
// CHECK: %[[Y1:.*]] = tapestry.einsum "Y.1" {{.*}} reduce add
// CHECK: arith.mulf
// CHECK: tapestry.einsum "Y" [s = 8, d = 4] (%S[s], %[[Y1]][s, d]) -> [s, d] {
// CHECK: arith.divf
tapestry.graph @quotient {
  %E = tapestry.source "E" : tensor<8x16xf32>
  %S = tapestry.source "S" : tensor<8xf32>
  %V = tapestry.source "V" : tensor<16x4xf32>
  %Y = tapestry.einsum "Y" [s = 8, d = 4, t = 16]
      (%E[s, t], %S[s], %V[t, d]) -> [s, d] reduce add {
  ^bb0(%e: f32, %sum: f32, %v: f32):
    %0 = arith.divf %e, %sum : f32
    %1 = arith.mulf %0, %v : f32
    tapestry.yield %1 : f32
  } : (tensor<8x16xf32>, tensor<8xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  tapestry.sink "Y", %Y : tensor<8x4xf32>
}
