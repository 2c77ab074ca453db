// RUN: tapestry-opt %s --tapestry-unshard --split-input-file --verify-diagnostics | FileCheck %s

// What is no operator in pieces stays as it is.

// A slice is off by one.
// CHECK-LABEL: tapestry.graph @shifted
// CHECK-COUNT-2: tapestry.einsum
// CHECK: tapestry.concat "Y"
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
  // expected-remark @below {{'Y' is not put together: operand 0 of 'two' begins at (1) of 'X', expected (2) as 'one' reads it}}
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

// Another operator.
// CHECK-LABEL: tapestry.graph @body
// CHECK-COUNT-2: tapestry.einsum
tapestry.graph @body {
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
    %m = arith.subi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  // expected-remark @below {{'Y' is not put together: 'two' is no block with the range [2, 6): its body has 'arith.subi', expected 'arith.muli' as of 'one'}}
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

// A piece is there in part.
// CHECK-LABEL: tapestry.graph @part
// CHECK-COUNT-2: tapestry.einsum
tapestry.graph @part {
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
  %c = tapestry.slice "c" %two [0] => [2] : (tensor<4xi32>) -> tensor<2xi32>
  // expected-remark @below {{'Y' is not put together: of 'two' it has only [0, 2) of [0, 4)}}
  %Y = tapestry.concat "Y" %one, %c, %two along 0 : (tensor<2xi32>, tensor<2xi32>, tensor<4xi32>) -> tensor<8xi32>
  tapestry.sink "Y", %Y : tensor<8xi32>
}

// -----

// Of two tensors.
// CHECK-LABEL: tapestry.graph @tensors
// CHECK-COUNT-2: tapestry.einsum
tapestry.graph @tensors {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<4xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %two = tapestry.einsum "two" [i = 4] (%W[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  // expected-remark @below {{'Y' is not put together: operand 0 is of 'X' and 'W', which are no slices of one tensor}}
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

// Halos that are not read.
// CHECK-LABEL: tapestry.graph @halo
// CHECK-COUNT-2: tapestry.einsum
tapestry.graph @halo {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %one = tapestry.einsum "one" [i = 3] (%a[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %two = tapestry.einsum "two" [i = 3] (%b[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  // expected-remark @below {{'Y' is not put together: 'two' is no block with the range [3, 6): at index point (3) it reads of operand 0 what is beside it, expected cell (2)}}
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

// Labels that count from where the piece begins.
// CHECK-LABEL: tapestry.graph @label
// CHECK-COUNT-2: tapestry.einsum
tapestry.graph @label {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %i = tapestry.label "i"
    %n = arith.index_cast %i : index to i32
    %m = arith.muli %x, %n : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %two = tapestry.einsum "two" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %i = tapestry.label "i"
    %n = arith.index_cast %i : index to i32
    %m = arith.muli %x, %n : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  // expected-remark @below {{'Y' is not put together: 'two' is no block with the range [2, 6): it reads label 'i', to which it would have to add 2}}
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

// A partial sum is missing.
// CHECK-LABEL: tapestry.graph @sum
// CHECK-COUNT-3: tapestry.einsum
tapestry.graph @sum {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<i32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %two = tapestry.einsum "two" [i = 3] (%b[i]) -> [] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<i32>
  // expected-remark @below {{'Y' is not put together: index point (2) is computed 0 times, expected 1}}
  %Y = tapestry.einsum "Y" [] (%one[], %two[]) -> [] {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tapestry.yield %s : i32
  } : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}

// -----

// What the pieces of one operator read need not be put together, nor what is handed out
// in pieces, too.
// CHECK-LABEL: tapestry.graph @chain
// CHECK: tapestry.einsum "one"
// CHECK: tapestry.einsum "two"
// CHECK: %[[V:.*]] = tapestry.concat
// CHECK: tapestry.einsum "Y" [i = 6] (%[[V]][i])
tapestry.graph @chain {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  // expected-remark @below {{what 'one' is a piece of is not put together: operand 0 of 'two' begins at (1) of 'X', expected (2) as 'one' reads it}}
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
  %y1 = tapestry.einsum "y1" [i = 2] (%one[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.subi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %y2 = tapestry.einsum "y2" [i = 4] (%two[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.subi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  %Y = tapestry.concat "Y" %y1, %y2 along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
}

// -----

// Operands of other ranks, and of another number.
// CHECK-LABEL: tapestry.graph @operands
// CHECK-COUNT-4: tapestry.einsum
tapestry.graph @operands {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<4x2xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %one = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %two = tapestry.einsum "two" [i = 4] (%W[i, 1]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<4x2xi32>) -> tensor<4xi32>
  // expected-remark @below {{'Y' is not put together: operand 0 of 'two' is tensor<4x2xi32>, of 'one' tensor<2xi32>}}
  %Y = tapestry.concat "Y" %one, %two along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  %three = tapestry.einsum "three" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %four = tapestry.einsum "four" [i = 2] (%a[i], %a[i]) -> [i] {
  ^bb0(%x: i32, %y: i32):
    tapestry.yield %y : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  // expected-remark @below {{'Z' is not put together: 'four' has 2 operands and 1 label, 'three' 1 and 1}}
  %Z = tapestry.concat "Z" %three, %four along 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  tapestry.sink "Y", %Y : tensor<6xi32>
  tapestry.sink "Z", %Z : tensor<4xi32>
}

// -----

// A sum of two reductions of the same, not in pieces, needs no word.
// CHECK-LABEL: tapestry.graph @not_cut
// CHECK-COUNT-3: tapestry.einsum
tapestry.graph @not_cut {
  %X = tapestry.source "X" : tensor<6xi32>
  %one = tapestry.einsum "one" [i = 6] (%X[i]) -> [] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<6xi32>) -> tensor<i32>
  %two = tapestry.einsum "two" [i = 6] (%X[i]) -> [] reduce add {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<6xi32>) -> tensor<i32>
  %Y = tapestry.einsum "Y" [] (%one[], %two[]) -> [] {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tapestry.yield %s : i32
  } : (tensor<i32>, tensor<i32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<i32>
}
