// What may divide by zero is not moved out of a loop that may never run; what
// cannot is.
// RUN: tapestry-opt %s -loop-invariant-code-motion | FileCheck %s

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[4 by "d.0"] on #pair>
!rows = !tra.relation<[4] / [2], i32, #rows>

// CHECK-LABEL: func.func @einsum
// CHECK:         tapestry.einsum "added"
// CHECK:         scf.for
// CHECK:           tapestry.einsum "divided"
func.func @einsum(%x: tensor<4xi32>, %n: index) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xi32> {
    %d = tapestry.einsum "divided" [i = 4] (%x[i]) -> [i] {
    ^bb0(%v: i32):
      %one = arith.constant 1 : i32
      %q = arith.divsi %one, %v : i32
      tapestry.yield %q : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    %s = tapestry.einsum "added" [i = 4] (%x[i]) -> [i] {
    ^bb0(%v: i32):
      %q = arith.addi %v, %v : i32
      tapestry.yield %q : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    %e = tapestry.einsum "both" [i = 4] (%d[i], %s[i], %a[i]) -> [i] {
    ^bb0(%v: i32, %w: i32, %u: i32):
      %q = arith.addi %v, %w : i32
      %t = arith.addi %q, %u : i32
      tapestry.yield %t : i32
    } : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    scf.yield %e : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}

// CHECK-LABEL: func.func @join
// CHECK:         tra.join "added"
// CHECK:         scf.for
// CHECK:           tra.join "divided"
func.func @join(%x: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %d = tra.join "divided" [i = 4] by #tapestry_index.partition<[["d.0"]]> (%x[i]) -> [i] {
    ^bb0(%v: i32):
      %one = arith.constant 1 : i32
      %q = arith.divsi %one, %v : i32
      tra.yield %q : i32
    } : (!rows) -> !rows
    %s = tra.join "added" [i = 4] by #tapestry_index.partition<[["d.0"]]> (%x[i]) -> [i] {
    ^bb0(%v: i32):
      %q = arith.addi %v, %v : i32
      tra.yield %q : i32
    } : (!rows) -> !rows
  }
  return
}

// Remainders and floored quotients, which MLIR says may run anywhere.
// CHECK-LABEL: func.func @remainders
// CHECK:         tapestry.einsum "constant"
// CHECK:         scf.for
// CHECK:           tapestry.einsum "remainder"
// CHECK:           tapestry.einsum "floored"
// CHECK:           tra.join "rest"
func.func @remainders(%x: tensor<4xi32>, %y: !rows, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %r = tapestry.einsum "remainder" [i = 4] (%x[i]) -> [i] {
    ^bb0(%v: i32):
      %q = arith.remsi %v, %v : i32
      tapestry.yield %q : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    %f = tapestry.einsum "floored" [i = 4] (%x[i]) -> [i] {
    ^bb0(%v: i32):
      %q = arith.floordivsi %v, %v : i32
      tapestry.yield %q : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    %c = tapestry.einsum "constant" [i = 4] (%x[i]) -> [i] {
    ^bb0(%v: i32):
      %three = arith.constant 3 : i32
      %q = arith.remsi %v, %three : i32
      tapestry.yield %q : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    %j = tra.join "rest" [i = 4] by #tapestry_index.partition<[["d.0"]]> (%y[i]) -> [i] {
    ^bb0(%v: i32):
      %q = arith.remui %v, %v : i32
      tra.yield %q : i32
    } : (!rows) -> !rows
  }
  return
}
