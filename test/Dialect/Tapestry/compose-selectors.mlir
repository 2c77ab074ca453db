// RUN: tapestry-opt %s --tapestry-compose-selectors --split-input-file | FileCheck %s
// RUN: tapestry-opt %s --pass-pipeline='builtin.module(tapestry.graph(tapestry-compose-selectors{in-place}))' --split-input-file | FileCheck --check-prefix=PLACE %s

// The example of the pass' description.
// CHECK-LABEL: tapestry.graph @g {
tapestry.graph @g {
  // CHECK-NEXT: %[[X:.*]] = tapestry.source "X"
  %X = tapestry.source "X" : tensor<6xf32>
  // CHECK-NEXT: tapestry.einsum "Y" [i = 2] (%[[X]][i + 4]) -> [i] {
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xf32>) -> tensor<3xf32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xf32>) -> tensor<3xf32>
  %c = tapestry.concat "c" %b, %a along 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  %d = tapestry.slice "d" %c [1] => [3] : (tensor<6xf32>) -> tensor<2xf32>
  %Y = tapestry.einsum "Y" [i = 2] (%d[i]) -> [i] {
  ^bb0(%x: f32):
    %y = math.exp %x : f32
    tapestry.yield %y : f32
  } : (tensor<2xf32>) -> tensor<2xf32>
  tapestry.sink "Y", %Y : tensor<2xf32>
}

// -----

// Halves joined again are the tensor; a stride is a coefficient; a halo over two
// tensors is chosen, in a shard by labels that count from its range.
// CHECK-LABEL: tapestry.graph @pieces {
tapestry.graph @pieces {
  // CHECK-NEXT: %[[X:.*]] = tapestry.source "X"
  %X = tapestry.source "X" : tensor<6xi32>
  // CHECK-NEXT: %[[W:.*]] = tapestry.source "W"
  %W = tapestry.source "W" : tensor<4xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %c = tapestry.concat "c" %a, %b along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  %e = tapestry.slice "e" %c [1] => [6] by [2] : (tensor<6xi32>) -> tensor<3xi32>
  // CHECK-NEXT: tapestry.einsum "E" [i = 3] (%[[X]][2 * i + 1]) -> [i] {
  %E = tapestry.einsum "E" [i = 3] (%e[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %xw = tapestry.concat "xw" %X, %W along 0 : (tensor<6xi32>, tensor<4xi32>) -> tensor<10xi32>
  %h = tapestry.slice "h" %xw [4] => [8] : (tensor<10xi32>) -> tensor<4xi32>
  // CHECK: tapestry.einsum "H" [i = 4] (%[[X]][i + 4] pad 0 : i32, %[[W]][i - 2] pad 0 : i32, %[[W]][i]) -> [i] {
  // CHECK-NEXT: ^bb0(%[[L:.*]]: i32, %[[R:.*]]: i32, %[[O:.*]]: i32):
  // CHECK-NEXT: %[[I:.*]] = tapestry.label "i"
  // CHECK: %[[C:.*]] = arith.constant 0 : index
  // CHECK: %[[AT:.*]] = arith.addi %[[I]], %[[C]]
  // CHECK: %[[FROM:.*]] = arith.constant 2 : index
  // CHECK: %[[IS:.*]] = arith.cmpi sge, %[[AT]], %[[FROM]]
  // CHECK: %[[V:.*]] = arith.select %[[IS]], %[[R]], %[[L]]
  // CHECK: arith.addi %[[V]], %[[O]]
  %H = tapestry.einsum "H" [i = 4] (%h[i], %W[i]) -> [i] {
  ^bb0(%x: i32, %y: i32):
    %s = arith.addi %x, %y : i32
    tapestry.yield %s : i32
  } : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  tapestry.sink "E", %E : tensor<3xi32>
  tapestry.sink "H", %H : tensor<4xi32>
}

// -----

// Beside a slice lies its pad, beside it in the tensor an element; a sink takes
// no view.
// CHECK-LABEL: tapestry.graph @stays {
tapestry.graph @stays {
  // CHECK-NEXT: %[[X:.*]] = tapestry.source "X"
  %X = tapestry.source "X" : tensor<6xi32>
  // CHECK-NEXT: %[[A:.*]] = tapestry.slice "a" %[[X]] [1] => [4]
  %a = tapestry.slice "a" %X [1] => [4] : (tensor<6xi32>) -> tensor<3xi32>
  // CHECK-NEXT: tapestry.einsum "Y" [i = 3] (%[[A]][i - 1] pad 5 : i32, %[[A]][i + 1] edge, %[[X]][i + 1]) -> [i]
  %Y = tapestry.einsum "Y" [i = 3] (%a[i - 1] pad 5 : i32, %a[i + 1] edge, %a[i]) -> [i] {
  ^bb0(%x: i32, %y: i32, %z: i32):
    %s = arith.addi %x, %y : i32
    %t = arith.addi %s, %z : i32
    tapestry.yield %t : i32
  } : (tensor<3xi32>, tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  // CHECK: %[[B:.*]] = tapestry.slice "b"
  %b = tapestry.slice "b" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  // The pad of the slice's end is that of the tensor's.
  // CHECK-NEXT: tapestry.einsum "Z" [i = 3] (%[[X]][i - 1] pad 5 : i32)
  %Z = tapestry.einsum "Z" [i = 3] (%b[i - 1] pad 5 : i32) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  tapestry.sink "Y", %Y : tensor<3xi32>
  tapestry.sink "Z", %Z : tensor<3xi32>
  // CHECK: tapestry.sink "B", %[[B]]
  tapestry.sink "B", %b : tensor<3xi32>
}

// -----

// A label of which the composed subscripts know nothing stays in the body.
// CHECK-LABEL: tapestry.graph @times
tapestry.graph @times {
  %X = tapestry.source "X" : tensor<4x1xi32>
  %b = tapestry.broadcast "b" %X to [4, 5] : (tensor<4x1xi32>) -> tensor<4x5xi32>
  // CHECK-NOT: tapestry.broadcast
  // CHECK: tapestry.einsum "Y" [i = 4, j = 5] (%X[i, 0]) -> [i] reduce add {
  // CHECK: tapestry.label "j"
  %Y = tapestry.einsum "Y" [i = 4, j = 5] (%b[i, j]) -> [i] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<4x5xi32>) -> tensor<4xi32>
  tapestry.sink "Y", %Y : tensor<4xi32>
}

// -----

// Slices of tensors that take turns are these again, also behind other views;
// where a reader meets several its body chooses by the remainder.
// CHECK-LABEL: tapestry.graph @turns
tapestry.graph @turns {
  %X = tapestry.source "X" : tensor<4x3xi32>
  %Y = tapestry.source "Y" : tensor<3x3xi32>
  %Z = tapestry.interleave "Z" %X, %Y along 0 : (tensor<4x3xi32>, tensor<3x3xi32>) -> tensor<7x3xi32>
  %T = tapestry.permute "T" %Z to [1, 0] : (tensor<7x3xi32>) -> tensor<3x7xi32>
  %odd = tapestry.slice "odd" %Z [1, 0] => [7, 3] by [2, 1] : (tensor<7x3xi32>) -> tensor<3x3xi32>
  // CHECK-NOT: tapestry.interleave
  // CHECK: tapestry.einsum "A" [i = 3, j = 4] (%X[j, i]) -> [i, j]
  %A = tapestry.einsum "A" [i = 3, j = 4] (%T[i, 2 * j]) -> [i, j] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3x7xi32>) -> tensor<3x4xi32>
  // CHECK: tapestry.einsum "B" [i = 5] (%X[(i + 1) floordiv 2, 0], %Y[(i + 1) floordiv 2, 0]) -> [i] {
  // CHECK: arith.remsi
  // CHECK: arith.select
  %B = tapestry.einsum "B" [i = 5] (%Z[i + 1, 0]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7x3xi32>) -> tensor<5xi32>
  %even = tapestry.view "even" %Z by <(d0, d1) -> (2 * d0, d1)> : (tensor<7x3xi32>) -> tensor<4x3xi32>
  %again = tapestry.interleave "again" %even, %odd along 0 : (tensor<4x3xi32>, tensor<3x3xi32>) -> tensor<7x3xi32>
  // CHECK: tapestry.einsum "C" {{.*}} (%X[i, 0]) -> [i]
  %C = tapestry.einsum "C" [i = 4] (%again[2 * i, 0]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7x3xi32>) -> tensor<4xi32>
  tapestry.sink "A", %A : tensor<3x4xi32>
  tapestry.sink "B", %B : tensor<5xi32>
  tapestry.sink "C", %C : tensor<4xi32>
  // CHECK: tapestry.sink "odd", %Y
  tapestry.sink "odd", %odd : tensor<3x3xi32>
}

// -----

// What takes turns with the slices of one tensor is that.
// CHECK-LABEL: tapestry.graph @again
tapestry.graph @again {
  %X = tapestry.source "X" : tensor<7xi32>
  %a = tapestry.slice "a" %X [0] => [7] by [3] : (tensor<7xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [1] => [7] by [3] : (tensor<7xi32>) -> tensor<2xi32>
  %c = tapestry.slice "c" %X [2] => [7] by [3] : (tensor<7xi32>) -> tensor<2xi32>
  %Y = tapestry.interleave "Y" %a, %b, %c along 0 : (tensor<3xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<7xi32>
  // CHECK-NEXT: %X = tapestry.source
  // CHECK-NEXT: tapestry.sink "Y", %X
  tapestry.sink "Y", %Y : tensor<7xi32>
}

// -----

// What a loop begins with and carries stays an operator's result.
// CHECK-LABEL: tapestry.graph @carried
tapestry.graph @carried {
  %X = tapestry.source "X" : tensor<7xi32>
  %back = tapestry.reverse "back" %X along [0] : (tensor<7xi32>) -> tensor<7xi32>
  %start = tapestry.reverse "start" %back along [0] : (tensor<7xi32>) -> tensor<7xi32>
  // CHECK: tapestry.loop "Y" 3 from %start
  %Y = tapestry.loop "Y" 3 from %start : tensor<7xi32> {
  ^bb0(%y: tensor<7xi32>):
    %a = tapestry.reverse "a" %y along [0] : (tensor<7xi32>) -> tensor<7xi32>
    %b = tapestry.reverse "b" %a along [0] : (tensor<7xi32>) -> tensor<7xi32>
    // CHECK: tapestry.next %b
    tapestry.next %b : tensor<7xi32>
  }
  tapestry.sink "Y", %Y : tensor<7xi32>
}

// -----

// Einsums that compute nothing are views where readers read in place: the slices of
// Y go on in each other; what is marked is made, and the mark goes. What has two readers is made
// of what is computed, and read where a source has it.
// CHECK-LABEL: tapestry.graph @einsums
// CHECK: tapestry.einsum "A"
// CHECK: tapestry.einsum "Y" [i = 7] (%A[i] pad 0 : i32, %B[i - 3] pad 0 : i32) -> [i]
// PLACE-LABEL: tapestry.graph @einsums
// PLACE-NEXT: %[[X:.*]] = tapestry.source "X"
// PLACE-NEXT: %[[Y:.*]] = tapestry.einsum "Y" [i = 7] (%[[X]][i]) -> [i]
// PLACE: tapestry.einsum "Z" [i = 7] (%[[X]][i + 4] pad 0 : i32, %[[X]][i - 3] pad 0 : i32) -> [i]
// PLACE: %[[M:.*]] = tapestry.einsum "M" [i = 3] (%[[X]][i + 1]) -> [i] {
// PLACE: tapestry.einsum "N" [i = 3] (%[[M]][i])
// PLACE: tapestry.einsum "Q" [i = 3] (%[[X]][i + 2], %[[X]][i + 4])
// PLACE: tapestry.einsum "R" [i = 3] (%[[X]][i + 2])
// PLACE: %[[T:.*]] = tapestry.einsum "T" [i = 3] (%[[Y]][i + 2])
// PLACE: tapestry.einsum "U" [i = 3] (%[[T]][i])
// PLACE: tapestry.einsum "V" [i = 3] (%[[T]][i])
tapestry.graph @einsums {
  %X = tapestry.source "X" : tensor<7xi32>
  %A = tapestry.einsum "A" [i = 3] (%X[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7xi32>) -> tensor<3xi32>
  %B = tapestry.einsum "B" [i = 4] (%X[i + 3]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7xi32>) -> tensor<4xi32>
  %Y = tapestry.einsum "Y" [i = 7] (%A[i] pad 0 : i32, %B[i - 3] pad 0 : i32) -> [i] {
  ^bb0(%x: i32, %y: i32):
    %i = tapestry.label "i"
    %n = arith.constant 3 : index
    %c = arith.cmpi slt, %i, %n : index
    %v = arith.select %c, %x, %y : i32
    tapestry.yield %v : i32
  } : (tensor<3xi32>, tensor<4xi32>) -> tensor<7xi32>
  %C = tapestry.einsum "C" [i = 3] (%X[i + 4]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7xi32>) -> tensor<3xi32>
  %D = tapestry.einsum "D" [i = 4] (%X[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7xi32>) -> tensor<4xi32>
  %E = tapestry.einsum "E" [i = 7] (%C[i] pad 0 : i32, %D[i - 3] pad 0 : i32) -> [i] {
  ^bb0(%x: i32, %y: i32):
    %i = tapestry.label "i"
    %n = arith.constant 3 : index
    %c = arith.cmpi slt, %i, %n : index
    %v = arith.select %c, %x, %y : i32
    tapestry.yield %v : i32
  } : (tensor<3xi32>, tensor<4xi32>) -> tensor<7xi32>
  %Z = tapestry.einsum "Z" [i = 7] (%E[i]) -> [i] {
  ^bb0(%x: i32):
    %w = arith.muli %x, %x : i32
    tapestry.yield %w : i32
  } : (tensor<7xi32>) -> tensor<7xi32>
  %M = tapestry.einsum "M" [i = 3] (%X[i + 1]) -> [i] attributes {tapestry.made} {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7xi32>) -> tensor<3xi32>
  %N = tapestry.einsum "N" [i = 3] (%M[i]) -> [i] {
  ^bb0(%x: i32):
    %w = arith.muli %x, %x : i32
    tapestry.yield %w : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %P = tapestry.einsum "P" [i = 3] (%X[i + 2]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7xi32>) -> tensor<3xi32>
  %S = tapestry.einsum "S" [i = 3] (%X[i + 4]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7xi32>) -> tensor<3xi32>
  %Q = tapestry.einsum "Q" [i = 3] (%P[i], %S[i]) -> [i] {
  ^bb0(%x: i32, %y: i32):
    %w = arith.muli %x, %y : i32
    tapestry.yield %w : i32
  } : (tensor<3xi32>, tensor<3xi32>) -> tensor<3xi32>
  %R = tapestry.einsum "R" [i = 3] (%P[i]) -> [i] {
  ^bb0(%x: i32):
    %w = arith.muli %x, %x : i32
    tapestry.yield %w : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %T = tapestry.einsum "T" [i = 3] (%Y[i + 2]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<7xi32>) -> tensor<3xi32>
  %U = tapestry.einsum "U" [i = 3] (%T[i]) -> [i] {
  ^bb0(%x: i32):
    %w = arith.muli %x, %x : i32
    tapestry.yield %w : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %V = tapestry.einsum "V" [i = 3] (%T[i]) -> [i] {
  ^bb0(%x: i32):
    %w = arith.muli %x, %x : i32
    tapestry.yield %w : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  tapestry.sink "U", %U : tensor<3xi32>
  tapestry.sink "V", %V : tensor<3xi32>
  tapestry.sink "Y", %Y : tensor<7xi32>
  tapestry.sink "Z", %Z : tensor<7xi32>
  tapestry.sink "N", %N : tensor<3xi32>
  tapestry.sink "Q", %Q : tensor<3xi32>
  tapestry.sink "R", %R : tensor<3xi32>
}

// -----

// Pieces in order, and behind the last the pad.

tapestry.graph @behind {
  // CHECK-LABEL: @behind
  // CHECK: %[[A:.*]] = tapestry.source "A"
  %a = tapestry.source "A" : tensor<5xf32>
  %r = tapestry.repeat "R" %a along 0 times 2 : (tensor<5xf32>) -> tensor<10xf32>
  // CHECK-NEXT: tapestry.einsum "Y" [i = 10] (%[[A]][i + 1] pad 0.{{0*}}e+00 : f32, %[[A]][i - 4] pad 0.{{0*}}e+00 : f32) -> [i]
  // CHECK-NEXT: ^bb0(%[[FIRST:.*]]: f32, %[[SECOND:.*]]: f32)
  // CHECK-DAG: %[[PAD:.*]] = arith.constant 7.5
  // CHECK-DAG: %[[SHORT:.*]] = arith.cmpi slt, %[[AT:.*]], %{{.*}}
  // CHECK: %[[HALF:.*]] = arith.select %[[SHORT]], %[[FIRST]], %[[PAD]]
  // CHECK: arith.cmpi sge, %[[AT]]
  // CHECK: arith.cmpi slt, %[[AT]]
  // CHECK: %[[INSIDE:.*]] = arith.andi
  // CHECK: arith.select %[[INSIDE]], %[[SECOND]], %[[HALF]]
  %Y = tapestry.einsum "Y" [i = 10] (%r[i + 1] pad 7.5 : f32) -> [i] {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<10xf32>) -> tensor<10xf32>
  tapestry.sink "O", %Y : tensor<10xf32>
}

// -----

// What is handed on once is computed where it goes; what another reads, or a
// view hands on twice, is a tensor.

tapestry.graph @turned {
  // PLACE-LABEL: @turned
  // PLACE: %[[X:.*]] = tapestry.source "X"
  %X = tapestry.source "X" : tensor<7xf32>
  %V = tapestry.einsum "V" [i = 7] (%X[i]) -> [i] {
  ^bb0(%x: f32):
    %0 = arith.mulf %x, %x : f32
    tapestry.yield %0 : f32
  } : (tensor<7xf32>) -> tensor<7xf32>
  // PLACE-NEXT: tapestry.einsum "Z" [i = 7] (%[[X]][i + 4] pad 0.{{0*}}e+00 : f32, %[[X]][i - 3] pad 0.{{0*}}e+00 : f32) -> [i]
  // PLACE-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32)
  // PLACE-DAG: %[[AA:.*]] = arith.mulf %[[A]], %[[A]]
  // PLACE-DAG: %[[BB:.*]] = arith.mulf %[[B]], %[[B]]
  // PLACE: arith.select %{{.*}}, %[[AA]], %[[BB]]
  %Z = tapestry.einsum "Z" [i = 7] (%V[i + 4] pad 0.0 : f32, %V[i - 3] pad 0.0 : f32) -> [i] {
  ^bb0(%a: f32, %b: f32):
    %0 = tapestry.label "i"
    %c3 = arith.constant 3 : index
    %1 = arith.cmpi slt, %0, %c3 : index
    %2 = arith.select %1, %a, %b : f32
    tapestry.yield %2 : f32
  } : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  // PLACE: %[[W:.*]] = tapestry.einsum "W" [i = 7] (%[[X]][i])
  %W = tapestry.einsum "W" [i = 7] (%X[i]) -> [i] {
  ^bb0(%x: f32):
    %0 = arith.addf %x, %x : f32
    tapestry.yield %0 : f32
  } : (tensor<7xf32>) -> tensor<7xf32>
  // PLACE: tapestry.einsum "Twice" [i = 8] (%[[W]][i] pad
  %T = tapestry.einsum "Twice" [i = 8] (%W[i] pad 0.0 : f32, %W[i - 3] pad 0.0 : f32) -> [i] {
  ^bb0(%a: f32, %b: f32):
    %0 = tapestry.label "i"
    %c4 = arith.constant 4 : index
    %1 = arith.cmpi slt, %0, %c4 : index
    %2 = arith.select %1, %a, %b : f32
    tapestry.yield %2 : f32
  } : (tensor<7xf32>, tensor<7xf32>) -> tensor<8xf32>
  tapestry.sink "Z", %Z : tensor<7xf32>
  tapestry.sink "T", %T : tensor<8xf32>
}

// -----

// What lies in turns within another tensor is made once, and read beside that where both
// lie; what slices of it are again is read where it lies.
// PLACE-LABEL: tapestry.graph @in_turns
tapestry.graph @in_turns {
  %A = tapestry.source "A" : tensor<4xf32>
  %B = tapestry.source "B" : tensor<4xf32>
  // PLACE: %[[T:.*]] = tapestry.interleave "T" %A, %B
  %T = tapestry.interleave "T" %A, %B along 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  // PLACE-NOT: tapestry.concat
  %C = tapestry.concat "C" %T, %A along 0 : (tensor<8xf32>, tensor<4xf32>) -> tensor<12xf32>
  // PLACE: tapestry.einsum "Y" [i = 12] (%[[T]][i] pad 0.000000e+00 : f32, %A[i - 8] pad 0.000000e+00 : f32)
  %Y = tapestry.einsum "Y" [i = 12] (%C[i]) -> [i] {
  ^bb0(%c: f32):
    %s = arith.mulf %c, %c : f32
    tapestry.yield %s : f32
  } : (tensor<12xf32>) -> tensor<12xf32>
  %U = tapestry.interleave "U" %B, %A along 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %odd = tapestry.slice "odd" %U [1] => [8] by [2] : (tensor<8xf32>) -> tensor<4xf32>
  // PLACE: tapestry.einsum "Z" [i = 4] (%A[i])
  %Z = tapestry.einsum "Z" [i = 4] (%odd[i]) -> [i] {
  ^bb0(%c: f32):
    %s = arith.mulf %c, %c : f32
    tapestry.yield %s : f32
  } : (tensor<4xf32>) -> tensor<4xf32>
  tapestry.sink "Y", %Y : tensor<12xf32>
  tapestry.sink "Z", %Z : tensor<4xf32>
}
