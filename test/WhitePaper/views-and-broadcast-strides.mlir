// White paper, "Tensor Layout Pragmatics" and "Squeeze, Unsqueeze, and Broadcast": T and
// its reversal R, A and its transposition B, V with dimensions of one cell, M with a
// broadcast one. All are subscripts of their readers; no view has cells of its own.

// RUN: tapestry-opt %s --tapestry-compose-selectors | FileCheck %s
// RUN: %python %S/Inputs/check.py views-and-broadcast-strides --devices 1

// CHECK-NOT: tapestry.{{reverse|permute|reshape|unsqueeze|broadcast}}
// CHECK: tapestry.einsum "RW" [i = 4] (%T[-i + 3], %W[i]) -> [i] {
// CHECK: tapestry.einsum "BU" [i = 3, j = 2] (%A[j, i], %U[i, j]) -> [i, j] {
// CHECK: tapestry.einsum "VW" [a = 1, b = 1, i = 4, c = 1] (%T[i], %W[i]) -> [a, b, i, c] {
// CHECK: tapestry.einsum "MP" [i = 4, j = 2] (%T[i], %P[i, j]) -> [i, j] {
tapestry.graph @views {
  %T = tapestry.source "T" : tensor<4xi64>
  %A = tapestry.source "A" : tensor<2x3xi64>
  %W = tapestry.source "W" : tensor<4xi64>
  %U = tapestry.source "U" : tensor<3x2xi64>
  %P = tapestry.source "P" : tensor<4x2xi64>
  %R = tapestry.reverse "R" %T along [0] : (tensor<4xi64>) -> tensor<4xi64>
  %B = tapestry.permute "B" %A to [1, 0] : (tensor<2x3xi64>) -> tensor<3x2xi64>
  %V1 = tapestry.unsqueeze "V1" %T at 0 : (tensor<4xi64>) -> tensor<1x4xi64>
  %V2 = tapestry.unsqueeze "V2" %V1 at 0 : (tensor<1x4xi64>) -> tensor<1x1x4xi64>
  %V = tapestry.unsqueeze "V" %V2 at 3 : (tensor<1x1x4xi64>) -> tensor<1x1x4x1xi64>
  %M1 = tapestry.unsqueeze "M1" %T at 1 : (tensor<4xi64>) -> tensor<4x1xi64>
  %M = tapestry.broadcast "M" %M1 to [4, 2] : (tensor<4x1xi64>) -> tensor<4x2xi64>
  %RW = tapestry.einsum "RW" [i = 4] (%R[i], %W[i]) -> [i] {
  ^bb0(%x: i64, %y: i64):
    %z = arith.muli %x, %y : i64
    tapestry.yield %z : i64
  } : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %BU = tapestry.einsum "BU" [i = 3, j = 2] (%B[i, j], %U[i, j]) -> [i, j] {
  ^bb0(%x: i64, %y: i64):
    %z = arith.muli %x, %y : i64
    tapestry.yield %z : i64
  } : (tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
  %VW = tapestry.einsum "VW" [a = 1, b = 1, i = 4, c = 1] (%V[a, b, i, c], %W[i]) -> [a, b, i, c] {
  ^bb0(%x: i64, %y: i64):
    %z = arith.subi %x, %y : i64
    tapestry.yield %z : i64
  } : (tensor<1x1x4x1xi64>, tensor<4xi64>) -> tensor<1x1x4x1xi64>
  %MP = tapestry.einsum "MP" [i = 4, j = 2] (%M[i, j], %P[i, j]) -> [i, j] {
  ^bb0(%x: i64, %y: i64):
    %z = arith.muli %x, %y : i64
    tapestry.yield %z : i64
  } : (tensor<4x2xi64>, tensor<4x2xi64>) -> tensor<4x2xi64>
  tapestry.sink "RW", %RW : tensor<4xi64>
  tapestry.sink "BU", %BU : tensor<3x2xi64>
  tapestry.sink "VW", %VW : tensor<1x1x4x1xi64>
  tapestry.sink "MP", %MP : tensor<4x2xi64>
}
