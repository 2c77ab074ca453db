// RUN: tapestry-opt %s --tapestry-unshard --split-input-file | FileCheck %s

// Partial values that sums combine, without a stack: one after another, in any order, as
// long as some are missing in between.
// CHECK-LABEL: tapestry.graph @chain
// CHECK: %[[Y:.*]] = tapestry.einsum "Y" [i = 6, n = 2] (%X[i, n]) -> [n] reduce add {
// CHECK: tapestry.sink "Y", %[[Y]]
// CHECK-NOT: tapestry.einsum
// CHECK-NOT: tapestry.shard
tapestry.graph @chain {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %sone = tapestry.slice "sone" %X [0, 0] => [2, 2] : (tensor<6x2xi32>) -> tensor<2x2xi32>
  %one = tapestry.shard "one" [0, 0] => [2, 2] (%sone) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  %stwo = tapestry.slice "stwo" %X [2, 0] => [5, 2] : (tensor<6x2xi32>) -> tensor<3x2xi32>
  %two = tapestry.shard "two" [2, 0] => [5, 2] (%stwo) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<3x2xi32>) -> tensor<2xi32>
  %sthree = tapestry.slice "sthree" %X [5, 0] => [6, 2] : (tensor<6x2xi32>) -> tensor<1x2xi32>
  %three = tapestry.shard "three" [5, 0] => [6, 2] (%sthree) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<1x2xi32>) -> tensor<2xi32>
  %outer = tapestry.einsum "outer" [n = 2] (%three[n], %one[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %z = arith.addi %a0, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %Y = tapestry.einsum "Y" [n = 2] (%outer[n], %two[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %z = arith.addi %a0, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}

// -----

// A sum of more than two, in another order; the cells come in two blocks, one of which is
// a part that is read by a subscript, and has a stack of its own.
// CHECK-LABEL: tapestry.graph @blocks
// CHECK: %[[Y:.*]] = tapestry.einsum "Y" [i = 6, n = 2] (%X[i, n]) -> [n] reduce add {
// CHECK: tapestry.sink "Y", %[[Y]]
// CHECK-NOT: tapestry.einsum
// CHECK-NOT: tapestry.shard
tapestry.graph @blocks {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %sone = tapestry.slice "sone" %X [0, 0] => [2, 2] : (tensor<6x2xi32>) -> tensor<2x2xi32>
  %one = tapestry.shard "one" [0, 0] => [2, 2] (%sone) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  %stwo = tapestry.slice "stwo" %X [2, 0] => [5, 2] : (tensor<6x2xi32>) -> tensor<3x2xi32>
  %two = tapestry.shard "two" [2, 0] => [5, 2] (%stwo) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<3x2xi32>) -> tensor<2xi32>
  %sthree = tapestry.slice "sthree" %X [5, 0] => [6, 2] : (tensor<6x2xi32>) -> tensor<1x2xi32>
  %three = tapestry.shard "three" [5, 0] => [6, 2] (%sthree) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<1x2xi32>) -> tensor<2xi32>
  %left = tapestry.einsum "left" [n = 1] (%one[n], %three[n], %two[n]) -> [n] {
  ^bb0(%a: i32, %b: i32, %c: i32):
    %d = arith.addi %b, %c : i32
    %e = arith.addi %a, %d : i32
    tapestry.yield %e : i32
  } : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1xi32>
  %r1 = tapestry.unsqueeze "r1" %one at 1 : (tensor<2xi32>) -> tensor<2x1xi32>
  %r2 = tapestry.unsqueeze "r2" %two at 1 : (tensor<2xi32>) -> tensor<2x1xi32>
  %s = tapestry.concat "s" %r1, %r2 along 1 : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x2xi32>
  %front = tapestry.einsum "front" [n = 1, block = 2] (%s[n + 1, block]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2x2xi32>) -> tensor<1xi32>
  %right = tapestry.einsum "right" [n = 1] (%three[n + 1], %front[n]) -> [n] {
  ^bb0(%a: i32, %b: i32):
    %d = arith.addi %b, %a : i32
    tapestry.yield %d : i32
  } : (tensor<2xi32>, tensor<1xi32>) -> tensor<1xi32>
  %Y = tapestry.concat "Y" %left, %right along 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}

// -----

// What is no such sum stays: a part is missing, is there twice, or is scaled.
// CHECK-LABEL: tapestry.graph @missing
// CHECK-COUNT-2: tapestry.shard
// CHECK: tapestry.einsum "Y" [n = 2] (
// CHECK-NOT: reduce
tapestry.graph @missing {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %sone = tapestry.slice "sone" %X [0, 0] => [2, 2] : (tensor<6x2xi32>) -> tensor<2x2xi32>
  %one = tapestry.shard "one" [0, 0] => [2, 2] (%sone) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  %sthree = tapestry.slice "sthree" %X [5, 0] => [6, 2] : (tensor<6x2xi32>) -> tensor<1x2xi32>
  %three = tapestry.shard "three" [5, 0] => [6, 2] (%sthree) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<1x2xi32>) -> tensor<2xi32>
  %Y = tapestry.einsum "Y" [n = 2] (%three[n], %one[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %z = arith.addi %a0, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}

// -----

// CHECK-LABEL: tapestry.graph @twice
// CHECK-COUNT-2: tapestry.shard "
// CHECK: tapestry.einsum "Y" [n = 2] (
tapestry.graph @twice {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %sone = tapestry.slice "sone" %X [0, 0] => [2, 2] : (tensor<6x2xi32>) -> tensor<2x2xi32>
  %one = tapestry.shard "one" [0, 0] => [2, 2] (%sone) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  %stwo = tapestry.slice "stwo" %X [2, 0] => [6, 2] : (tensor<6x2xi32>) -> tensor<4x2xi32>
  %two = tapestry.shard "two" [2, 0] => [6, 2] (%stwo) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<4x2xi32>) -> tensor<2xi32>
  %Y = tapestry.einsum "Y" [n = 2] (%one[n], %two[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %y = arith.addi %a0, %a1 : i32
    %z = arith.addi %a1, %y : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}

// -----

// CHECK-LABEL: tapestry.graph @scaled
// CHECK-COUNT-2: tapestry.shard "
// CHECK: tapestry.einsum "Y" [n = 2] (
tapestry.graph @scaled {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %sone = tapestry.slice "sone" %X [0, 0] => [2, 2] : (tensor<6x2xi32>) -> tensor<2x2xi32>
  %one = tapestry.shard "one" [0, 0] => [2, 2] (%sone) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  %stwo = tapestry.slice "stwo" %X [2, 0] => [6, 2] : (tensor<6x2xi32>) -> tensor<4x2xi32>
  %two = tapestry.shard "two" [2, 0] => [6, 2] (%stwo) {
  ^bb0(%t0: tensor<6x2xi32>):
    %w = tapestry.einsum "W" [i = 6, n = 2] (%t0[i, n]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x2xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<4x2xi32>) -> tensor<2xi32>
  %Y = tapestry.einsum "Y" [n = 2] (%one[n], %two[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %y = arith.addi %a0, %a0 : i32
    %z = arith.muli %a1, %y : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
