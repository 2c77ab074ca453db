// RUN: tapestry-opt %s --tapestry-unshard --split-input-file | FileCheck %s

// What is no sharding stays as it is.

// A block is missing.
// CHECK-LABEL: tapestry.graph @missing {
tapestry.graph @missing {
  %X = tapestry.source "X" : tensor<6xi32>
  // CHECK: tapestry.slice "a"
  %a = tapestry.slice "a" %X [0] => [2] : (tensor<6xi32>) -> tensor<2xi32>
  // CHECK: range [0] => [2]
  %1 = tapestry.einsum "1" [i = 2] range [0] => [2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %b = tapestry.slice "b" %X [4] => [6] : (tensor<6xi32>) -> tensor<2xi32>
  // CHECK: range [4] => [6]
  %2 = tapestry.einsum "2" [i = 2] range [4] => [6] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  // CHECK: tapestry.concat "Y"
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<2xi32>, tensor<2xi32>) -> tensor<4xi32>
  tapestry.sink "Y", %Y : tensor<4xi32>
}

// -----

// Of equal ranges, but another constant, another tensor, or a halo too short.
// CHECK-LABEL: tapestry.graph @others {
tapestry.graph @others {
  %X = tapestry.source "X" : tensor<6xi32>
  %W = tapestry.source "W" : tensor<6xi32>
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %w = tapestry.slice "w" %W [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  // CHECK-COUNT-6: range
  %1 = tapestry.einsum "1" [i = 3] range [0] => [3] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    %c = arith.constant 3 : i32
    %s = arith.addi %x, %c : i32
    tapestry.yield %s : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %2 = tapestry.einsum "2" [i = 3] range [3] => [6] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    %c = arith.constant 4 : i32
    %s = arith.addi %x, %c : i32
    tapestry.yield %s : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %3 = tapestry.einsum "3" [i = 3] range [0] => [3] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %4 = tapestry.einsum "4" [i = 3] range [3] => [6] (%w[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %5 = tapestry.einsum "5" [i = 3] range [0] => [3] (%a[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %6 = tapestry.einsum "6" [i = 3] range [3] => [6] (%b[i - 1] pad 0 : i32) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
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
  // CHECK: tapestry.einsum "P" [i = 3] range [0] => [3]
  %a = tapestry.slice "a" %X [0] => [3] : (tensor<6xi32>) -> tensor<3xi32>
  %1 = tapestry.einsum "1" [i = 3] range [0] => [3] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %b = tapestry.slice "b" %X [3] => [6] : (tensor<6xi32>) -> tensor<3xi32>
  %2 = tapestry.einsum "2" [i = 3] range [3] => [6] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<3xi32>
  %Y = tapestry.concat "Y" %1, %2 along 0 : (tensor<3xi32>, tensor<3xi32>) -> tensor<6xi32>
  %P = tapestry.einsum "P" [i = 3] range [0] => [3] (%a[i]) -> [] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<3xi32>) -> tensor<i32>
  %Q = tapestry.einsum "Q" [i = 3] range [3] => [6] (%b[i]) -> [] reduce add {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
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
  %1 = tapestry.einsum "1" [i = 2] range [0] => [2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %2 = tapestry.einsum "2" [i = 2] range [0] => [2] (%a[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %3 = tapestry.einsum "3" [i = 2] range [2] => [4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
  } : (tensor<2xi32>) -> tensor<2xi32>
  %4 = tapestry.einsum "4" [i = 2] range [2] => [4] (%b[i]) -> [i] {
  ^bb0(%x: i32):
    tapestry.yield %x : i32
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
// CHECK-NOT: range
// CHECK: tapestry.sink "Y", %[[Y]]
tapestry.graph @turns {
  %X = tapestry.source "X" : tensor<8xf32>
  %Y.1.0 = tapestry.slice "Y.1.0" %X [1] => [3] : (tensor<8xf32>) -> tensor<2xf32>
  %Y.1 = tapestry.einsum "Y.1" [l = 2] range [0] => [2] (%Y.1.0[(-l + 2) floordiv 2]) -> [l] {
  ^bb0(%arg0: f32):
    %0 = arith.negf %arg0 : f32
    tapestry.yield %0 : f32
  } : (tensor<2xf32>) -> tensor<2xf32>
  %Y.2.0 = tapestry.slice "Y.2.0" %X [0] => [2] : (tensor<8xf32>) -> tensor<2xf32>
  %Y.2 = tapestry.einsum "Y.2" [l = 2] range [2] => [4] (%Y.2.0[(-l + 2) floordiv 2]) -> [l] {
  ^bb0(%arg0: f32):
    %0 = arith.negf %arg0 : f32
    tapestry.yield %0 : f32
  } : (tensor<2xf32>) -> tensor<2xf32>
  %Y.3 = tapestry.einsum "Y.3" [l = 2] range [4] => [6] (%X[((-l) floordiv 2) mod 3]) -> [l] {
  ^bb0(%arg0: f32):
    %0 = arith.negf %arg0 : f32
    tapestry.yield %0 : f32
  } : (tensor<8xf32>) -> tensor<2xf32>
  %Y.4 = tapestry.einsum "Y.4" [l = 2] range [6] => [8] (%Y.1.0[(-l + 2) floordiv 2]) -> [l] {
  ^bb0(%arg0: f32):
    %0 = arith.negf %arg0 : f32
    tapestry.yield %0 : f32
  } : (tensor<2xf32>) -> tensor<2xf32>
  %Y = tapestry.concat "Y" %Y.1, %Y.2, %Y.3, %Y.4 along 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<8xf32>
  tapestry.sink "Y", %Y : tensor<8xf32>
}
