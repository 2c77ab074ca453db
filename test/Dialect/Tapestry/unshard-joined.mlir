// RUN: tapestry-opt %s --tapestry-unshard --split-input-file | FileCheck %s
// RUN: tapestry-opt %S/../../WhitePaper/expression-graph.mlir --tapestry-shard --tapestry-compose-selectors | tapestry-opt --tapestry-unshard | FileCheck %s --check-prefix=PAPER

// The concatenation that shards read past is there again.
// PAPER: %[[A:.*]] = tapestry.concat "{{.*}}" %A.1, %A.2 along 0
// PAPER: %[[C:.*]] = tapestry.einsum "C" [n = 1000, c = 10] (%[[A]][n, c], %B[c]) -> [n, c] {
// PAPER: tapestry.sink "C", %[[C]]
// PAPER-NOT: tapestry.shard

// Two tensors beside each other and one below, of which blocks read overlapping rows; a
// second operation is of what the first one makes, without its concatenation.
// CHECK-LABEL: tapestry.graph @halos {
// CHECK: %[[ABC:.*]] = tapestry.concat "{{.*}}" %{{.*}}, %C along 0 : (tensor<2x5xi32>, tensor<1x5xi32>)
// CHECK: %[[Y:.*]] = tapestry.einsum "{{.*}}" [i = 2, j = 5, k = 2] (%[[ABC]][i + k, j]) -> [i, j] reduce add {
// CHECK: %[[Z:.*]] = tapestry.einsum "Z" [i = 2, j = 5] (%[[Y]][i, j]) -> [i, j]
// CHECK-NOT: tapestry.shard
// CHECK: tapestry.sink "Z", %[[Z]]
tapestry.graph @halos {
  %A = tapestry.source "A" : tensor<2x3xi32>
  %B = tapestry.source "B" : tensor<2x2xi32>
  %C = tapestry.source "C" : tensor<1x5xi32>
  %h1 = tapestry.concat "h1" %A, %B along 1 : (tensor<2x3xi32>, tensor<2x2xi32>) -> tensor<2x5xi32>
  %A2 = tapestry.slice "A2" %A [1, 0] => [2, 3] : (tensor<2x3xi32>) -> tensor<1x3xi32>
  %B2 = tapestry.slice "B2" %B [1, 0] => [2, 2] : (tensor<2x2xi32>) -> tensor<1x2xi32>
  %AB2 = tapestry.concat "AB2" %A2, %B2 along 1 : (tensor<1x3xi32>, tensor<1x2xi32>) -> tensor<1x5xi32>
  %h2 = tapestry.concat "h2" %AB2, %C along 0 : (tensor<1x5xi32>, tensor<1x5xi32>) -> tensor<2x5xi32>
  %Y1 = tapestry.shard "Y1" [0, 0, 0] => [1, 5, 2] (%h1) {
  ^bb0(%t: tensor<3x5xi32>):
    %w = tapestry.einsum "w" [i = 2, j = 5, k = 2] (%t[i + k, j]) -> [i, j] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<3x5xi32>) -> tensor<2x5xi32>
    tapestry.part_of %w : tensor<2x5xi32>
  } : (tensor<2x5xi32>) -> tensor<1x5xi32>
  %Y2 = tapestry.shard "Y2" [1, 0, 0] => [2, 5, 2] (%h2) {
  ^bb0(%t: tensor<3x5xi32>):
    %w = tapestry.einsum "w" [i = 2, j = 5, k = 2] (%t[i + k, j]) -> [i, j] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<3x5xi32>) -> tensor<2x5xi32>
    tapestry.part_of %w : tensor<2x5xi32>
  } : (tensor<2x5xi32>) -> tensor<1x5xi32>
  %Z1 = tapestry.shard "Z1" [0, 0] => [1, 5] (%Y1) {
  ^bb0(%t: tensor<2x5xi32>):
    %w = tapestry.einsum "w" [i = 2, j = 5] (%t[i, j]) -> [i, j] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<2x5xi32>) -> tensor<2x5xi32>
    tapestry.part_of %w : tensor<2x5xi32>
  } : (tensor<1x5xi32>) -> tensor<1x5xi32>
  %Z2 = tapestry.shard "Z2" [1, 0] => [2, 5] (%Y2) {
  ^bb0(%t: tensor<2x5xi32>):
    %w = tapestry.einsum "w" [i = 2, j = 5] (%t[i, j]) -> [i, j] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<2x5xi32>) -> tensor<2x5xi32>
    tapestry.part_of %w : tensor<2x5xi32>
  } : (tensor<1x5xi32>) -> tensor<1x5xi32>
  %Z = tapestry.concat "Z" %Z1, %Z2 along 0 : (tensor<1x5xi32>, tensor<1x5xi32>) -> tensor<2x5xi32>
  tapestry.sink "Z", %Z : tensor<2x5xi32>
}

// -----

// Blocks of two operations in any order: what they read and who reads them tells which go
// together.
// CHECK-LABEL: tapestry.graph @two {
// CHECK-DAG: %[[A:.*]] = tapestry.concat "{{.*}}" %A1, %A2 along 0
// CHECK-DAG: %[[B:.*]] = tapestry.concat "{{.*}}" %B1, %B2 along 0
// CHECK-DAG: %[[Y:.*]] = tapestry.einsum "Y" [i = 4] (%[[A]][i]) -> [i]
// CHECK-DAG: %[[Z:.*]] = tapestry.einsum "Z" [i = 4] (%[[B]][i]) -> [i]
// CHECK-NOT: tapestry.shard
tapestry.graph @two {
  %A1 = tapestry.source "A1" : tensor<2xi32>
  %A2 = tapestry.source "A2" : tensor<2xi32>
  %B1 = tapestry.source "B1" : tensor<2xi32>
  %B2 = tapestry.source "B2" : tensor<2xi32>
  %a = tapestry.shard "a" [0] => [2] (%A1) {
  ^bb0(%t: tensor<4xi32>):
    %w = tapestry.einsum "w" [i = 4] (%t[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.shard "b" [0] => [2] (%B1) {
  ^bb0(%t: tensor<4xi32>):
    %w = tapestry.einsum "w" [i = 4] (%t[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %c = tapestry.shard "c" [2] => [4] (%B2) {
  ^bb0(%t: tensor<4xi32>):
    %w = tapestry.einsum "w" [i = 4] (%t[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %d = tapestry.shard "d" [2] => [4] (%A2) {
  ^bb0(%t: tensor<4xi32>):
    %w = tapestry.einsum "w" [i = 4] (%t[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %Y = tapestry.concat "Y" %a, %d along 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  %Z = tapestry.concat "Z" %b, %c along 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  tapestry.sink "Y", %Y : tensor<4xi32>
  tapestry.sink "Z", %Z : tensor<4xi32>
}

// -----

// One block reads what comes of the other: no operation computes both at once.
// CHECK-LABEL: tapestry.graph @follows {
// CHECK-COUNT-2: tapestry.shard
// CHECK: tapestry.concat "Y"
tapestry.graph @follows {
  %X = tapestry.source "X" : tensor<2xi32>
  %a = tapestry.shard "a" [0] => [2] (%X) {
  ^bb0(%t: tensor<4xi32>):
    %w = tapestry.einsum "w" [i = 4] (%t[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %S = tapestry.sort "S" ["i"] along "i" %a : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.shard "b" [2] => [4] (%S) {
  ^bb0(%t: tensor<4xi32>):
    %w = tapestry.einsum "w" [i = 4] (%t[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %Y = tapestry.concat "Y" %a, %b along 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  tapestry.sink "Y", %Y : tensor<4xi32>
}
