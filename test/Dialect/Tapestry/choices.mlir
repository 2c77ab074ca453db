// The selectors that choose by values are einsums once they are expanded.
// RUN: tapestry-opt %s --verify-roundtrip --pass-pipeline='builtin.module(tapestry.graph(tapestry-expand))' | FileCheck %s

// CHECK-LABEL: tapestry.graph @choices
tapestry.graph @choices {
  %c = tapestry.source "c" : tensor<4x6xi1>
  %d = tapestry.source "d" : tensor<4x6xi1>
  %X = tapestry.source "X" : tensor<4x6xi8>
  %Y = tapestry.source "Y" : tensor<4x6xi8>
  // CHECK: tapestry.einsum "W" [d0 = 4, d1 = 6] (%c[d0, d1], %X[d0, d1], %d[d0, d1], %Y[d0, d1]) -> [d0, d1] {
  // CHECK-NEXT: ^bb0(%[[C:.*]]: i1, %[[A:.*]]: i8, %[[D:.*]]: i1, %[[B:.*]]: i8):
  // CHECK-NEXT: %[[S:.*]] = arith.select %[[D]], %[[B]], %[[A]] : i8
  // CHECK-NEXT: arith.select %[[C]], %[[A]], %[[S]] : i8
  %W = tapestry.operator "W" "where"(%c, %X, %d, %Y, %X)
      : (tensor<4x6xi1>, tensor<4x6xi8>, tensor<4x6xi1>, tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
  // CHECK: arith.maxui
  %M = tapestry.operator "M" "max"(%W, %Y) {unsigned} : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
  // CHECK: arith.minsi
  %N = tapestry.operator "N" "min"(%M, %X) : (tensor<4x6xi8>, tensor<4x6xi8>) -> tensor<4x6xi8>
  tapestry.sink "N", %N : tensor<4x6xi8>
}
