// RUN: tapestry-opt %s --tapestry-convert-to-tra | FileCheck %s
// RUN: tapestry-opt %s --tapestry-convert-to-tra --cse | FileCheck %s --check-prefix=CSE

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>

// A cut reduction is joined, aggregated to its home and repartitioned for its
// reader; the reader of the home layout itself needs nothing.
// CHECK-DAG: #[[AB:.*]] = #tapestry_index.layout<[97 by "d.0", 53 by "d.1"] on #grid>
// CHECK-DAG: #[[PARTIAL:.*]] = #tapestry_index.layout<[97 by "d.0", 41] partial ["d.1"] on #grid>
// CHECK-DAG: #[[HOME:.*]] = #tapestry_index.layout<[97 by "d.0", 41 by "d.1"] on #grid>
// CHECK-DAG: #[[ROWS:.*]] = #tapestry_index.layout<[97 by "d.0" "d.1", 41] on #grid>
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[A:.*]]: tensor<97x53xf32> {comm.name = "A"}
// CHECK-SAME: -> (tensor<97x41xf32> {comm.name = "D"}, tensor<97x41xf32> {comm.name = "E"})
// CHECK-SAME: comm.unread_inputs = ["U"]
// CHECK-SAME: comm.vertices = [{flops = 421562 : i64, name = "C"}, {flops = 3977 : i64, name = "D"}, {flops = 3977 : i64, name = "E"}]
tapestry.graph @product on #grid attributes {tapestry.unread_inputs = ["U"]} {
  %A = tapestry.source "A" : tensor<97x53xf32>
    home #tapestry_index.layout<[97 by "d.0", 53 by "d.1"] on #grid>
  %B = tapestry.source "B" : tensor<53x41xf32>
    home #tapestry_index.layout<[53 by "d.1", 41] on #grid>
  // CHECK: %[[RA:.*]] = tra.from_tensor %[[A]] : {{.*}} -> !tra.relation<[97, 53] / [2, 2], f32, #[[AB]]>
  // CHECK: %[[C:.*]] = tra.join "C" [i = 97, k = 41, j = 53] by {{.*}} (%[[RA]][i, j], %{{.*}}[j, k]) -> [i, k] reduce add
  // CHECK: arith.mulf
  // CHECK: -> !tra.relation<[97, 41] / [2, 1], f32, #[[PARTIAL]]>
  // CHECK: %[[H:.*]] = tra.aggregate "C" add %[[C]] : {{.*}} -> !tra.relation<[97, 41] / [2, 2], f32, #[[HOME]]>
  %C = tapestry.einsum "C" [i = 97, k = 41, j = 53] (%A[i, j], %B[j, k]) -> [i, k] reduce add
    partition #tapestry_index.partition<[["d.0"], [], ["d.1"]]>
    home #tapestry_index.layout<[97 by "d.0", 41 by "d.1"] on #grid> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tapestry.yield %m : f32
  } : (tensor<97x53xf32>, tensor<53x41xf32>) -> tensor<97x41xf32>
  // CHECK: %[[R:.*]] = tra.repartition "C" for "D.0", %[[H]] : {{.*}} -> !tra.relation<[97, 41] / [4, 1], f32, #[[ROWS]]>
  // CHECK: tra.join "D" {{.*}}(%[[R]][i, k])
  %D = tapestry.einsum "D" [i = 97, k = 41] (%C[i, k]) -> [i, k]
    partition #tapestry_index.partition<[["d.0", "d.1"], []]>
    home #tapestry_index.layout<[97 by "d.0" "d.1", 41] on #grid> {
  ^bb0(%a: f32):
    %m = math.exp %a : f32
    tapestry.yield %m : f32
  } : (tensor<97x41xf32>) -> tensor<97x41xf32>
  // CHECK-NOT: tra.repartition
  // CHECK: tra.join "E" {{.*}}(%[[H]][i, k])
  %E = tapestry.einsum "E" [i = 97, k = 41] (%C[i, k]) -> [i, k]
    partition #tapestry_index.partition<[["d.0"], ["d.1"]]>
    home #tapestry_index.layout<[97 by "d.0", 41 by "d.1"] on #grid> {
  ^bb0(%a: f32):
    %i = tapestry.label "i"
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %m = arith.addf %a, %f : f32
    tapestry.yield %m : f32
  } : (tensor<97x41xf32>) -> tensor<97x41xf32>
  // CHECK: tra.label "i"
  tapestry.sink "D", %D : tensor<97x41xf32>
  tapestry.sink "E", %E : tensor<97x41xf32>
}


// Partial values of a narrow float stay wide until they are combined; one join
// rounds them.
// CHECK-LABEL: func.func @narrow
// CHECK: tra.join "s" {{.*}} reduce add
// CHECK: -> !tra.relation<[8] / [1], f32, #{{.*}}>
// CHECK: %[[SUM:.*]] = tra.aggregate "s" add
// CHECK: tra.join "s" [i = 8] {{.*}}(%[[SUM]][i]) -> [i]
// CHECK: arith.truncf %{{.*}} : f32 to bf16
tapestry.graph @narrow on #grid {
  %A = tapestry.source "A" : tensor<8x6xbf16>
    home #tapestry_index.layout<[8, 6 by "d.0" "d.1"] on #grid>
  %s = tapestry.einsum "s" [i = 8, j = 6] (%A[i, j]) -> [i] reduce add
    partition #tapestry_index.partition<[[], ["d.0", "d.1"]]>
    home #tapestry_index.layout<[8] on #grid> {
  ^bb0(%a: bf16):
    %w = arith.extf %a : bf16 to f32
    tapestry.yield %w : f32
  } : (tensor<8x6xbf16>) -> tensor<8xbf16>
  tapestry.sink "s", %s : tensor<8xbf16>
}

// A reduction goes over its home route, the first of which it is scattered into,
// and every reader fetches for itself over its own route, just before it runs.
// CSE leaves one fetch of a subscript that occurs twice.
// CHECK-LABEL: func.func @routes
// CHECK: %[[P:.*]] = tra.join "C"
// CHECK: arith.mulf
// CHECK: %[[S:.*]] = tra.aggregate "C" add %[[P]] : {{.*}} -> !tra.relation<[8, 8] / [2, 2]
// CHECK: %[[T:.*]] = tra.repartition "C", %[[S]] : {{.*}} -> !tra.relation<[8, 8] / [2, 1]
// CHECK: %[[H:.*]] = tra.repartition "C", %[[T]] : {{.*}} -> !tra.relation<[8, 8] / [4, 1]
// CHECK: %[[D0:.*]] = tra.repartition "C" for "D.0", %[[H]] : {{.*}} -> !tra.relation<[8, 8] / [2, 1]
// CHECK: %[[D1:.*]] = tra.repartition "C" for "D.0", %[[D0]] : {{.*}} -> !tra.relation<[8, 8] / [1, 1]
// CHECK: tra.join "D" {{.*}} (%[[D1]][i, k], %{{.*}}[i, k], %{{.*}}[k, i])
// CHECK: tra.repartition "C" for "E.0", %[[H]] : {{.*}} -> !tra.relation<[8, 8] / [1, 1]
// CHECK: tra.join "E"
// CSE-LABEL: func.func @routes
// CSE-COUNT-6: tra.repartition "C"
// CSE: tra.join "E"
// CSE-NOT: tra.repartition
#rows = #tapestry_index.layout<[8 by "d.0", 8] on #grid>
#rows4 = #tapestry_index.layout<[8 by "d.0" "d.1", 8] on #grid>
#blocks = #tapestry_index.layout<[8 by "d.0", 8 by "d.1"] on #grid>
#whole = #tapestry_index.layout<[8, 8] on #grid>
tapestry.graph @routes on #grid {
  %A = tapestry.source "A" : tensor<8x6xf32>
    home #tapestry_index.layout<[8 by "d.0", 6 by "d.1"] on #grid>
  %C = tapestry.einsum "C" [i = 8, k = 8, j = 6] (%A[i, j], %A[k, j]) -> [i, k] reduce add
    partition #tapestry_index.partition<[["d.0"], [], ["d.1"]]>
    home #rows4 home_route [#blocks, #rows] {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tapestry.yield %m : f32
  } : (tensor<8x6xf32>, tensor<8x6xf32>) -> tensor<8x8xf32>
  %D = tapestry.einsum "D" [i = 8, k = 8] (%C[i, k], %C[i, k], %C[k, i]) -> [i, k]
    partition #tapestry_index.partition<[[], []]> home #whole
    operand_routes [[#rows], [#rows], []] {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %c : f32
    tapestry.yield %m : f32
  } : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %E = tapestry.einsum "E" [i = 8, k = 8] (%C[i, k]) -> [i, k]
    partition #tapestry_index.partition<[[], []]> home #whole {
  ^bb0(%a: f32):
    tapestry.yield %a : f32
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  tapestry.sink "D", %D : tensor<8x8xf32>
  tapestry.sink "E", %E : tensor<8x8xf32>
}
