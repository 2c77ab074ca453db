// Numbers that no element has, as only a program made by hand gives them, end
// both ways to run it with one message.

// RUN: split-file %s %t
// RUN: not tapestry reference %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tapestry run %t/empty.mlir 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not tapestry reference %t/negative.mlir 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tapestry run %t/negative.mlir --devices=3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tapestry reference %t/unsigned.mlir 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// RUN: not tapestry run %t/unsigned.mlir --devices=2 2>&1 | FileCheck %s --check-prefix=UNSIGNED

// EMPTY: empty.mlir:{{.*}}: error: index T has 0 elements, none with the number 5
// NEGATIVE: negative.mlir:{{.*}}: error: index T has 12 elements, none with the number -5
// UNSIGNED: unsigned.mlir:{{.*}}: error: index T[1, 2] is 18446744073709551609, but no

//--- empty.mlir
tapestry.graph @s {
  %F = tapestry.einsum "F" [] () -> [] {
    %five = arith.constant 5 : i64
    tapestry.yield %five : i64
  } : () -> tensor<i64>
  %R = tapestry.require "R" %F, %F {index = "T", shape = array<i64: 0, 4>, bound = "no"} : tensor<i64>
  tapestry.sink "O", %R : tensor<i64>
}

//--- negative.mlir
tapestry.graph @s {
  %F = tapestry.einsum "F" [] () -> [] {
    %number = arith.constant -5 : i64
    tapestry.yield %number : i64
  } : () -> tensor<i64>
  %R = tapestry.require "R" %F, %F {index = "T", shape = array<i64: 3, 4>, bound = "no"} : tensor<i64>
  tapestry.sink "O", %R : tensor<i64>
}

//--- unsigned.mlir
tapestry.graph @s {
  %F = tapestry.einsum "F" [] () -> [] {
    %six = arith.constant 6 : i64
    tapestry.yield %six : i64
  } : () -> tensor<i64>
  %V = tapestry.einsum "V" [] () -> [] {
    %value = arith.constant -7 : i64
    tapestry.yield %value : i64
  } : () -> tensor<i64>
  %R = tapestry.require "R" %F, %V {index = "T", shape = array<i64: 3, 4>, bound = "no", unsigned_value} : tensor<i64>
  tapestry.sink "O", %R : tensor<i64>
}
