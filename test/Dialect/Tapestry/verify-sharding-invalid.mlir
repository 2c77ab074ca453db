// RUN: tapestry-opt %s --tapestry-verify-sharding --split-input-file --verify-diagnostics

// One wrong thing each in a sharding of a stencil or a sum.

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i - 1] pad 0 : i32, %X[i]) -> [i] {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tapestry.yield %s : i32
  } : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @shifted_slice {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %o = tapestry.slice "o" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.shard "one" [0] => [3] (%a, %o) {
  ^bb0(%t0: tensor<6xi32>, %t1: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i - 1] pad 0 : i32, %t1[i]) -> [i] {
    ^bb0(%x: i32, %y: i32):
      %s = arith.addi %x, %y : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<2xi32>, tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [2] => [5] : (tensor<6xi32>) -> tensor<3xi32>
  %c = tapestry.slice "c" %X [2] => [5] : (tensor<6xi32>) -> tensor<3xi32>
  // expected-error @below {{'two' is no shard of 'Y': operand 1 has at (0) cell (2) of 'X', expected cell (3) of 'X'}}
  %2 = tapestry.shard "two" [3] => [6] (%b, %c) {
  ^bb0(%t0: tensor<6xi32>, %t1: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i - 1] pad 0 : i32, %t1[i]) -> [i] {
    ^bb0(%x: i32, %y: i32):
      %s = arith.addi %x, %y : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i - 1] pad 0 : i32, %X[i]) -> [i] {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tapestry.yield %s : i32
  } : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @halo_one_short {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %o = tapestry.slice "o" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.shard "one" [0] => [3] (%a, %o) {
  ^bb0(%t0: tensor<6xi32>, %t1: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i - 1] pad 0 : i32, %t1[i]) -> [i] {
    ^bb0(%x: i32, %y: i32):
      %s = arith.addi %x, %y : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<2xi32>, tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  // expected-error @below {{'two' is no shard of 'Y': operand 0 has at (0) cell (3) of 'X', expected cell (2) of 'X'}}
  %2 = tapestry.shard "two" [3] => [6] (%b, %b) {
  ^bb0(%t0: tensor<6xi32>, %t1: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i - 1] pad 0 : i32, %t1[i]) -> [i] {
    ^bb0(%x: i32, %y: i32):
      %s = arith.addi %x, %y : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>, tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-error @below {{index point (3) of 'Y' is computed 0 times in the sharded graph, expected 1}}
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%a: i32):
    %s = arith.addi %a, %a : i32
    tapestry.yield %s : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  %Z = tapestry.einsum "Z" [i = 3] (%Y[i]) -> [i] {
  ^bb0(%a: i32):
    %s = arith.muli %a, %a : i32
    tapestry.yield %s : i32
  } : (tensor<6xi32>) -> tensor<3xi32>
  tapestry.sink "Z", %Z : tensor<3xi32>
}
tapestry.graph @missing_shard {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.shard "one" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.addi %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Z = tapestry.shard "Z" [0] => [3] (%1) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 3] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<3xi32>
    tapestry.part_of %w : tensor<3xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  tapestry.sink "Z", %Z : tensor<3xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-error @below {{index point (3) of 'Y' is computed 2 times in the sharded graph, expected 1}}
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%a: i32):
    %s = arith.addi %a, %a : i32
    tapestry.yield %s : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @doubled_shard {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [4] : (tensor<6xi32>) -> tensor<4xi32>
  %1 = tapestry.shard "one" [0] => [4] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.addi %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %2 = tapestry.shard "two" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.addi %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %3 = tapestry.slice "three" %1 [0] => [3] : (tensor<4xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %3, %2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%a: i32):
    %s = arith.addi %a, %a : i32
    tapestry.yield %s : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @wrong_range {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  // expected-error @below {{'one' is no shard of 'Y': operand 0 has at (0) cell (0) of 'X', expected cell (1) of 'X'}}
  %1 = tapestry.shard "one" [1] => [4] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.addi %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %2 = tapestry.shard "two" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.addi %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-note @below {{'Y' of the whole graph}}
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%a: i32):
    %c = arith.constant 3 : i32
    %s = arith.addi %a, %c : i32
    tapestry.yield %s : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @wrong_constant {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.shard "one" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %c = arith.constant 3 : i32
      %s = arith.addi %x, %c : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  // expected-error @below {{'two' with the range [3, 6) computes as no vertex of the whole graph, not as 'Y': in its body, of 'arith.constant', 'value' is 4 : i32, expected 3 : i32}}
  %2 = tapestry.shard "two" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %c = arith.constant 4 : i32
      %s = arith.addi %x, %c : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [] reduce add {
  ^bb0(%a: i32):
    tapestry.yield %a : i32
  } : (tensor<6xi32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}
tapestry.graph @wrong_reduction {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.shard "one" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<i32>
    tapestry.part_of %w : tensor<i32>
  } : (tensor<3xi32>) -> tensor<i32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %2 = tapestry.shard "two" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<i32>
    tapestry.part_of %w : tensor<i32>
  } : (tensor<3xi32>) -> tensor<i32>
  %3 = tapestry.unsqueeze "three" %1 at 0 : (tensor<i32>) -> tensor<1xi32>
  %4 = tapestry.unsqueeze "four" %2 at 0 : (tensor<i32>) -> tensor<1xi32>
  %5 = tapestry.concat "five" %3, %4 along 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  // expected-error @below {{'six' combines partial values of 'Y' by another monoid}}
  %6 = tapestry.einsum "six" [block = 2] (%5[block]) -> [] reduce max {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<i32>
  tapestry.sink "Y", %6 : tensor<i32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [] reduce add {
  ^bb0(%a: i32):
    tapestry.yield %a : i32
  } : (tensor<6xi32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}
tapestry.graph @partial_value {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.shard "one" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<i32>
    tapestry.part_of %w : tensor<i32>
  } : (tensor<3xi32>) -> tensor<i32>
  // expected-error @below {{sink 'Y' has at () a partial value of 'Y' over [0, 3), expected cell () of 'Y'}}
  tapestry.sink "Y", %1 : tensor<i32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%a: i32):
    %s = arith.addi %a, %a : i32
    tapestry.yield %s : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @swapped {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.shard "one" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.addi %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %2 = tapestry.shard "two" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %s = arith.addi %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %2, %1 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  // expected-error @below {{sink 'Y' has at (0) cell (3) of 'Y', expected cell (0) of 'Y'}}
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-error @below {{sink 'Y' is none of the sharded graph}}
  tapestry.sink "Y", %X : tensor<6xi32>
}
tapestry.graph @no_sink {
  %X = tapestry.source "X" : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %I = tapestry.source "I" : tensor<2xi32>
  %Y = tapestry.gather "Y" ["i", "I"] = [2, 6] %X by %I
      at [affine_map<(i, t) -> (t)>, affine_map<(i, t) -> (i)>] : (tensor<6xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @other_operand {
  %X = tapestry.source "X" : tensor<6xi32>
  %I = tapestry.source "I" : tensor<2xi32>
  %J = tapestry.slice "J" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  // expected-error @below {{'Y' is not 'Y': operand 1 has at (0) cell (0) of 'X', expected cell (0) of 'I'}}
  %Y = tapestry.gather "Y" ["i", "I"] = [2, 6] %X by %J
      at [affine_map<(i, t) -> (t)>, affine_map<(i, t) -> (i)>] : (tensor<6xi32>, tensor<2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}

// -----

// expected-error @below {{the module has 1 graph, expected a whole one and its sharding}}
module {
  tapestry.graph @alone {
  }
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<2x6xi32>
  %Y = tapestry.einsum "Y" [n = 2, i = 6] (%X[n, i]) -> [n] reduce add {
  ^bb0(%a: i32):
    tapestry.yield %a : i32
  } : (tensor<2x6xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @gap {
  %X = tapestry.source "X" : tensor<2x6xi32>
  %a = tapestry.slice "a" %X [0, 0] => [2, 3] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %1 = tapestry.shard "one" [0, 0] => [2, 3] (%a) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [0, 4] => [2, 6] : (tensor<2x6xi32>) -> tensor<2x2xi32>
  %2 = tapestry.shard "two" [0, 4] => [2, 6] (%b) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  %3 = tapestry.unsqueeze "three" %1 at 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %4 = tapestry.unsqueeze "four" %2 at 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %5 = tapestry.concat "five" %3, %4 along 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  // expected-error @below {{'six' combines no block of 'Y': at (0) index point (0, 3) is combined 0 times, expected 1}}
  %6 = tapestry.einsum "six" [block = 2, n = 2] (%5[block, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %6 : tensor<2xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<2x6xi32>
  %Y = tapestry.einsum "Y" [n = 2, i = 6] (%X[n, i]) -> [n] reduce add {
  ^bb0(%a: i32):
    tapestry.yield %a : i32
  } : (tensor<2x6xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @twice {
  %X = tapestry.source "X" : tensor<2x6xi32>
  %a = tapestry.slice "a" %X [0, 0] => [2, 3] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %1 = tapestry.shard "one" [0, 0] => [2, 3] (%a) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [0, 2] => [2, 6] : (tensor<2x6xi32>) -> tensor<2x4xi32>
  %2 = tapestry.shard "two" [0, 2] => [2, 6] (%b) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x4xi32>) -> tensor<2xi32>
  %3 = tapestry.unsqueeze "three" %1 at 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %4 = tapestry.unsqueeze "four" %2 at 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %5 = tapestry.concat "five" %3, %4 along 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  // expected-error @below {{'six' combines no block of 'Y': at (0) index point (0, 2) is combined 2 times, expected 1}}
  %6 = tapestry.einsum "six" [block = 2, n = 2] (%5[block, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %6 : tensor<2xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<2x6xi32>
  %Y = tapestry.einsum "Y" [n = 2, i = 6] (%X[n, i]) -> [n] reduce add {
  ^bb0(%a: i32):
    tapestry.yield %a : i32
  } : (tensor<2x6xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @another_row {
  %X = tapestry.source "X" : tensor<2x6xi32>
  %a = tapestry.slice "a" %X [0, 0] => [2, 3] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %1 = tapestry.shard "one" [0, 0] => [2, 3] (%a) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %2 = tapestry.slice "col" %X [0, 3] => [2, 4] : (tensor<2x6xi32>) -> tensor<2x1xi32>
  %7 = tapestry.squeeze "flat" %2 at 1 : (tensor<2x1xi32>) -> tensor<2xi32>
  %3 = tapestry.unsqueeze "three" %1 at 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %4 = tapestry.unsqueeze "four" %7 at 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %5 = tapestry.concat "five" %3, %4 along 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  // expected-error @below {{'six' combines no block of 'Y': the stack has at (1, 0) cell (0, 3) of 'X', expected a partial value of 'Y' for the cells of the first row}}
  %6 = tapestry.einsum "six" [block = 2, n = 2] (%5[block, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %6 : tensor<2xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<2x6xi32>
  %Y = tapestry.einsum "Y" [n = 2, i = 6] (%X[n, i]) -> [n] reduce add {
  ^bb0(%a: i32):
    tapestry.yield %a : i32
  } : (tensor<2x6xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %Y : tensor<2xi32>
}
tapestry.graph @other_cells {
  %X = tapestry.source "X" : tensor<2x6xi32>
  %a = tapestry.slice "a" %X [0, 0] => [2, 3] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %1 = tapestry.shard "one" [0, 0] => [2, 3] (%a) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [0, 3] => [2, 6] : (tensor<2x6xi32>) -> tensor<2x3xi32>
  %2 = tapestry.shard "two" [0, 3] => [2, 6] (%b) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2xi32>
    tapestry.part_of %w : tensor<2xi32>
  } : (tensor<2x3xi32>) -> tensor<2xi32>
  %8 = tapestry.reverse "back" %2 along [0] : (tensor<2xi32>) -> tensor<2xi32>
  %3 = tapestry.unsqueeze "three" %1 at 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %4 = tapestry.unsqueeze "four" %8 at 0 : (tensor<2xi32>) -> tensor<1x2xi32>
  %5 = tapestry.concat "five" %3, %4 along 0 : (tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<2x2xi32>
  // expected-error @below {{'six' combines no block of 'Y': the stack has at (1, 0) a partial value of 'Y' over [0, 2) x [3, 6), expected a partial value of 'Y' for the cells of the first row}}
  %6 = tapestry.einsum "six" [block = 2, n = 2] (%5[block, n]) -> [n] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2x2xi32>) -> tensor<2xi32>
  tapestry.sink "Y", %6 : tensor<2xi32>
}

// -----

// A range that is not of the whole, which is a shard itself.

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<2x4xi32>
  %Y = tapestry.shard "Y" [0, 1] => [2, 5] (%X) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n, i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2x6xi32>
    tapestry.part_of %w : tensor<2x6xi32>
  } : (tensor<2x4xi32>) -> tensor<2x4xi32>
  tapestry.sink "Y", %Y : tensor<2x4xi32>
}
tapestry.graph @outside {
  %X = tapestry.source "X" : tensor<2x4xi32>
  %b = tapestry.slice "b" %X [0, 1] => [2, 4] : (tensor<2x4xi32>) -> tensor<2x3xi32>
  // expected-error @below {{'two' with the range [0, 2) x [3, 6) leaves the index space [0, 2) x [0, 4) of 'Y': index point (0, 4) is the first outside}}
  %2 = tapestry.shard "two" [0, 3] => [2, 6] (%b) {
  ^bb0(%t0: tensor<2x6xi32>):
    %w = tapestry.einsum "W" [n = 2, i = 6] (%t0[n, i]) -> [n, i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<2x6xi32>) -> tensor<2x6xi32>
    tapestry.part_of %w : tensor<2x6xi32>
  } : (tensor<2x3xi32>) -> tensor<2x3xi32>
  tapestry.sink "Y", %2 : tensor<2x3xi32>
}

// -----

// Blocks of another operator: what they are given, and what they are of.

#sum = #tapestry.kernel<"sums" [n, k] (X : f64[n, k]) -> (S : f64[n] add)>
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<4x6xf64>
  %S = tapestry.block "S" #sum [n = 4, k = 6] (%X) {} : (tensor<4x6xf64>) -> tensor<4xf64>
  tapestry.sink "S", %S : tensor<4xf64>
}
tapestry.graph @another_slice {
  %X = tapestry.source "X" : tensor<4x6xf64>
  %a = tapestry.slice "a" %X [1, 0] => [3, 6] : (tensor<4x6xf64>) -> tensor<2x6xf64>
  // expected-error @below {{'one' is no shard of 'S': operand 0 has at (0, 0) cell (1, 0) of 'X', expected cell (2, 0) of 'X'}}
  %1 = tapestry.shard "one" [2, 0] => [4, 6] (%a) {
  ^bb0(%x: tensor<4x6xf64>):
    %s = tapestry.block "T" #sum [n = 4, k = 6] (%x) {} : (tensor<4x6xf64>) -> tensor<4xf64>
    tapestry.part_of %s : tensor<4xf64>
  } : (tensor<2x6xf64>) -> tensor<2xf64>
  tapestry.sink "S", %1 : tensor<2xf64>
}

// -----

#sum = #tapestry.kernel<"sums" [n, k] (X : f64[n, k]) -> (S : f64[n] add)>
#other = #tapestry.kernel<"others" [n, k] (X : f64[n, k]) -> (S : f64[n] add)>
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<4x6xf64>
  // expected-note @below {{'S' of the whole graph}}
  %S = tapestry.block "S" #sum [n = 4, k = 6] (%X) {} : (tensor<4x6xf64>) -> tensor<4xf64>
  tapestry.sink "S", %S : tensor<4xf64>
}
tapestry.graph @another_kernel {
  %X = tapestry.source "X" : tensor<4x6xf64>
  %a = tapestry.slice "a" %X [2, 0] => [4, 6] : (tensor<4x6xf64>) -> tensor<2x6xf64>
  // expected-error @below {{'one' with the range [2, 4) x [0, 6) computes as no vertex of the whole graph, not as 'S': its 'kernel' is}}
  %1 = tapestry.shard "one" [2, 0] => [4, 6] (%a) {
  ^bb0(%x: tensor<4x6xf64>):
    %s = tapestry.block "T" #other [n = 4, k = 6] (%x) {} : (tensor<4x6xf64>) -> tensor<4xf64>
    tapestry.part_of %s : tensor<4xf64>
  } : (tensor<2x6xf64>) -> tensor<2xf64>
  tapestry.sink "S", %1 : tensor<2xf64>
}

// -----

// Labels may have any names, but each its place.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6x6xi32>
  // expected-note @below {{'Y' of the whole graph}}
  %Y = tapestry.einsum "Y" [i = 6, j = 6] (%X[i, j]) -> [i] reduce max {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @turned_labels {
  %X = tapestry.source "X" : tensor<6x6xi32>
  // expected-error @below {{'one' with the range [0, 6) x [0, 6) computes as no vertex of the whole graph, not as 'Y': its 'indexing_maps' is}}
  %1 = tapestry.shard "one" [0, 0] => [6, 6] (%X) {
  ^bb0(%t0: tensor<6x6xi32>):
    %w = tapestry.einsum "W" [j = 6, i = 6] (%t0[i, j]) -> [j] reduce max {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<6x6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %1 : tensor<6xi32>
}

// -----

// Of two that compute otherwise it is said what differs from the one of its name.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6x4xi32>
  %K = tapestry.einsum "K" [i = 6, j = 4] (%X[i, j]) -> [j] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x4xi32>) -> tensor<4xi32>
  // expected-note @below {{'L' of the whole graph}}
  %L = tapestry.einsum "L" [i = 6, j = 4] (%X[i, j]) -> [i] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6x4xi32>) -> tensor<6xi32>
  tapestry.sink "K", %K : tensor<4xi32>
  tapestry.sink "L", %L : tensor<6xi32>
}
tapestry.graph @another_monoid {
  %X = tapestry.source "X" : tensor<6x4xi32>
  %a = tapestry.slice "a" %X [0, 0] => [3, 4] : (tensor<6x4xi32>) -> tensor<3x4xi32>
  // expected-error @below {{'L.1' with the range [0, 3) x [0, 4) computes as no vertex of the whole graph, not as 'L': its 'monoid' is #tapestry_index.monoid<max>, expected #tapestry_index.monoid<add>}}
  %1 = tapestry.shard "L.1" [0, 0] => [3, 4] (%a) {
  ^bb0(%t0: tensor<6x4xi32>):
    %w = tapestry.einsum "W" [i = 6, j = 4] (%t0[i, j]) -> [i] reduce max {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6x4xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3x4xi32>) -> tensor<3xi32>
  tapestry.sink "L", %1 : tensor<3xi32>
}

// -----

// A pad by a constant is what it is in the whole graph.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<3xi32>
  // expected-note @below {{'P' of the whole graph}}
  %P = tapestry.pad "P" %X by 5 : i32 low [1] high [0] : (tensor<3xi32>) -> tensor<4xi32>
  tapestry.sink "O", %P : tensor<4xi32>
}
tapestry.graph @another_pad {
  %X = tapestry.source "X" : tensor<3xi32>
  // expected-error @below {{'P' computes as no vertex of the whole graph, not as 'P': its 'value' is 6 : i32, expected 5 : i32}}
  %P = tapestry.pad "P" %X by 6 : i32 low [1] high [0] : (tensor<3xi32>) -> tensor<4xi32>
  tapestry.sink "O", %P : tensor<4xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<3xi32>
  %Y = tapestry.source "Y" : tensor<3xi32>
  %P = tapestry.pad "P" %X by 5 : i32 low [1] high [0] : (tensor<3xi32>) -> tensor<4xi32>
  tapestry.sink "O", %P : tensor<4xi32>
}
tapestry.graph @padded_otherwise {
  %X = tapestry.source "X" : tensor<3xi32>
  %Y = tapestry.source "Y" : tensor<3xi32>
  // expected-error @below {{'P' is not 'P': operand 0 has at (0) cell (0) of 'Y', expected cell (0) of 'X'}}
  %P = tapestry.pad "P" %Y by 5 : i32 low [1] high [0] : (tensor<3xi32>) -> tensor<4xi32>
  tapestry.sink "O", %P : tensor<4xi32>
}
