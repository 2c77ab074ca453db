// RUN: tapestry-opt %s --tapestry-recognize-shards --split-input-file | FileCheck %s
// RUN: tapestry-opt %s --tapestry-unshard --split-input-file | FileCheck %s --check-prefix=WHOLE

// Rows of different numbers. A slice of more than is read is cut to what is.
// CHECK-LABEL: tapestry.graph @rows
// CHECK:      tapestry.slice "a" %X [0] => [4]
// CHECK-NEXT: %[[A:.*]] = tapestry.slice "{{.*}}" %a [0] => [2]
// CHECK-NEXT: %[[ONE:.*]] = tapestry.shard "one" [0] => [2] (%[[A]]) {
// CHECK-NEXT: ^bb0(%[[T:.*]]: tensor<5xi32>):
// CHECK-NEXT:   tapestry.einsum "one" [i = 5] (%[[T]][i]) -> [i]
// CHECK:      tapestry.shard "two" [2] => [5] (%b) {
// CHECK-NEXT: ^bb0(%[[T:.*]]: tensor<5xi32>):
// CHECK-NEXT:   tapestry.einsum "two" [n = 5] (%[[T]][n]) -> [n]
// WHOLE-LABEL: tapestry.graph @rows
// WHOLE-NEXT: %[[X:.*]] = tapestry.source "X"
// WHOLE-NEXT: %[[Y:.*]] = tapestry.einsum "Y" [i = 5] (%[[X]][i]) -> [i]
// WHOLE:      tapestry.sink "Y", %[[Y]]
tapestry.graph @rows {
  %X = tapestry.source "X" : tensor<5xi32>
  %a = tapestry.slice "a" %X [0] => [4] : (tensor<5xi32>) -> tensor<4xi32>
  %1 = tapestry.einsum "one" [i = 2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<4xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [2] => [5] : (tensor<5xi32>) -> tensor<3xi32>
  %2 = tapestry.einsum "two" [n = 3] (%b[n]) -> [n] {
  ^bb0(%x: i32):
    %m = arith.muli %x, %x : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<2xi32>, tensor<3xi32>) -> tensor<5xi32>
  tapestry.sink "Y", %Y : tensor<5xi32>
}

// -----

// A stencil over what a stencil makes, each in two blocks: the halo of one side is a
// concatenation with the end of the other block. What is beside the tensor is padded where a
// block leaves it, and the labels' values count from the whole's first.
// CHECK-LABEL: tapestry.graph @halos
// CHECK: tapestry.shard "z1" [0, 0] => [3, 2]
// CHECK: tapestry.einsum "{{.*}}" [i = 6, r = 2] (%{{.*}}[i + r - 1] pad 7 : i32) -> [i] reduce add
// CHECK: tapestry.shard "z2" [3, 0] => [6, 2]
// CHECK: tapestry.einsum "{{.*}}" [i = 6, r = 2] (%{{.*}}[i + r - 1] pad 7 : i32) -> [i] reduce add
// WHOLE-LABEL: tapestry.graph @halos
// WHOLE: %[[Y:.*]] = tapestry.einsum "{{.*}}" [i = 6, r = 2] (%X[i + r]) -> [i] reduce add {
// WHOLE-NEXT: ^bb0(%[[E:.*]]: i32):
// WHOLE-NEXT:   %[[I:.*]] = tapestry.label "i"
// WHOLE-NEXT:   %[[N:.*]] = arith.index_cast %[[I]] : index to i32
// WHOLE-NEXT:   arith.addi %[[E]], %[[N]] : i32
// WHOLE: %[[Z:.*]] = tapestry.einsum "Z" [i = 6, r = 2] (%[[Y]][i + r - 1] pad 7 : i32) -> [i] reduce add {
// WHOLE: tapestry.sink "Z", %[[Z]]
tapestry.graph @halos {
  %X = tapestry.source "X" : tensor<7xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<7xi32>) -> tensor<3xi32>
  %y1 = tapestry.einsum "y1" [i = 2, r = 2] (%a[i + r]) -> [i] reduce add {
  ^bb0(%x: i32):
    %i = tapestry.label "i"
    %n = arith.index_cast %i : index to i32
    %m = arith.addi %x, %n : i32
    tapestry.yield %m : i32
  } : (tensor<3xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [2] => [7] : (tensor<7xi32>) -> tensor<5xi32>
  %y2 = tapestry.einsum "y2" [i = 4, r = 2] (%b[i + r]) -> [i] reduce add {
  ^bb0(%x: i32):
    %i = tapestry.label "i"
    %two = arith.constant 2 : index
    %j = arith.addi %i, %two : index
    %n = arith.index_cast %j : index to i32
    %m = arith.addi %x, %n : i32
    tapestry.yield %m : i32
  } : (tensor<5xi32>) -> tensor<4xi32>
  %c = tapestry.slice "c" %y2 [0] => [1] : (tensor<4xi32>) -> tensor<1xi32>
  %d = tapestry.concat "d" %y1, %c along 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>
  %z1 = tapestry.einsum "z1" [i = 3, r = 2] (%d[i + r - 1] pad 7 : i32) -> [i] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %z2 = tapestry.einsum "z2" [i = 3, r = 2] (%y2[i + r]) -> [i] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<4xi32>) -> tensor<3xi32>
  %Z = tapestry.concat "Z" %z1, %z2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "Z", %Z : tensor<6xi32>
}

// -----

// A matrix of blocks, the first of which is a sum of partial products. They come in another
// order, one of them by another name of its labels.
// CHECK-LABEL: tapestry.graph @matrix
// CHECK: tapestry.shard "late" [0, 2, 0] => [2, 6, 3]
// CHECK: tapestry.shard "early" [0, 0, 0] => [2, 2, 3]
// CHECK: tapestry.shard "below" [2, 0, 0] => [3, 6, 3]
// WHOLE-LABEL: tapestry.graph @matrix
// WHOLE: %[[C:.*]] = tapestry.einsum "C" [i = 3, k = 6, j = 3] (%A[i, k], %B[k, j]) -> [i, j] reduce add {
// WHOLE: tapestry.sink "C", %[[C]]
tapestry.graph @matrix {
  %A = tapestry.source "A" : tensor<3x6xi32>
  %B = tapestry.source "B" : tensor<6x3xi32>
  %a1 = tapestry.slice "a1" %A [0, 2] => [2, 6] : (tensor<3x6xi32>) -> tensor<2x4xi32>
  %b1 = tapestry.slice "b1" %B [2, 0] => [6, 3] : (tensor<6x3xi32>) -> tensor<4x3xi32>
  %late = tapestry.einsum "late" [i = 2, k = 4, j = 3] (%a1[i, k], %b1[k, j]) -> [i, j] reduce add {
  ^bb0(%a: i32, %b: i32):
    %m = arith.muli %a, %b : i32
    tapestry.yield %m : i32
  } : (tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
  %a2 = tapestry.slice "a2" %A [0, 0] => [2, 2] : (tensor<3x6xi32>) -> tensor<2x2xi32>
  %b2 = tapestry.slice "b2" %B [0, 0] => [2, 3] : (tensor<6x3xi32>) -> tensor<2x3xi32>
  %early = tapestry.einsum "early" [n = 2, s = 2, m = 3] (%a2[n, s], %b2[s, m]) -> [n, m] reduce add {
  ^bb0(%a: i32, %b: i32):
    %m = arith.muli %a, %b : i32
    tapestry.yield %m : i32
  } : (tensor<2x2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %sum = tapestry.einsum "sum" [i = 2, j = 3] (%late[i, j], %early[i, j]) -> [i, j] {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tapestry.yield %s : i32
  } : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %a3 = tapestry.slice "a3" %A [2, 0] => [3, 6] : (tensor<3x6xi32>) -> tensor<1x6xi32>
  %below = tapestry.einsum "below" [i = 1, k = 6, j = 3] (%a3[i, k], %B[k, j]) -> [i, j] reduce add {
  ^bb0(%a: i32, %b: i32):
    %m = arith.muli %a, %b : i32
    tapestry.yield %m : i32
  } : (tensor<1x6xi32>, tensor<6x3xi32>) -> tensor<1x3xi32>
  %C = tapestry.concat "C" %sum, %below along 0 : (tensor<2x3xi32>, tensor<1x3xi32>) -> tensor<3x3xi32>
  tapestry.sink "C", %C : tensor<3x3xi32>
}

// -----

// A sum of two products is no product of pieces: both are cut by rows, and so is their sum.
// Blocks with bodies and sorted rows are operators as any other.
// WHOLE-LABEL: tapestry.graph @kinds
// WHOLE-DAG: %[[XA:.*]] = tapestry.einsum "{{.*}}" [i = 3, k = 4] (%X[i, k], %A[k]) -> [i] reduce add
// WHOLE-DAG: %[[HB:.*]] = tapestry.einsum "{{.*}}" [i = 3, k = 2] (%H[i, k], %B[k]) -> [i] reduce add
// WHOLE: %[[Y:.*]] = tapestry.einsum "Y" [i = 3] (%[[XA]][i], %[[HB]][i]) -> [i]
// WHOLE: %[[S:.*]] = tapestry.sort "{{.*}}" ["i", "j"] along "j" %X : (tensor<3x4xi32>) -> tensor<3x4xi32>
// WHOLE: %[[D:.*]] = tapestry.block "D" {{.*}} [b = 3, i = 3] (%[[S]])
// WHOLE-NOT: tapestry.slice
// WHOLE-NOT: tapestry.concat
#diff = #tapestry.kernel<"diff" [b, i] (X : i32[b, i : 2]) -> (Y : i32[b, i])>
tapestry.graph @kinds {
  %X = tapestry.source "X" : tensor<3x4xi32>
  %A = tapestry.source "A" : tensor<4xi32>
  %H = tapestry.source "H" : tensor<3x2xi32>
  %B = tapestry.source "B" : tensor<2xi32>
  %x1 = tapestry.slice "x1" %X [0, 0] => [1, 4] : (tensor<3x4xi32>) -> tensor<1x4xi32>
  %x2 = tapestry.slice "x2" %X [1, 0] => [3, 4] : (tensor<3x4xi32>) -> tensor<2x4xi32>
  %h1 = tapestry.slice "h1" %H [0, 0] => [1, 2] : (tensor<3x2xi32>) -> tensor<1x2xi32>
  %h2 = tapestry.slice "h2" %H [1, 0] => [3, 2] : (tensor<3x2xi32>) -> tensor<2x2xi32>
  %xa1 = tapestry.einsum "xa1" [i = 1, k = 4] (%x1[i, k], %A[k]) -> [i] reduce add {
  ^bb0(%a: i32, %b: i32):
    %m = arith.muli %a, %b : i32
    tapestry.yield %m : i32
  } : (tensor<1x4xi32>, tensor<4xi32>) -> tensor<1xi32>
  %hb1 = tapestry.einsum "hb1" [i = 1, k = 2] (%h1[i, k], %B[k]) -> [i] reduce add {
  ^bb0(%a: i32, %b: i32):
    %m = arith.muli %a, %b : i32
    tapestry.yield %m : i32
  } : (tensor<1x2xi32>, tensor<2xi32>) -> tensor<1xi32>
  %y1 = tapestry.einsum "y1" [i = 1] (%xa1[i], %hb1[i]) -> [i] {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tapestry.yield %s : i32
  } : (tensor<1xi32>, tensor<1xi32>) -> tensor<1xi32>
  %xa2 = tapestry.einsum "xa2" [i = 2, k = 4] (%x2[i, k], %A[k]) -> [i] reduce add {
  ^bb0(%a: i32, %b: i32):
    %m = arith.muli %a, %b : i32
    tapestry.yield %m : i32
  } : (tensor<2x4xi32>, tensor<4xi32>) -> tensor<2xi32>
  %hb2 = tapestry.einsum "hb2" [i = 2, k = 2] (%h2[i, k], %B[k]) -> [i] reduce add {
  ^bb0(%a: i32, %b: i32):
    %m = arith.muli %a, %b : i32
    tapestry.yield %m : i32
  } : (tensor<2x2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %y2 = tapestry.einsum "y2" [i = 2] (%xa2[i], %hb2[i]) -> [i] {
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tapestry.yield %s : i32
  } : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %Y = tapestry.concat "Y" %y1, %y2 along 0 : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  %s1 = tapestry.sort "s1" ["i", "j"] along "j" %x1 : (tensor<1x4xi32>) -> tensor<1x4xi32>
  %s2 = tapestry.sort "s2" ["i", "j"] along "j" %x2 : (tensor<2x4xi32>) -> tensor<2x4xi32>
  %d1 = tapestry.block "d1" #diff [b = 1, i = 3] (%s1) {} body {
  ^bb0(%x: tensor<2xi32>, %b: index, %i: index):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %l = tensor.extract %x[%zero] : tensor<2xi32>
    %r = tensor.extract %x[%one] : tensor<2xi32>
    %d = arith.subi %r, %l : i32
    tapestry.block_yield %d : i32
  } : (tensor<1x4xi32>) -> tensor<1x3xi32>
  %d2 = tapestry.block "d2" #diff [b = 2, i = 3] (%s2) {} body {
  ^bb0(%x: tensor<2xi32>, %b: index, %i: index):
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %l = tensor.extract %x[%zero] : tensor<2xi32>
    %r = tensor.extract %x[%one] : tensor<2xi32>
    %d = arith.subi %r, %l : i32
    tapestry.block_yield %d : i32
  } : (tensor<2x4xi32>) -> tensor<2x3xi32>
  %D = tapestry.concat "D" %d1, %d2 along 0 : (tensor<1x3xi32>, tensor<2x3xi32>) -> tensor<3x3xi32>
  tapestry.sink "Y", %Y : tensor<3xi32>
  tapestry.sink "D", %D : tensor<3x3xi32>
}

// -----

// Several results, each put together.
// WHOLE-LABEL: tapestry.graph @results
// WHOLE: %[[Y:.*]], %[[S:.*]] = tapestry.block "Y" {{.*}} [b = 5, i = 4] (%X)
// WHOLE: tapestry.sink "Y", %[[Y]]
// WHOLE: tapestry.sink "S", %[[S]]
#k = #tapestry.kernel<"square" [b, i] (X : i32[b, i]) -> (Y : i32[b, i], S : i32[b] max)>
tapestry.graph @results {
  %X = tapestry.source "X" : tensor<5x4xi32>
  %a = tapestry.slice "a" %X [0, 0] => [2, 4] : (tensor<5x4xi32>) -> tensor<2x4xi32>
  %b = tapestry.slice "b" %X [2, 0] => [5, 4] : (tensor<5x4xi32>) -> tensor<3x4xi32>
  %y1, %s1 = tapestry.block "1" #k [b = 2, i = 4] (%a) {} body {
  ^bb0(%x: i32, %p: index, %i: index):
    %d = arith.muli %x, %x : i32
    tapestry.block_yield %d, %x : i32, i32
  } : (tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<2xi32>)
  %y2, %s2 = tapestry.block "2" #k [b = 3, i = 4] (%b) {} body {
  ^bb0(%x: i32, %p: index, %i: index):
    %d = arith.muli %x, %x : i32
    tapestry.block_yield %d, %x : i32, i32
  } : (tensor<3x4xi32>) -> (tensor<3x4xi32>, tensor<3xi32>)
  %Y = tapestry.concat "Y" %y1, %y2 along 0 : (tensor<2x4xi32>, tensor<3x4xi32>) -> tensor<5x4xi32>
  %S = tapestry.concat "S" %s1, %s2 along 0 : (tensor<2xi32>, tensor<3xi32>) -> tensor<5xi32>
  tapestry.sink "Y", %Y : tensor<5x4xi32>
  tapestry.sink "S", %S : tensor<5xi32>
}

// -----

// In a loop, of what it carries.
// WHOLE-LABEL: tapestry.graph @loop
// WHOLE: tapestry.loop "L" 3 from
// WHOLE-NEXT: ^bb0(%[[X:.*]]: tensor<6xi32>):
// WHOLE-NEXT: %[[Y:.*]] = tapestry.einsum "Y" [i = 6] (%[[X]][i]) -> [i]
// WHOLE: tapestry.next %[[Y]]
tapestry.graph @loop {
  %X = tapestry.source "X" : tensor<6xi32>
  %S = tapestry.einsum "S" [i = 6] (%X[i]) -> [i] {
    ^bb0(%e: i32):
      tapestry.yield %e : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
  %r = tapestry.loop "L" 3 from %S : tensor<6xi32> {
  ^bb0(%x: tensor<6xi32>):
    %a = tapestry.slice "a" %x [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
    %1 = tapestry.einsum "1" [i = 2] (%a[i]) -> [i] {
    ^bb0(%e: i32):
      %m = arith.muli %e, %e : i32
      tapestry.yield %m : i32
    } : (tensor<2xi32>) -> tensor<2xi32>
    %b = tapestry.slice "b" %x [2] => [6] : (tensor<6xi32>) -> tensor<4xi32>
    %2 = tapestry.einsum "2" [i = 4] (%b[i]) -> [i] {
    ^bb0(%e: i32):
      %m = arith.muli %e, %e : i32
      tapestry.yield %m : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
    tapestry.next %Y : tensor<6xi32>
  }
  tapestry.sink "R", %r : tensor<6xi32>
}
