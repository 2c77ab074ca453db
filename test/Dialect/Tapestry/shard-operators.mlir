// RUN: tapestry-opt %s --tapestry-shard --split-input-file | FileCheck %s
// RUN: tapestry-opt %s --tapestry-shard --tapestry-unshard --split-input-file | FileCheck %s --check-prefix=WHOLE

// Windows are slices; of two results one is concatenated, and the other's
// partial values are combined.
#smooth = #tapestry.kernel<"smooth" [b, x]
    (X : f32[b, 2 * x : 3 step 2], W : f32[*] params scale : f32)
    -> (Y : f32[b, x], E : f64[b] add)>
#grid = #tapestry_index.grid<"d" = 2>
// CHECK-LABEL: tapestry.graph @block {
// WHOLE-LABEL: tapestry.graph @block {
tapestry.graph @block on #grid {
  %X = tapestry.source "X" : tensor<4x15xf32>
  %W = tapestry.source "W" : tensor<3xf32>
  // CHECK: %[[X1:.*]] = tapestry.slice "Y.1.0" %X [0, 0] => [4, 9]
  // CHECK-NEXT: %[[Y1:.*]], %[[E1:.*]] = tapestry.shard "Y.1" [0, 0] => [4, 3] (%[[X1]], %W) {
  // CHECK-NEXT: ^bb0(%{{.*}}: tensor<4x15xf32>, %{{.*}}: tensor<3xf32>):
  // CHECK-NEXT: tapestry.block "Y" #smooth [b = 4, x = 5]
  // CHECK-NEXT: tapestry.part_of %{{.*}}, %{{.*}} : tensor<4x5xf32>, tensor<4xf64>
  // CHECK-NEXT: } : (tensor<4x9xf32>, tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4xf64>)
  // CHECK-NEXT: %[[X2:.*]] = tapestry.slice "Y.2.0" %X [0, 6] => [4, 13]
  // CHECK-NEXT: %[[Y2:.*]], %[[E2:.*]] = tapestry.shard "Y.2" [0, 3] => [4, 5] (%[[X2]], %W) {
  // CHECK: %[[Y:.*]] = tapestry.concat "Y" %[[Y1]], %[[Y2]] along 1
  // CHECK-NEXT: %[[R1:.*]] = tapestry.unsqueeze "Y#1.row" %[[E1]] at 0
  // CHECK-NEXT: %[[R2:.*]] = tapestry.unsqueeze "Y#1.row.2" %[[E2]] at 0
  // CHECK-NEXT: %[[S:.*]] = tapestry.concat "Y#1.stack" %[[R1]], %[[R2]] along 0
  // CHECK-NEXT: %[[E:.*]] = tapestry.einsum "Y#1" [block = 2, b = 4] (%[[S]][block, b]) -> [b] reduce add {
  // CHECK: tapestry.sink "Y", %[[Y]]
  // CHECK-NEXT: tapestry.sink "E", %[[E]]
  // WHOLE: tapestry.block "Y" #smooth [b = 4, x = 5] (%X, %W) {scale = 5.000000e-01 : f32}
  // WHOLE-NEXT: tapestry.sink "Y"
  %Y, %E = tapestry.block "Y" #smooth [b = 4, x = 5] (%X, %W) {scale = 0.5 : f32}
      : (tensor<4x15xf32>, tensor<3xf32>) -> (tensor<4x5xf32>, tensor<4xf64>)
        partition #tapestry_index.partition<[[], ["d"]]>
  tapestry.sink "Y", %Y : tensor<4x5xf32>
  tapestry.sink "E", %E : tensor<4xf64>
}

// -----

// Rows of a table: what is not found adds -0.0.
#grid = #tapestry_index.grid<"d" = 2, "e" = 3>
// CHECK-LABEL: tapestry.graph @gather {
// WHOLE-LABEL: tapestry.graph @gather {
tapestry.graph @gather on #grid {
  %T = tapestry.source "T" : tensor<7x4xf32>
  %I = tapestry.source "I" : tensor<5xi32>
  // CHECK: %[[T1:.*]] = tapestry.slice "Y.1.0" %T [0, 0] => [3, 4]
  // CHECK-NEXT: %[[I1:.*]] = tapestry.slice "Y.1.1" %I [0] => [3]
  // CHECK-NEXT: tapestry.shard "Y.1" [0, 0, 0] => [3, 4, 3] (%[[T1]], %[[I1]]) {
  // CHECK: tapestry.gather "Y" ["n", "a", "t"] = [5, 4, 7]
  // CHECK: tapestry.shard "Y.3" [0, 0, 6] => [3, 4, 7]
  // CHECK: tapestry.einsum "Y.total" {{.*}} reduce custom
  // CHECK: identity -0.000000e+00 : f32
  // CHECK: tapestry.concat "Y" {{.*}} along 0
  // WHOLE: tapestry.gather "Y" ["n", "a", "t"] = [5, 4, 7] %T by %I
  // WHOLE-NEXT: tapestry.sink
  %Y = tapestry.gather "Y" ["n", "a", "t"] = [5, 4, 7] %T by %I
      at [affine_map<(n, a, t) -> (t, a)>, affine_map<(n, a, t) -> (n)>]
      : (tensor<7x4xf32>, tensor<5xi32>) -> tensor<5x4xf32>
        partition #tapestry_index.partition<[["d"], [], ["e"]]>
  tapestry.sink "Y", %Y : tensor<5x4xf32>
}

// -----

// Places and points.
#grid = #tapestry_index.grid<"d" = 2, "e" = 3>
// CHECK-LABEL: tapestry.graph @scatter {
// WHOLE-LABEL: tapestry.graph @scatter {
tapestry.graph @scatter on #grid {
  %X = tapestry.source "X" : tensor<7x4xf16>
  %A = tapestry.source "A" : tensor<7xi32>
  // CHECK: tapestry.shard "S.1" [0, 0, 0] => [3, 4, 3]
  // CHECK: -> tensor<5x4xf16>
  // CHECK: } : (tensor<3x4xf16>, tensor<3xi32>) -> tensor<3x4xf32>
  // CHECK: tapestry.shard "S.6" [3, 0, 6] => [5, 4, 7]
  // CHECK: tapestry.einsum "S.total.2" [block = 3, a = 2, d = 4]
  // CHECK: (tensor<3x2x4xf32>) -> tensor<2x4xf16>
  // CHECK: tapestry.concat "S"
  // WHOLE: tapestry.scatter "S" ["a", "d", "n"] = [5, 4, 7] add %X by %A
  // WHOLE-NEXT: tapestry.sink
  %S = tapestry.scatter "S" ["a", "d", "n"] = [5, 4, 7] add %X by %A into [0]
      at [affine_map<(a, d, n) -> (n, d)>, affine_map<(a, d, n) -> (n)>]
      : (tensor<7x4xf16>, tensor<7xi32>) -> tensor<5x4xf16>
        partition #tapestry_index.partition<[["d"], [], ["e"]]>
  tapestry.sink "S", %S : tensor<5x4xf16>
}

// -----

// Whole along the label that values run on along.
#grid = #tapestry_index.grid<"d" = 2, "e" = 3>
// CHECK-LABEL: tapestry.graph @lines {
// WHOLE-LABEL: tapestry.graph @lines {
tapestry.graph @lines on #grid {
  %X = tapestry.source "X" : tensor<4x9xf32>
  // CHECK: tapestry.shard "C.1" [0, 0] => [2, 9]
  // CHECK: tapestry.shard "C.2" [2, 0] => [4, 9]
  // CHECK-NOT: tapestry.shard "C
  // CHECK: tapestry.concat "C"
  // WHOLE: tapestry.scan "C" ["n", "i"] <add> along "i" %X
  %C = tapestry.scan "C" ["n", "i"] <add> along "i" %X : (tensor<4x9xf32>) -> tensor<4x9xf32>
      partition #tapestry_index.partition<[["d"], ["e"]]>
  // CHECK: tapestry.shard "S.1" [0, 0] => [2, 9]
  // CHECK: -> tensor<2x5xi64>
  // CHECK: tapestry.concat "S"
  // WHOLE: tapestry.sort "S"
  %S = tapestry.sort "S" ["n", "c"] along "c" %C {descending, indices}
      : (tensor<4x9xf32>) -> tensor<4x5xi64> partition #tapestry_index.partition<[["d"], ["e"]]>
  // CHECK: tapestry.scan "L"
  // CHECK-NOT: tapestry.shard "L
  // WHOLE: tapestry.scan "L"
  %L = tapestry.scan "L" ["n", "i"] <add> along "n" %C : (tensor<4x9xf32>) -> tensor<4x9xf32>
      partition #tapestry_index.partition<[["d"], []]>
  tapestry.sink "S", %S : tensor<4x5xi64>
  tapestry.sink "L", %L : tensor<4x9xf32>
}
