// RUN: tapestry-opt %s --tapestry-unshard --verify-diagnostics -o %t
// RUN: FileCheck %s < %t

// What A computes is the first piece of P, too, and what B computes that of Q:
// the proof takes one for the other. What has nothing to do with that is put
// together, whatever lies between.
// CHECK-COUNT-2: tapestry.einsum "p
// CHECK: tapestry.einsum "A"
// CHECK: tapestry.einsum "R" [i = 6]
// CHECK-COUNT-2: tapestry.einsum "q
// CHECK: tapestry.einsum "B"
// CHECK: tapestry.einsum "S" [i = 6]
// CHECK-NOT: tapestry.concat
tapestry.graph @alike {
  %X = tapestry.source "X" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
  %p1 = tapestry.einsum "p1" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %p2 = tapestry.einsum "p2" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  // expected-remark @below {{'P' is not put together: sink 'P' has at (0) cell (0) of 'A', expected cell (0) of 'P'}}
  %P = tapestry.concat "P" %p1, %p2 along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  %A = tapestry.einsum "A" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %r1 = tapestry.einsum "r1" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.addi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %r2 = tapestry.einsum "r2" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.addi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  %R = tapestry.concat "R" %r1, %r2 along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  %q1 = tapestry.einsum "q1" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.subi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %q2 = tapestry.einsum "q2" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.subi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  // expected-remark @below {{'Q' is not put together: sink 'Q' has at (0) cell (0) of 'B', expected cell (0) of 'Q'}}
  %Q = tapestry.concat "Q" %q1, %q2 along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  %B = tapestry.einsum "B" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.subi %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %s1 = tapestry.einsum "s1" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.xori %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %s2 = tapestry.einsum "s2" [i = 4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.xori %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<4xi32>
  %S = tapestry.concat "S" %s1, %s2 along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  tapestry.sink "P", %P : tensor<6xi32>
  tapestry.sink "A", %A : tensor<2xi32>
  tapestry.sink "R", %R : tensor<6xi32>
  tapestry.sink "Q", %Q : tensor<6xi32>
  tapestry.sink "B", %B : tensor<2xi32>
  tapestry.sink "S", %S : tensor<6xi32>
}
