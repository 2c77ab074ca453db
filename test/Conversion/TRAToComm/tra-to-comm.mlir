// RUN: tapestry-opt %s --tapestry-convert-to-tra --tapestry-convert-tra-to-comm -cse | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>

// Uneven extents are dynamic, others static; the collective follows from the two
// layouts.
// CHECK-LABEL: func.func @product
// CHECK-SAME: %[[A:.*]]: tensor<?x?xf32> {comm.layout = #{{.*}}, comm.name = "A", comm.type = f32}
// CHECK-SAME: %[[B:.*]]: tensor<?x41xf32>
// CHECK-SAME: -> (tensor<?x41xf32>
tapestry.graph @product on #grid {
  %A = tapestry.source "A" : tensor<97x53xf32>
    home #tapestry_index.layout<[97 by "d.0", 53 by "d.1"] on #grid>
  %B = tapestry.source "B" : tensor<53x41xf32>
    home #tapestry_index.layout<[53 by "d.1", 41] on #grid>
  // CHECK: %[[DEVICE:.*]] = comm.device
  // CHECK: %[[PART:.*]]:6 = tapestry_index.part #{{.*}} at %[[DEVICE]]
  // CHECK: %[[ROWS:.*]] = arith.subi %[[PART]]#1, %[[PART]]#0
  // CHECK: %[[INIT:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x41xf32>
  // CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK: %[[FILL:.*]] = linalg.fill {{.*}}ins(%[[ZERO]]
  // CHECK: %[[P:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]} ins(%[[A]], %[[B]] :
  // CHECK: tapestry.vertex = "C"
  // CHECK: %[[S:.*]], %[[T:.*]] = comm.reduce_scatter "C" add %[[P]] {{.*}} axes ["d.1"] : tensor<?x41xf32> -> tensor<?x?xf32>
  %C = tapestry.einsum "C" [i = 97, k = 41, j = 53] (%A[i, j], %B[j, k]) -> [i, k] reduce add
    partition #tapestry_index.partition<[["d.0"], [], ["d.1"]]>
    home #tapestry_index.layout<[97 by "d.0", 41 by "d.1"] on #grid> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tapestry.yield %m : f32
  } : (tensor<97x53xf32>, tensor<53x41xf32>) -> tensor<97x41xf32>
  // CHECK: %[[X:.*]], %{{.*}} = comm.all_to_all "C", %[[S]] after %[[T]] {{.*}} axes ["d.0", "d.1"]
  // CHECK: %[[D:.*]] = linalg.generic {{.*}} ins(%[[X]] :
  // CHECK: return %[[D]]
  %D = tapestry.einsum "D" [i = 97, k = 41] (%C[i, k]) -> [i, k]
    partition #tapestry_index.partition<[["d.0", "d.1"], []]>
    home #tapestry_index.layout<[97 by "d.0" "d.1", 41] on #grid> {
  ^bb0(%a: f32):
    %m = math.exp %a : f32
    tapestry.yield %m : f32
  } : (tensor<97x41xf32>) -> tensor<97x41xf32>
  tapestry.sink "D", %D : tensor<97x41xf32>
}

// A window over a cut dimension reads its halo; a pad fills only what lies
// outside the tensor.
// CHECK-LABEL: func.func @window
// CHECK-SAME: %[[A:.*]]: tensor<9xf32>
// CHECK: %[[WINDOW:.*]]:2 = tapestry_index.part #{{.*}} at %{{.*}} unclipped
// CHECK: %[[INSIDE:.*]]:2 = tapestry_index.part #{{.*}} at %{{[a-z]+}}{{$}}
// CHECK: linalg.fill {{.*}} -> tensor<10xf32>
// CHECK: linalg.copy {{.*}}ins(%[[A]] : tensor<9xf32>)
// CHECK: %[[PADDED:.*]] = tensor.insert_slice
// CHECK: linalg.generic {{.*}} ins(%[[PADDED]], %{{.*}} : tensor<10xf32>, tensor<3xf32>)
tapestry.graph @window on #tapestry_index.grid<"d.0" = 2> {
  %A = tapestry.source "A" : tensor<16xf32>
    home #tapestry_index.layout<[16 = [16 by "d.0"] + [3] - 1] on #tapestry_index.grid<"d.0" = 2>>
  %F = tapestry.source "F" : tensor<3xf32>
    home #tapestry_index.layout<[3] on #tapestry_index.grid<"d.0" = 2>>
  %Y = tapestry.einsum "Y" [y = 16, r = 3] (%A[y + r - 1] pad 0.0 : f32, %F[r]) -> [y] reduce add
    partition #tapestry_index.partition<[["d.0"], []]>
    home #tapestry_index.layout<[16 by "d.0"] on #tapestry_index.grid<"d.0" = 2>> {
  ^bb0(%a: f32, %f: f32):
    %m = arith.mulf %a, %f : f32
    tapestry.yield %m : f32
  } : (tensor<16xf32>, tensor<3xf32>) -> tensor<16xf32>
  tapestry.sink "Y", %Y : tensor<16xf32>
}

// Booleans lie in bytes; a label counts over the whole extent.
// CHECK-LABEL: func.func @bytes
// CHECK-SAME: tensor<4xi8> {{.*}}comm.type = i1
// CHECK: %[[L:.*]] = linalg.index 0
// CHECK: arith.addi %[[L]], %{{.*}}#0 : index
// CHECK: arith.extui %{{.*}} : i1 to i8
tapestry.graph @bytes on #tapestry_index.grid<"d.0" = 2> {
  %A = tapestry.source "A" : tensor<8xi1>
    home #tapestry_index.layout<[8 by "d.0"] on #tapestry_index.grid<"d.0" = 2>>
  %Y = tapestry.einsum "Y" [i = 8] (%A[i]) -> [i]
    partition #tapestry_index.partition<[["d.0"]]>
    home #tapestry_index.layout<[8 by "d.0"] on #tapestry_index.grid<"d.0" = 2>> {
  ^bb0(%a: i1):
    %i = tapestry.label "i"
    %c = arith.constant 3 : index
    %less = arith.cmpi slt, %i, %c : index
    %m = arith.andi %a, %less : i1
    tapestry.yield %m : i1
  } : (tensor<8xi1>) -> tensor<8xi1>
  tapestry.sink "Y", %Y : tensor<8xi1>
}

// The pieces of what wraps around come from the neighbours and become one
// window; what divides is gathered, an element per point.
// CHECK-LABEL: func.func @around
// CHECK: %[[FIRST:.*]], %{{.*}} = comm.all_to_all "U"
// CHECK: %[[SECOND:.*]], %{{.*}} = comm.collective_permute "U"
// CHECK: %[[THIRD:.*]], %{{.*}} = comm.collective_permute "U"
// CHECK: %[[EMPTY:.*]] = tensor.empty() : tensor<5xf32>
// CHECK-NOT: linalg.fill
// CHECK: linalg.copy {{.*}}ins(%[[FIRST]] :
// CHECK: %[[ONE:.*]] = tensor.insert_slice %{{.*}} into %[[EMPTY]]
// CHECK: linalg.copy {{.*}}ins(%[[SECOND]] :
// CHECK: %[[WINDOW:.*]] = tensor.insert_slice %{{.*}} into %[[ONE]]
// CHECK: %[[GATHERED:.*]] = linalg.generic
// CHECK: tapestry_index.apply #tapestry_index.projection<(d0) -> (d0), floordivs = [2]>
// CHECK: tensor.extract %[[THIRD]]
// CHECK: linalg.generic {{.*}} ins(%[[WINDOW]], %[[GATHERED]] : tensor<5xf32>, tensor<5xf32>)
tapestry.graph @around on #tapestry_index.grid<"d.0" = 2> {
  %U = tapestry.source "U" : tensor<10xf32>
    home #tapestry_index.layout<[10 by "d.0"] on #tapestry_index.grid<"d.0" = 2>>
  %V = tapestry.einsum "V" [i = 10] (%U[(i + 1) mod 10], %U[i floordiv 2]) -> [i]
    partition #tapestry_index.partition<[["d.0"]]>
    home #tapestry_index.layout<[10 by "d.0"] on #tapestry_index.grid<"d.0" = 2>> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tapestry.yield %m : f32
  } : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  tapestry.sink "V", %V : tensor<10xf32>
}
