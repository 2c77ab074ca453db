// Global rules find their patterns wherever they come from, to a fixed point.
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-apply-rules))' | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-apply-rules{rules=linear-fold,fuse-elementwise}))' | FileCheck %s --check-prefix=BODY
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-apply-rules{rules=linear-fold}))' | FileCheck %s --check-prefix=FOLD
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{list=true apply={rule:Y:linear-fold}}))' | FileCheck %s --check-prefixes=STEP

// What does not apply says why.
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:Pinned:linear-fold}))' 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:Escaping:linear-fold}))' 2>&1 | FileCheck %s --check-prefix=ESCAPES
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:Y:fuse-elementwise}))' 2>&1 | FileCheck %s --check-prefix=UNFUSED
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:X:linear-fold}))' 2>&1 | FileCheck %s --check-prefix=ROOT
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:Y:linear-sum}))' 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=rule:Y}))' 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-apply-rules{rules=linear-unfold}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-apply-rules{most=1}))' 2>&1 | FileCheck %s --check-prefix=MOST

// PINNED: rewrite 'rule' of 'Pinned': 'k' of 'T' is asked to be cut
// ESCAPES: rewrite 'rule' of 'Escaping': 'U' is read elsewhere too
// UNFUSED: rewrite 'rule' of 'Y': it has no elementwise producer to itself
// ROOT: rewrite 'rule' of 'X': 'linear-fold' starts from 'tapestry.einsum', not from 'tapestry.source'
// LOCAL: rewrite 'rule' of 'Y': there is no global rule 'linear-sum'; there are: 'linear-fold', 'fuse-elementwise', 'fuse-producer'
// NONE: rewrite 'rule' of 'Y': expected one rule, not 0
// UNKNOWN: apply-rules.mlir:[[# @LINE + 36]]:1: error: there is no global rule 'linear-unfold'; there are: 'linear-fold', 'fuse-elementwise', 'fuse-producer'
// MOST: apply-rules.mlir:[[# @LINE + 35]]:1: error: rules still apply after 1 rewrites; the last were 'linear-fold' of 'Y', 'fuse-elementwise' of 'ReLU'

// STEP: {{^}}rule:Y:linear-fold{{$}}
// STEP-NEXT: {{^}}rule:Y:fuse-producer{{$}}
// STEP-NEXT: module
// STEP: tapestry.rewrites = {{\[\[}}"rule", "Y", "linear-fold"]]
// STEP: tapestry.einsum "T"

// The sum may be read in any order of operands and dimensions.
// FOLD: tapestry.rewrites = {{\[\[}}"rule", "Y", "linear-fold"]]
// FOLD-NOT: "P"
// FOLD: %[[S:.*]] = tapestry.einsum "S" [n = 4, m = 5, k = 6] (%W[m, k], %X[n, k]) -> [n, m] reduce add attributes {tapestry.constraints = [#tapestry.constraint<pin cut {k = 1 : i64}>]} {
// FOLD: arith.mulf
// FOLD: tapestry.einsum "Y" [n = 4, m = 5] (%b[m], %[[S]][n, m]) -> [n, m] {
// FOLD: tapestry.einsum "ReLU" [n = 4, m = 5] (%Y[n, m]) -> [n, m] {

// Sum and ReLU have one body where nothing else reads what lies between.
// BODY: ["rule", "Y", "linear-fold"]
// BODY-SAME: ["rule", "ReLU", "fuse-elementwise"]
// BODY-NOT: einsum "Y"
// BODY: tapestry.einsum "ReLU" [n = 4, m = 5] (%b[m], %S[n, m]) -> [n, m] {
// BODY: arith.addf
// BODY: arith.maximumf

// Linear and ReLU are one vertex then.
// CHECK: ["rule", "Y", "linear-fold"]
// CHECK-SAME: ["rule", "ReLU", "fuse-elementwise"]
// CHECK-SAME: ["rule", "ReLU", "fuse-producer"]
// CHECK-NOT: einsum "Y"
// CHECK: %ReLU = tapestry.fused "ReLU" (%W, %X, %b) {
// CHECK-NEXT: ^bb0(%[[W:.*]]: tensor<5x6xf32>, %[[X:.*]]: tensor<4x6xf32>, %[[B:.*]]: tensor<5xf32>):
// CHECK-NEXT: tapestry.einsum "S" [n = 4, m = 5, k = 6] (%[[W]][m, k], %[[X]][n, k]) -> [n, m] reduce add
// CHECK: tapestry.einsum "ReLU" [n = 4, m = 5] (%[[B]][m], %S[n, m]) -> [n, m] {
// CHECK: arith.addf
// CHECK: arith.maximumf
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<4x6xf32>
  %W = tapestry.source "W" : tensor<5x6xf32>
  %b = tapestry.source "b" : tensor<5xf32>
  %P = tapestry.einsum "P" [m = 5, k = 6, n = 4] (%W[m, k], %X[n, k]) -> [m, k, n] {
  ^bb0(%w: f32, %x: f32):
    %0 = arith.mulf %x, %w : f32
    tapestry.yield %0 : f32
  } : (tensor<5x6xf32>, tensor<4x6xf32>) -> tensor<5x6x4xf32>
  %S = tapestry.einsum "S" [n = 4, m = 5, k = 6] (%P[m, k, n]) -> [n, m] reduce add {
  ^bb0(%p: f32):
    tapestry.yield %p : f32
  } : (tensor<5x6x4xf32>) -> tensor<4x5xf32>
  %Y = tapestry.einsum "Y" [n = 4, m = 5] (%b[m], %S[n, m]) -> [n, m] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    tapestry.yield %2 : f32
  } : (tensor<5xf32>, tensor<4x5xf32>) -> tensor<4x5xf32>
  %ReLU = tapestry.einsum "ReLU" [n = 4, m = 5] (%Y[n, m]) -> [n, m] {
  ^bb0(%0: f32):
    %zero = arith.constant 0.0 : f32
    %1 = arith.maximumf %0, %zero : f32
    tapestry.yield %1 : f32
  } : (tensor<4x5xf32>) -> tensor<4x5xf32>
  tapestry.sink "ReLU", %ReLU : tensor<4x5xf32>

  %Q = tapestry.einsum "Q" [n = 4, k = 6, m = 5] (%X[n, k], %W[m, k]) -> [n, k, m] {
  ^bb0(%x: f32, %w: f32):
    %0 = arith.mulf %x, %w : f32
    tapestry.yield %0 : f32
  } : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x6x5xf32>
  %T = tapestry.einsum "T" [n = 4, m = 5, k = 6] (%Q[n, k, m]) -> [n, m] reduce add
      attributes {tapestry.constraints = [#tapestry.constraint<pin cut {k = 2}>]} {
  ^bb0(%p: f32):
    tapestry.yield %p : f32
  } : (tensor<4x6x5xf32>) -> tensor<4x5xf32>
  %Pinned = tapestry.einsum "Pinned" [n = 4, m = 5] (%T[n, m], %b[m]) -> [n, m] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    tapestry.yield %2 : f32
  } : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  tapestry.sink "Pinned", %Pinned : tensor<4x5xf32>

  %R = tapestry.einsum "R" [n = 4, k = 6, m = 5] (%X[n, k], %W[m, k]) -> [n, k, m] {
  ^bb0(%x: f32, %w: f32):
    %0 = arith.mulf %x, %w : f32
    tapestry.yield %0 : f32
  } : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x6x5xf32>
  %U = tapestry.einsum "U" [n = 4, m = 5, k = 6] (%R[n, k, m]) -> [n, m] reduce add {
  ^bb0(%p: f32):
    tapestry.yield %p : f32
  } : (tensor<4x6x5xf32>) -> tensor<4x5xf32>
  %Escaping = tapestry.einsum "Escaping" [n = 4, m = 5] (%U[n, m], %b[m]) -> [n, m] {
  ^bb0(%0: f32, %1: f32):
    %2 = arith.addf %0, %1 : f32
    tapestry.yield %2 : f32
  } : (tensor<4x5xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  tapestry.sink "Escaping", %Escaping : tensor<4x5xf32>
  tapestry.sink "U", %U : tensor<4x5xf32>
}
