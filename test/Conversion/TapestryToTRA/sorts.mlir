// RUN: tapestry-opt %s --tapestry-convert-to-tra | FileCheck %s
// RUN: tapestry-opt %s --tapestry-convert-to-tra | tapestry-opt --verify-roundtrip -o /dev/null

// Lines lie whole on their devices: nothing is exchanged.
// CHECK-LABEL: func.func @lines
// CHECK-COUNT-1: tra.block "S"
// CHECK: tapestry_index.sort
// CHECK-NOT: tra.repartition
#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
tapestry.graph @lines on #grid {
  %X = tapestry.source "X" : tensor<6x50xf32> home #tapestry_index.layout<[6 by "d.0" "d.1", 50] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  %S = tapestry.sort "S" ["n", "c"] along "c" %X {descending} : (tensor<6x50xf32>) -> tensor<6x3xf32>
    partition #tapestry_index.partition<[["d.0", "d.1"], []]> home #tapestry_index.layout<[6 by "d.0" "d.1", 3] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  tapestry.sink "S", %S : tensor<6x3xf32>
}

// A cut along the sorted label: the blocks' lists of the best two go to all, and
// each has the result.
// CHECK-LABEL: func.func @best
// CHECK: %[[X:.*]] = tra.from_tensor
// CHECK: %[[LISTS:.*]] = tra.block "I" ["n", "c"] = [3, 50]
// CHECK-SAME: reads(%[[X]]
// CHECK-SAME: writes(!tra.relation<[3, 4, 2] / [1, 4, 1], i64
// CHECK: tapestry_index.sort {{.*}} packed
// CHECK: %[[ALL:.*]] = tra.repartition "I", %[[LISTS]]
// CHECK: tra.block "I" ["n", "c"] = [3, 50]
// CHECK-SAME: reads(%[[ALL]] :
// CHECK: tapestry_index.sort {{.*}} select
// CHECK: arith.andi
tapestry.graph @best on #grid {
  %X = tapestry.source "X" : tensor<3x50xf32> home #tapestry_index.layout<[3, 50 by "d.0" "d.1"] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  %I = tapestry.sort "I" ["n", "c"] along "c" %X {descending, indices} : (tensor<3x50xf32>) -> tensor<3x2xi64>
    partition #tapestry_index.partition<[[], ["d.0", "d.1"]]> home #tapestry_index.layout<[3, 2] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  tapestry.sink "I", %I : tensor<3x2xi64>
}

// Sorted blocks go to all, and each takes its part of the ranks.
// CHECK-LABEL: func.func @parts
// CHECK: %[[BLOCKS:.*]] = tra.block "S"
// CHECK-SAME: writes(!tra.relation<[3, 50] / [1, 4], f32
// CHECK: %[[ALL:.*]] = tra.repartition "S", %[[BLOCKS]]
// CHECK: tra.block "S" ["n", "c"] = [3, 50]
// CHECK-SAME: reads(%[[ALL]] :
// CHECK-SAME: writes(!tra.relation<[3, 50] / [1, 4], f32
// CHECK: tapestry_index.sort {{.*}} run = 13
tapestry.graph @parts on #grid {
  %X = tapestry.source "X" : tensor<3x50xf32> home #tapestry_index.layout<[3, 50 by "d.0" "d.1"] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  %S = tapestry.sort "S" ["n", "c"] along "c" %X : (tensor<3x50xf32>) -> tensor<3x50xf32>
    partition #tapestry_index.partition<[[], ["d.0", "d.1"]]> home #tapestry_index.layout<[3, 50 by "d.0" "d.1"] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  tapestry.sink "S", %S : tensor<3x50xf32>
}
