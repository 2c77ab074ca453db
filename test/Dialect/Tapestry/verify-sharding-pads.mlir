// RUN: tapestry-opt %s --tapestry-verify-sharding=whole-file=%s | FileCheck %s
// RUN: tapestry-opt %s --tapestry-compose-selectors -o %t.mlir
// RUN: tapestry-opt %t.mlir --tapestry-verify-sharding=whole-file=%t.mlir | FileCheck %s

// What views do not say is a vertex of its own, in both graphs: a constant
// beside a tensor, and what is read of a view in steps that no piece has.

// CHECK-LABEL: tapestry.graph @pads
tapestry.graph @pads {
  %X = tapestry.source "X" : tensor<4xi32>
  %Y = tapestry.source "Y" : tensor<4xi32>
  %P = tapestry.pad "P" %X by 5 : i32 low [1] high [0] : (tensor<4xi32>) -> tensor<5xi32>
  // Once more, as another vertex.
  %Q = tapestry.pad "Q" %X by 5 : i32 low [1] high [0] : (tensor<4xi32>) -> tensor<5xi32>
  %R = tapestry.slice "R" %Q [0] => [3] : (tensor<5xi32>) -> tensor<3xi32>
  %I = tapestry.interleave "I" %X, %Y along 0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
  %E = tapestry.pad "E" %I by "edge" low [2] high [1] : (tensor<8xi32>) -> tensor<11xi32>
  %C = tapestry.concat "C" %X, %Y along 0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
  %F = tapestry.pad "F" %C by "reflect" low [2] high [3] : (tensor<8xi32>) -> tensor<13xi32>
  %S = tapestry.pad "S" %I by "symmetric" low [2] high [2] : (tensor<8xi32>) -> tensor<12xi32>
  %T = tapestry.slice "T" %S [1] => [12] by [3] : (tensor<12xi32>) -> tensor<4xi32>
  %G = tapestry.pad "G" %X by "reflect" low [2] high [2] : (tensor<4xi32>) -> tensor<8xi32>
  %V = tapestry.view "V" %G by <(d0) -> (2 * d0 + 1)> : (tensor<8xi32>) -> tensor<4xi32>
  %J = tapestry.interleave "J" %V, %Y along 0 : (tensor<4xi32>, tensor<4xi32>) -> tensor<8xi32>
  %W = tapestry.view "W" %J by <(d0) -> (-2 * d0 + 7)> : (tensor<8xi32>) -> tensor<4xi32>
  tapestry.sink "P", %P : tensor<5xi32>
  tapestry.sink "R", %R : tensor<3xi32>
  tapestry.sink "E", %E : tensor<11xi32>
  tapestry.sink "F", %F : tensor<13xi32>
  tapestry.sink "T", %T : tensor<4xi32>
  tapestry.sink "W", %W : tensor<4xi32>
}
