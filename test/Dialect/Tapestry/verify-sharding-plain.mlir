// RUN: tapestry-opt %s --tapestry-verify-sharding --split-input-file --verify-diagnostics

// Graphs that are sharded by plain operators on slices, right and with one wrong thing each.

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @rows {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %two = tapestry.einsum "two" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @shifted {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [1] => [5] : (tensor<6xi32>) -> tensor<4xi32>
  %two = tapestry.einsum "two" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  // expected-error @below {{sink 'Y' has at (2) cell (1) of 'Y', expected cell (2) of 'Y'}}
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @exchanged {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %two = tapestry.einsum "two" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  %Y = tapestry.concat "Y" %two, %one along 0 : (tensor<4xi32>, tensor<2xi32>) -> tensor<6xi32>
  // expected-error @below {{sink 'Y' has at (0) cell (2) of 'Y', expected cell (0) of 'Y'}}
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @missing {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %two = tapestry.einsum "two" [i = 3] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<3xi32>) -> tensor<5xi32>
  // expected-error @below {{sink 'Y' is of type 'tensor<5xi32>', expected 'tensor<6xi32>'}}
  tapestry.sink "Y", %Y : tensor<5xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-note @below {{'Y' of the whole graph}}
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @body {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  // expected-error @below {{'two' with the range [2, 6) computes as no vertex of the whole graph, not as 'Y': its body has 'arith.subi', expected 'arith.muli'}}
  %two = tapestry.einsum "two" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.subi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @halos {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 3] (%a[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %two = tapestry.einsum "two" [i = 3] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [i = 6] (%X[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @no_halo {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %one = tapestry.einsum "one" [i = 3] (%a[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  // expected-error @below {{'two' computes as no vertex of the whole graph, not as a block of 'Y': at index point (3) it reads of operand 0 what is beside it, expected cell (2)}}
  %two = tapestry.einsum "two" [i = 3] (%b[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-note @below {{'Y' of the whole graph}}
  %Y = tapestry.einsum "Y" [i = 6] (%X[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @other_pad {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  // expected-error @below {{'one' with the range [0, 3) computes as no vertex of the whole graph, not as 'Y': its 'pads' is [1 : i32], expected [0 : i32]}}
  %one = tapestry.einsum "one" [i = 3] (%a[i - 1] pad 1 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %two = tapestry.einsum "two" [i = 3] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [k = 6] (%X[k], %W[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>, tensor<6xi32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}
tapestry.graph @parts {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %u = tapestry.slice "v" %W [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [k = 2] (%a[k], %u[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<i32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %w = tapestry.slice "w" %W [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %two = tapestry.einsum "two" [k = 4] (%b[k], %w[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>, tensor<4xi32>) -> tensor<i32>
  %Y = tapestry.einsum "Y" [] (%one[], %two[]) -> [] {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tapestry.yield %s : i32
  } : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [k = 6] (%X[k], %W[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>, tensor<6xi32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}
tapestry.graph @shifted_part {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %u = tapestry.slice "v" %W [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [k = 2] (%a[k], %u[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<i32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %w = tapestry.slice "w" %W [1] => [5] : (tensor<6xi32>) -> tensor<4xi32>
  // expected-error @below {{'two' is no shard of 'Y': operand 1 has at (0) cell (1) of 'W', expected cell (2) of 'W'}}
  %two = tapestry.einsum "two" [k = 4] (%b[k], %w[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>, tensor<4xi32>) -> tensor<i32>
  %Y = tapestry.einsum "Y" [] (%one[], %two[]) -> [] {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tapestry.yield %s : i32
  } : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}

// -----

tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<6xi32>
  %Y = tapestry.einsum "Y" [k = 6] (%X[k], %W[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>, tensor<6xi32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}
tapestry.graph @missing_part {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %u = tapestry.slice "v" %W [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [k = 2] (%a[k], %u[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<i32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %w = tapestry.slice "w" %W [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %two = tapestry.einsum "two" [k = 3] (%b[k], %w[k]) -> [] reduce add {
  ^bb0(%x: i32, %v: i32):
    %m = arith.muli %x, %v : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>, tensor<3xi32>) -> tensor<i32>
  // expected-error @below {{'Y' combines no block of 'Y': at () index point (2) is combined 0 times, expected 1}}
  %Y = tapestry.einsum "Y" [] (%one[], %two[]) -> [] {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tapestry.yield %s : i32
  } : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}

// -----

// Two of the same rows.
tapestry.graph @whole {
  %X = tapestry.source "X" : tensor<6xi32>
  // expected-error @below {{index point (0) of 'Y' is computed 2 times in the sharded graph, expected 1}}
  %Y = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
tapestry.graph @twice {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %two = tapestry.einsum "two" [i = 3] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %c = tapestry.slice "c" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %three = tapestry.einsum "three" [i = 4] (%c[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  %d = tapestry.slice "d" %two [0] => [1] : (tensor<3xi32>) -> tensor<1xi32>
  %e = tapestry.slice "e" %one [1] => [2] : (tensor<2xi32>) -> tensor<1xi32>
  %Y = tapestry.concat "Y" %d, %e, %three along 0 : (tensor<1xi32>, tensor<1xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}
