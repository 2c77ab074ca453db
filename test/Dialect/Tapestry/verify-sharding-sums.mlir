// RUN: tapestry-opt %s --tapestry-verify-sharding --split-input-file --verify-diagnostics

// Sums of partial values: a part twice.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %Y = tapestry.einsum "Y" [i = 6, n = 2] (%X[i, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @part_twice {
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
  // expected-error @below {{'sum' combines no block of 'Y': at (0) index point (0, 0) is combined 2 times, expected 1}}
  %sum = tapestry.einsum "sum" [n = 2] (%one[n], %two[n], %three[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32, %a2: i32):
    %y = arith.addi %a0, %a1 : i32
    %q = arith.addi %y, %a2 : i32
    %z = arith.addi %q, %a0 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %sum : tensor<2xi32>
}

// -----

// A part is missing: which the sum that lacks it says, wherever that is missed.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %Y = tapestry.einsum "Y" [i = 6, n = 2] (%X[i, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @part_missing {
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
  // expected-error @below {{'sum' combines no block of 'Y': at (0) index point (2, 0) is combined 0 times, expected 1}}
  %sum = tapestry.einsum "sum" [n = 2] (%three[n], %one[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %z = arith.addi %a0, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %sum : tensor<2xi32>
}

// -----

// The last part is missing.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %Y = tapestry.einsum "Y" [i = 6, n = 2] (%X[i, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @part_missing_at_end {
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
  %sum = tapestry.einsum "sum" [n = 2] (%two[n], %one[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %z = arith.addi %a0, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  // expected-error @below {{sink 'Y' has at (0) a partial value of 'Y' over [0, 5) x [0, 2), expected cell (0) of 'Y'}}
  tapestry.sink "Y", %sum : tensor<2xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %Y = tapestry.einsum "Y" [i = 6, n = 2] (%X[i, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @another_monoid {
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
  %sum = tapestry.einsum "sum" [n = 2] (%one[n], %two[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %z = arith.addi %a0, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  // expected-error @below {{'most' combines partial values of 'Y' by another monoid}}
  %most = tapestry.einsum "most" [n = 2] (%sum[n], %three[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %z = arith.maxsi %a0, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %most : tensor<2xi32>
}

// -----

// What is no part of it.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %Y = tapestry.einsum "Y" [i = 6, n = 2] (%X[i, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @no_part {
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
  %sum = tapestry.einsum "sum" [n = 2] (%one[n], %two[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %z = arith.addi %a0, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %row = tapestry.slice "row" %X [0, 0] => [1, 2] : (tensor<6x2xi32>) -> tensor<1x2xi32>
  %flat = tapestry.squeeze "flat" %row at 0 : (tensor<1x2xi32>) -> tensor<2xi32>
  // expected-error @below {{'all' combines no block of 'Y': operand 1 has at (0) cell (0, 0) of 'X', expected a partial value of 'Y' for the cells of the first row}}
  %all = tapestry.einsum "all" [n = 2] (%sum[n], %flat[n], %three[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32, %a2: i32):
    %y = arith.addi %a0, %a1 : i32
    %z = arith.addi %y, %a2 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %all : tensor<2xi32>
}

// -----

// A scaled sum is none.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6x2xi32>
  %Y = tapestry.einsum "Y" [i = 6, n = 2] (%X[i, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
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
  // expected-error @below {{'sum' combines partial values of 'Y' by another monoid}}
  %sum = tapestry.einsum "sum" [n = 2] (%one[n], %two[n]) -> [n] {
  ^bb0(%a0: i32, %a1: i32):
    %c = arith.constant 2 : i32
    %y = arith.muli %a0, %c : i32
    %z = arith.addi %y, %a1 : i32
    tapestry.yield %z : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %sum : tensor<2xi32>
}
