// What cannot be put in phases stays, and says why.

// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:Y:y}))' 2>&1 | FileCheck %s --check-prefix=WORDS
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:Y:z:3}))' 2>&1 | FileCheck %s --check-prefix=LABEL
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:Y:y:11}))' 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:Y:r:2}))' 2>&1 | FileCheck %s --check-prefix=DENSE
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:Y:y:3:Q}))' 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:Q:y:3}))' 2>&1 | FileCheck %s --check-prefix=PARTIAL
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:P:y:3}))' 2>&1 | FileCheck %s --check-prefix=PINNED
// RUN: not tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-rewrite{apply=phase:V:i:2}))' 2>&1 | FileCheck %s --check-prefix=VIEW

// WORDS: error: rewrite 'phase' of 'Y': expected a label, the number of its phases, and einsums before it that stay in them
// LABEL: error: rewrite 'phase' of 'Y': it has no label 'z'
// COUNT: error: rewrite 'phase' of 'Y': expected 1 to 10 phases of 'y', not 11
// DENSE: error: rewrite 'phase' of 'Y': no window is denser in 2 phases of 'r'
// CHAIN: error: rewrite 'phase' of 'Y': it reads no einsum 'Q' in as many phases
// PARTIAL: error: rewrite 'phase' of 'Q': 3 phases of 10 points of 'y' have 2 points more, at which the body may not be computed
// PINNED: error: rewrite 'phase' of 'P': 'P' has 'tapestry.constraints', which is about it as it is
// VIEW: error: rewrite 'phase' of 'V': it is a view itself
tapestry.graph @g {
  %X = tapestry.source "X" : tensor<16xi32>
  %Y = tapestry.einsum "Y" [y = 10, r = 3] (%X[y + 3 * r]) -> [y] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<16xi32>) -> tensor<10xi32>
  %Q = tapestry.einsum "Q" [y = 10, r = 3] (%X[y + 3 * r], %X[y + r]) -> [y] reduce add {
  ^bb0(%x: i32, %by: i32):
    %q = arith.divsi %x, %by : i32
    tapestry.yield %q : i32
  } : (tensor<16xi32>, tensor<16xi32>) -> tensor<10xi32>
  %P = tapestry.einsum "P" [y = 10, r = 3] (%X[y + 3 * r]) -> [y] reduce add
      attributes {tapestry.constraints = [#tapestry.constraint<pin cut {y = 2}>]} {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<16xi32>) -> tensor<10xi32>
  %V = tapestry.einsum "V" [i = 8] (%X[2 * i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<16xi32>) -> tensor<8xi32>
  tapestry.sink "Y", %Y : tensor<10xi32>
  tapestry.sink "Q", %Q : tensor<10xi32>
  tapestry.sink "P", %P : tensor<10xi32>
  tapestry.sink "V", %V : tensor<8xi32>
}
