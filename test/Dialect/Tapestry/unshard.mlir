// RUN: tapestry-opt %s --tapestry-unshard --split-input-file | FileCheck %s
// What has been put together is cut otherwise, put together again, and is the same.
// RUN: tapestry-opt %s --tapestry-unshard --split-input-file > %t.mlir
// RUN: tapestry-opt %t.mlir --split-input-file --tapestry-plan-pipeline=devices=3 --tapestry-shard --tapestry-unshard | FileCheck %s

// The example of tapestry-shard.
// CHECK-LABEL: tapestry.graph @g {
tapestry.graph @g {
  // CHECK-NEXT: %[[X:.*]] = tapestry.source "X"
  %X = tapestry.source "X" : tensor<5x3xf32>
  // CHECK-NEXT: %[[Y:.*]] = tapestry.einsum "Y" [i = 5, j = 3] (%[[X]][i, j]) -> [i] reduce add {
  // CHECK-NEXT: ^bb0(%[[E:.*]]: f32):
  // CHECK-NEXT: tapestry.yield %[[E]] : f32
  // CHECK-NEXT: } : (tensor<5x3xf32>) -> tensor<5xf32>
  // CHECK-NEXT: tapestry.sink "Y", %[[Y]]
  %Y.1.0 = tapestry.slice "Y.1.0" %X [0, 0] => [3, 3] : (tensor<5x3xf32>) -> tensor<3x3xf32>
  %Y.1 = tapestry.shard "Y.1" [0, 0] => [3, 3] (%Y.1.0) {
  ^bb0(%t0: tensor<5x3xf32>):
    %w = tapestry.einsum "W" [i = 5, j = 3] (%t0[i, j]) -> [i] reduce add {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<5x3xf32>) -> tensor<5xf32>
    tapestry.part_of %w : tensor<5xf32>
  } : (tensor<3x3xf32>) -> tensor<3xf32>
  %Y.2.0 = tapestry.slice "Y.2.0" %X [3, 0] => [5, 3] : (tensor<5x3xf32>) -> tensor<2x3xf32>
  %Y.2 = tapestry.shard "Y.2" [3, 0] => [5, 3] (%Y.2.0) {
  ^bb0(%t0: tensor<5x3xf32>):
    %w = tapestry.einsum "W" [i = 5, j = 3] (%t0[i, j]) -> [i] reduce add {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<5x3xf32>) -> tensor<5xf32>
    tapestry.part_of %w : tensor<5xf32>
  } : (tensor<2x3xf32>) -> tensor<2xf32>
  %Y = tapestry.concat "Y" %Y.1, %Y.2 along 0 : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
  tapestry.sink "Y", %Y : tensor<5xf32>
}

// -----

// By hand: three blocks that are no grid, in another order, by slices of slices;
// the reader takes a halo from two of them as they are.
// CHECK-LABEL: tapestry.graph @by_hand {
tapestry.graph @by_hand {
  // CHECK: %[[X:.*]] = tapestry.source "X"
  %X = tapestry.source "X" : tensor<4x6xi32>
  // CHECK-NEXT: %[[Y:.*]] = tapestry.einsum "Y" [i = 4, j = 6] (%[[X]][i, j]) -> [i, j] {
  // CHECK: tapestry.label "j"
  // CHECK: %[[Z:.*]] = tapestry.einsum "{{.*}}" [j = 6] (%[[Y]][2, j - 1] pad 7 : i32) -> [j] {
  // CHECK: tapestry.sink "Y", %[[Y]]
  // CHECK: tapestry.sink "Z", %[[Z]]
  // CHECK-NOT: tapestry.shard
  %lower = tapestry.slice "lower" %X [2, 0] => [4, 6] : (tensor<4x6xi32>) -> tensor<2x6xi32>
  %corner = tapestry.slice "corner" %lower [0, 2] => [2, 6] : (tensor<2x6xi32>) -> tensor<2x4xi32>
  %c = tapestry.shard "c" [2, 2] => [4, 6] (%corner) {
  ^bb0(%t0: tensor<4x6xi32>):
    %w = tapestry.einsum "W" [i = 4, j = 6] (%t0[i, j]) -> [i, j] {
    ^bb0(%x: i32):
      %j = tapestry.label "j"
      %k = arith.index_cast %j : index to i32
      %s = arith.addi %x, %k : i32
      tapestry.yield %s : i32
    } : (tensor<4x6xi32>) -> tensor<4x6xi32>
    tapestry.part_of %w : tensor<4x6xi32>
  } : (tensor<2x4xi32>) -> tensor<2x4xi32>
  %left = tapestry.slice "left" %lower [0, 0] => [2, 2] : (tensor<2x6xi32>) -> tensor<2x2xi32>
  %b = tapestry.shard "b" [2, 0] => [4, 2] (%left) {
  ^bb0(%t0: tensor<4x6xi32>):
    %w = tapestry.einsum "W" [i = 4, j = 6] (%t0[i, j]) -> [i, j] {
    ^bb0(%x: i32):
      %j = tapestry.label "j"
      %k = arith.index_cast %j : index to i32
      %s = arith.addi %x, %k : i32
      tapestry.yield %s : i32
    } : (tensor<4x6xi32>) -> tensor<4x6xi32>
    tapestry.part_of %w : tensor<4x6xi32>
  } : (tensor<2x2xi32>) -> tensor<2x2xi32>
  %right = tapestry.concat "right" %b, %c along 1 : (tensor<2x2xi32>, tensor<2x4xi32>) -> tensor<2x6xi32>
  // Of its halo this one reads what two others computed.
  %h = tapestry.slice "h" %right [0, 1] => [1, 5] : (tensor<2x6xi32>) -> tensor<1x4xi32>
  %z2 = tapestry.shard "z2" [2] => [6] (%h) {
  ^bb0(%t0: tensor<4x6xi32>):
    %w = tapestry.einsum "W" [j = 6] (%t0[2, j - 1] pad 7 : i32) -> [j] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<4x6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<1x4xi32>) -> tensor<4xi32>
  %b0 = tapestry.slice "b0" %b [0, 0] => [1, 1] : (tensor<2x2xi32>) -> tensor<1x1xi32>
  %z1 = tapestry.shard "z1" [0] => [2] (%b0) {
  ^bb0(%t0: tensor<4x6xi32>):
    %w = tapestry.einsum "W" [j = 6] (%t0[2, j - 1] pad 7 : i32) -> [j] {
    ^bb0(%x: i32):
      %s = arith.muli %x, %x : i32
      tapestry.yield %s : i32
    } : (tensor<4x6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<1x1xi32>) -> tensor<2xi32>
  %z = tapestry.concat "z" %z1, %z2 along 0 : (tensor<2xi32>, tensor<4xi32>) -> tensor<6xi32>
  %upper = tapestry.slice "upper" %X [0, 0] => [2, 6] : (tensor<4x6xi32>) -> tensor<2x6xi32>
  %a = tapestry.shard "a" [0, 0] => [2, 6] (%upper) {
  ^bb0(%t0: tensor<4x6xi32>):
    %w = tapestry.einsum "W" [i = 4, j = 6] (%t0[i, j]) -> [i, j] {
    ^bb0(%x: i32):
      %j = tapestry.label "j"
      %k = arith.index_cast %j : index to i32
      %s = arith.addi %x, %k : i32
      tapestry.yield %s : i32
    } : (tensor<4x6xi32>) -> tensor<4x6xi32>
    tapestry.part_of %w : tensor<4x6xi32>
  } : (tensor<2x6xi32>) -> tensor<2x6xi32>
  %Y = tapestry.concat "Y" %a, %right along 0 : (tensor<2x6xi32>, tensor<2x6xi32>) -> tensor<4x6xi32>
  tapestry.sink "Y", %Y : tensor<4x6xi32>
  tapestry.sink "Z", %z : tensor<6xi32>
}

// -----

// A reduction in a tree of blocks, in wide accumulators.
// CHECK-LABEL: tapestry.graph @tree {
tapestry.graph @tree {
  %X = tapestry.source "X" : tensor<7xf16>
  // CHECK: %[[Y:.*]] = tapestry.einsum "Y" [i = 7] (%X[i]) -> [] reduce add {
  // CHECK: : (tensor<7xf16>) -> tensor<f16>
  // CHECK-NEXT: tapestry.sink "Y", %[[Y]]
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<7xf16>) -> tensor<2xf16>
  %b = tapestry.slice "b" %X [2] => [3] : (tensor<7xf16>) -> tensor<1xf16>
  %c = tapestry.slice "c" %X [3] => [7] : (tensor<7xf16>) -> tensor<4xf16>
  %1 = tapestry.shard "1" [0] => [2] (%a) {
  ^bb0(%t0: tensor<7xf16>):
    %w = tapestry.einsum "W" [i = 7] (%t0[i]) -> [] reduce add {
    ^bb0(%x: f16):
      %w = arith.extf %x : f16 to f32
      tapestry.yield %w : f32
    } : (tensor<7xf16>) -> tensor<f16>
    tapestry.part_of %w : tensor<f16>
  } : (tensor<2xf16>) -> tensor<f32>
  %2 = tapestry.shard "2" [2] => [3] (%b) {
  ^bb0(%t0: tensor<7xf16>):
    %w = tapestry.einsum "W" [i = 7] (%t0[i]) -> [] reduce add {
    ^bb0(%x: f16):
      %w = arith.extf %x : f16 to f32
      tapestry.yield %w : f32
    } : (tensor<7xf16>) -> tensor<f16>
    tapestry.part_of %w : tensor<f16>
  } : (tensor<1xf16>) -> tensor<f32>
  %3 = tapestry.shard "3" [3] => [7] (%c) {
  ^bb0(%t0: tensor<7xf16>):
    %w = tapestry.einsum "W" [i = 7] (%t0[i]) -> [] reduce add {
    ^bb0(%x: f16):
      %w = arith.extf %x : f16 to f32
      tapestry.yield %w : f32
    } : (tensor<7xf16>) -> tensor<f16>
    tapestry.part_of %w : tensor<f16>
  } : (tensor<4xf16>) -> tensor<f32>
  %r1 = tapestry.unsqueeze "r1" %1 at 0 : (tensor<f32>) -> tensor<1xf32>
  %r2 = tapestry.unsqueeze "r2" %2 at 0 : (tensor<f32>) -> tensor<1xf32>
  %r3 = tapestry.unsqueeze "r3" %3 at 0 : (tensor<f32>) -> tensor<1xf32>
  %s12 = tapestry.concat "s12" %r2, %r1 along 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %t12 = tapestry.einsum "t12" [n = 2] (%s12[n]) -> [] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<2xf32>) -> tensor<f32>
  %r12 = tapestry.unsqueeze "r12" %t12 at 0 : (tensor<f32>) -> tensor<1xf32>
  %s = tapestry.concat "s" %r3, %r12 along 0 : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
  %Y = tapestry.einsum "Y" [n = 2] (%s[n]) -> [] reduce add {
  ^bb0(%x: f32):
    tapestry.yield %x : f32
  } : (tensor<2xf32>) -> tensor<f16>
  tapestry.sink "Y", %Y : tensor<f16>
}

// -----

// What reads a join of the graph reads it again as a whole, also where some of its
// shards read one of the tensors alone. It is handed out, too: what E alone read
// would be gone once E is planned.
// CHECK-LABEL: tapestry.graph @joined
tapestry.graph @joined {
  %A = tapestry.source "A" : tensor<12xf32>
  %B = tapestry.source "B" : tensor<4xf32>
  // CHECK: %[[N:.*]] = tapestry.concat "N"
  %N = tapestry.concat "N" %A, %B along 0 : (tensor<12xf32>, tensor<4xf32>) -> tensor<16xf32>
  // CHECK-NEXT: %[[E:.*]] = tapestry.einsum "E" [i = 16] (%[[N]][i]) -> [i]
  // CHECK-NOT: tapestry.slice
  // CHECK: tapestry.sink "E", %[[E]]
  // CHECK-NEXT: tapestry.sink "N", %[[N]]
  %E.1.0 = tapestry.slice "E.1.0" %N [0] => [6] : (tensor<16xf32>) -> tensor<6xf32>
  %E.1 = tapestry.shard "E.1" [0] => [6] (%E.1.0) {
  ^bb0(%t0: tensor<16xf32>):
    %w = tapestry.einsum "W" [i = 16] (%t0[i]) -> [i] {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<16xf32>) -> tensor<16xf32>
    tapestry.part_of %w : tensor<16xf32>
  } : (tensor<6xf32>) -> tensor<6xf32>
  %E.2.0 = tapestry.slice "E.2.0" %N [6] => [12] : (tensor<16xf32>) -> tensor<6xf32>
  %E.2 = tapestry.shard "E.2" [6] => [12] (%E.2.0) {
  ^bb0(%t0: tensor<16xf32>):
    %w = tapestry.einsum "W" [i = 16] (%t0[i]) -> [i] {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<16xf32>) -> tensor<16xf32>
    tapestry.part_of %w : tensor<16xf32>
  } : (tensor<6xf32>) -> tensor<6xf32>
  %E.3.0 = tapestry.slice "E.3.0" %N [12] => [16] : (tensor<16xf32>) -> tensor<4xf32>
  %E.3 = tapestry.shard "E.3" [12] => [16] (%E.3.0) {
  ^bb0(%t0: tensor<16xf32>):
    %w = tapestry.einsum "W" [i = 16] (%t0[i]) -> [i] {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<16xf32>) -> tensor<16xf32>
    tapestry.part_of %w : tensor<16xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  %E = tapestry.concat "E" %E.1, %E.2, %E.3 along 0 : (tensor<6xf32>, tensor<6xf32>, tensor<4xf32>) -> tensor<16xf32>
  tapestry.sink "E", %E : tensor<16xf32>
  tapestry.sink "N", %N : tensor<16xf32>
}

// -----

// Rows that take turns, of which every shard reads some of both, by windows.
// CHECK-LABEL: tapestry.graph @turns
tapestry.graph @turns {
  %A = tapestry.source "A" : tensor<4xf32>
  %B = tapestry.source "B" : tensor<3xf32>
  // CHECK: %[[N:.*]] = tapestry.interleave "N"
  %N = tapestry.interleave "N" %A, %B along 0 : (tensor<4xf32>, tensor<3xf32>) -> tensor<7xf32>
  // CHECK-NEXT: %[[E:.*]] = tapestry.einsum "E" [i = 5, r = 3] (%[[N]][i + r]) -> [i] reduce add
  // CHECK-NOT: tapestry.slice
  // CHECK: tapestry.sink "E", %[[E]]
  %E.1.0 = tapestry.slice "E.1.0" %N [0] => [5] : (tensor<7xf32>) -> tensor<5xf32>
  %E.1 = tapestry.shard "E.1" [0, 0] => [3, 3] (%E.1.0) {
  ^bb0(%t0: tensor<7xf32>):
    %w = tapestry.einsum "W" [i = 5, r = 3] (%t0[i + r]) -> [i] reduce add {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<7xf32>) -> tensor<5xf32>
    tapestry.part_of %w : tensor<5xf32>
  } : (tensor<5xf32>) -> tensor<3xf32>
  %E.2.0 = tapestry.slice "E.2.0" %N [3] => [7] : (tensor<7xf32>) -> tensor<4xf32>
  %E.2 = tapestry.shard "E.2" [3, 0] => [5, 3] (%E.2.0) {
  ^bb0(%t0: tensor<7xf32>):
    %w = tapestry.einsum "W" [i = 5, r = 3] (%t0[i + r]) -> [i] reduce add {
    ^bb0(%x: f32):
      tapestry.yield %x : f32
    } : (tensor<7xf32>) -> tensor<5xf32>
    tapestry.part_of %w : tensor<5xf32>
  } : (tensor<4xf32>) -> tensor<2xf32>
  %E = tapestry.concat "E" %E.1, %E.2 along 0 : (tensor<3xf32>, tensor<2xf32>) -> tensor<5xf32>
  tapestry.sink "E", %E : tensor<5xf32>
}
