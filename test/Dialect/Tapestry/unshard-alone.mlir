// RUN: tapestry-opt %s --tapestry-unshard --split-input-file | FileCheck %s

// What is no sharding stays as it is.

// A block is missing.
// CHECK-LABEL: tapestry.graph @missing {
tapestry.graph @missing {
  %X = tapestry.source "X" : tensor<6xi32>
  // CHECK: tapestry.slice "a"
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  // CHECK: tapestry.shard {{.*}} [0] => [2]
  %1 = tapestry.shard "1" [0] => [2] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [4] => [6] : (tensor<6xi32>) -> tensor<2xi32>
  // CHECK: tapestry.shard {{.*}} [4] => [6]
  %2 = tapestry.shard "2" [4] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  // CHECK: tapestry.concat "Y"
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  tapestry.sink "Y", %Y : tensor<4xi32>
}

// -----

// Of equal ranges, but another constant, another tensor, or a halo too late.
// CHECK-LABEL: tapestry.graph @others {
tapestry.graph @others {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %v = tapestry.slice "v" %W [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  // CHECK-COUNT-6: tapestry.shard
  %h = tapestry.slice "h" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  %1 = tapestry.shard "1" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %c = arith.constant 3 : i32
      %s = arith.addi %x, %c : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %2 = tapestry.shard "2" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      %c = arith.constant 4 : i32
      %s = arith.addi %x, %c : i32
      tapestry.yield %s : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %3 = tapestry.shard "3" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %4 = tapestry.shard "4" [3] => [6] (%v) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %5 = tapestry.shard "5" [0] => [3] (%h) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i - 1] pad 0 : i32) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<2xi32>) -> tensor<3xi32>
  %6 = tapestry.shard "6" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i - 1] pad 0 : i32) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  // CHECK-COUNT-3: tapestry.concat
  %A = tapestry.concat "A" %1, %2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  %B = tapestry.concat "B" %3, %4 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  %C = tapestry.concat "C" %5, %6 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  tapestry.sink "A", %A : tensor<6xi32>
  tapestry.sink "B", %B : tensor<6xi32>
  tapestry.sink "C", %C : tensor<6xi32>
}

// -----

// Put together, but one shard is read by itself, and a partial sum that is no
// sum's stays.
// CHECK-LABEL: tapestry.graph @read_alone {
tapestry.graph @read_alone {
  %X = tapestry.source "X" : tensor<6xi32>
  // CHECK: %[[Y:.*]] = tapestry.einsum "Y" [i = 6] (%X[i]) -> [i]
  // CHECK: tapestry.slice "{{.*}}" %[[Y]] [3] => [6]
  // CHECK: tapestry.shard "P" [0] => [3]
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.shard "1" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %2 = tapestry.shard "2" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<6xi32>
    tapestry.part_of %w : tensor<6xi32>
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  %P = tapestry.shard "P" [0] => [3] (%a) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<i32>
    tapestry.part_of %w : tensor<i32>
  } : (tensor<3xi32>) -> tensor<i32>
  %Q = tapestry.shard "Q" [3] => [6] (%b) {
  ^bb0(%t0: tensor<6xi32>):
    %w = tapestry.einsum "W" [i = 6] (%t0[i]) -> [] reduce add {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<6xi32>) -> tensor<i32>
    tapestry.part_of %w : tensor<i32>
  } : (tensor<3xi32>) -> tensor<i32>
  tapestry.sink "Y", %Y : tensor<6xi32>
  tapestry.sink "half", %2 : tensor<3xi32>
  tapestry.sink "P", %P : tensor<i32>
}

// -----

// Two equal operations, block by block.
// CHECK-LABEL: tapestry.graph @twice {
tapestry.graph @twice {
  %X = tapestry.source "X" : tensor<4xi32>
  // CHECK-COUNT-2: tapestry.einsum "{{.*}}" [i = 4] (%X[i]) -> [i]
  // CHECK-NOT: tapestry.concat
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<4xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [2] => [4] : (tensor<4xi32>) -> tensor<2xi32>
  %1 = tapestry.shard "1" [0] => [2] (%a) {
  ^bb0(%t0: tensor<4xi32>):
    %w = tapestry.einsum "W" [i = 4] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %2 = tapestry.shard "2" [0] => [2] (%a) {
  ^bb0(%t0: tensor<4xi32>):
    %w = tapestry.einsum "W" [i = 4] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %3 = tapestry.shard "3" [2] => [4] (%b) {
  ^bb0(%t0: tensor<4xi32>):
    %w = tapestry.einsum "W" [i = 4] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %4 = tapestry.shard "4" [2] => [4] (%b) {
  ^bb0(%t0: tensor<4xi32>):
    %w = tapestry.einsum "W" [i = 4] (%t0[i]) -> [i] {
    ^bb0(%x: i32):
      tapestry.yield %x : i32
    } : (tensor<4xi32>) -> tensor<4xi32>
    tapestry.part_of %w : tensor<4xi32>
  } : (tensor<2xi32>) -> tensor<2xi32>
  %Y = tapestry.concat "Y" %1, %3 along 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  %Z = tapestry.concat "Z" %2, %4 along 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  tapestry.sink "Y", %Y : tensor<4xi32>
  tapestry.sink "Z", %Z : tensor<4xi32>
}

// -----

// Only the third shard shows that the index turns around less than the tensor.
// CHECK-LABEL: tapestry.graph @turns
// CHECK-NEXT: %[[X:.*]] = tapestry.source "X"
// CHECK-NEXT: %[[Y:.*]] = tapestry.einsum "Y" [l = 8] (%[[X]][((-l + 4) floordiv 2) mod 3]) -> [l] {
// CHECK-NOT: tapestry.shard
// CHECK: tapestry.sink "Y", %[[Y]]
tapestry.graph @turns {
  %X = tapestry.source "X" : tensor<8xf32>
  %Y.1.0 = tapestry.slice "Y.1.0" %X [1] => [3] : (tensor<8xf32>) -> tensor<2xf32>
  %Y.1 = tapestry.shard "Y.1" [0] => [2] (%Y.1.0) {
  ^bb0(%t0: tensor<8xf32>):
    %w = tapestry.einsum "W" [l = 8] (%t0[((-l + 4) floordiv 2) mod 3]) -> [l] {
    ^bb0(%arg0: f32):
      %0 = arith.negf %arg0 : f32
      tapestry.yield %0 : f32
    } : (tensor<8xf32>) -> tensor<8xf32>
    tapestry.part_of %w : tensor<8xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  %Y.2.0 = tapestry.slice "Y.2.0" %X [0] => [2] : (tensor<8xf32>) -> tensor<2xf32>
  %Y.2 = tapestry.shard "Y.2" [2] => [4] (%Y.2.0) {
  ^bb0(%t0: tensor<8xf32>):
    %w = tapestry.einsum "W" [l = 8] (%t0[((-l + 4) floordiv 2) mod 3]) -> [l] {
    ^bb0(%arg0: f32):
      %0 = arith.negf %arg0 : f32
      tapestry.yield %0 : f32
    } : (tensor<8xf32>) -> tensor<8xf32>
    tapestry.part_of %w : tensor<8xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  %Y.3 = tapestry.shard "Y.3" [4] => [6] (%X) {
  ^bb0(%t0: tensor<8xf32>):
    %w = tapestry.einsum "W" [l = 8] (%t0[((-l + 4) floordiv 2) mod 3]) -> [l] {
    ^bb0(%arg0: f32):
      %0 = arith.negf %arg0 : f32
      tapestry.yield %0 : f32
    } : (tensor<8xf32>) -> tensor<8xf32>
    tapestry.part_of %w : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<2xf32>
  %Y.4 = tapestry.shard "Y.4" [6] => [8] (%Y.1.0) {
  ^bb0(%t0: tensor<8xf32>):
    %w = tapestry.einsum "W" [l = 8] (%t0[((-l + 4) floordiv 2) mod 3]) -> [l] {
    ^bb0(%arg0: f32):
      %0 = arith.negf %arg0 : f32
      tapestry.yield %0 : f32
    } : (tensor<8xf32>) -> tensor<8xf32>
    tapestry.part_of %w : tensor<8xf32>
  } : (tensor<2xf32>) -> tensor<2xf32>
  %Y = tapestry.concat "Y" %Y.1, %Y.2, %Y.3, %Y.4 along 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<8xf32>
  tapestry.sink "Y", %Y : tensor<8xf32>
}
