// RUN: tapestry-opt %s --tapestry-convert-to-tra | FileCheck %s

// What wraps around the whole tensor is fetched in pieces, each where it lies;
// what divides as one.
// CHECK-DAG: #[[AHEAD:.*]] = #tapestry_index.layout<[10 = [10 by "d.0"] + 1] on #
// CHECK-DAG: #[[BEHIND:.*]] = #tapestry_index.layout<[10 = [10 by "d.0"] - 9] on #
// CHECK-DAG: #[[HALF:.*]] = #tapestry_index.layout<[10 = [10 by "d.0"] floordiv 2] on #
// CHECK-LABEL: func.func @around
// CHECK: %[[U:.*]] = tra.from_tensor
// CHECK: %[[FIRST:.*]] = tra.repartition "U" for "V.0", %[[U]] : {{.*}} -> !tra.relation<[10] / [2], f32, #[[AHEAD]]>
// CHECK: %[[SECOND:.*]] = tra.repartition "U" for "V.1", %[[U]] : {{.*}} -> !tra.relation<[10] / [2], f32, #[[BEHIND]]>
// CHECK: %[[THIRD:.*]] = tra.repartition "U" for "V.2", %[[U]] : {{.*}} -> !tra.relation<[10] / [2], f32, #[[HALF]]>
// CHECK: tra.join "V" [i = 10] by {{.*}} (%[[FIRST]][i + 1] else %[[SECOND]][i - 9], %[[THIRD]][i floordiv 2]) -> [i]
// CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32):
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

// What is folded is one piece, which reads no more than it needs of the tensor;
// beside what wraps around it is folded in each piece.
// CHECK-LABEL: func.func @folded
// CHECK: tra.repartition "U" for "V.0", {{.*}} -> !tra.relation<[10, 6] / [2, 1], f32, #[[NEAR:.*]]>
// CHECK: tra.join "V" {{.*}} (%{{.*}}[i - 1, j] edge, %{{.*}}[i - 2, j + 1] else %{{.*}}[i - 2, j - 5] reflect) -> [i, j]
tapestry.graph @folded on #tapestry_index.grid<"d.0" = 2> {
  %U = tapestry.source "U" : tensor<10x6xf32>
    home #tapestry_index.layout<[10 by "d.0", 6] on #tapestry_index.grid<"d.0" = 2>>
  %V = tapestry.einsum "V" [i = 10, j = 6] (%U[i - 1, j] edge, %U[i - 2, (j + 1) mod 6] reflect) -> [i, j]
    partition #tapestry_index.partition<[["d.0"], []]>
    home #tapestry_index.layout<[10 by "d.0", 6] on #tapestry_index.grid<"d.0" = 2>> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.mulf %a, %b : f32
    tapestry.yield %m : f32
  } : (tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<10x6xf32>
  tapestry.sink "V", %V : tensor<10x6xf32>
}
