// RUN: tapestry-opt %s --tapestry-convert-to-tra | FileCheck %s
// RUN: tapestry-opt %s --tapestry-convert-to-tra | tapestry-opt --verify-roundtrip -o /dev/null

// A cut along the scanned label: the totals of 3 blocks of 2 points (the fourth
// is empty) go to all before the elements are computed.
// CHECK-DAG: #[[MADE:.*]] = #tapestry_index.layout<[3, 3 by "d.0" "d.1"] on #
// CHECK-DAG: #[[READ:.*]] = #tapestry_index.layout<[3, 3] on #
// CHECK-LABEL: func.func @cut
// CHECK: %[[X:.*]] = tra.from_tensor
// CHECK: %[[TOTALS:.*]] = tra.block "C" ["n", "i"] = [3, 5]
// CHECK-SAME: writes(!tra.relation<[3, 3] / [1, 4], f32, #[[MADE]]>) at [#tapestry_index.projection<(d0, d1) -> (d0, d1), floordivs = [1, 2]>]
// CHECK: %[[ALL:.*]] = tra.repartition "C", %[[TOTALS]] : {{.*}} -> !tra.relation<[3, 3] / [1, 1], f32, #[[READ]]>
// CHECK: tra.block "C" ["n", "i"] = [3, 5]
// CHECK-SAME: reads(%[[X]], %[[ALL]] :
// CHECK-SAME: #tapestry_index.projection<(d0, d1) -> (d0, 0), shape = [1, 3]>
#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
tapestry.graph @cut on #grid {
  %X = tapestry.source "X" : tensor<3x5xbf16> home #tapestry_index.layout<[3, 5 by "d.0" "d.1"] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  %C = tapestry.scan "C" ["n", "i"] <add> along "i" %X : (tensor<3x5xbf16>) -> tensor<3x5xbf16>
    partition #tapestry_index.partition<[[], ["d.0", "d.1"]]> home #tapestry_index.layout<[3, 5 by "d.0" "d.1"] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  tapestry.sink "C", %C : tensor<3x5xbf16>
}

// One block, or a cut of other labels: nothing is exchanged.
// CHECK-LABEL: func.func @lines
// CHECK-COUNT-1: tra.block "C"
// CHECK-NOT: tra.block "C"
// CHECK-NOT: tra.repartition
tapestry.graph @lines on #grid {
  %X = tapestry.source "X" : tensor<6x5xf32> home #tapestry_index.layout<[6 by "d.0" "d.1", 5] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  %C = tapestry.scan "C" ["n", "i"] <add> along "i" %X : (tensor<6x5xf32>) -> tensor<6x5xf32>
    partition #tapestry_index.partition<[["d.0", "d.1"], []]> home #tapestry_index.layout<[6 by "d.0" "d.1", 5] on #tapestry_index.grid<"d.0" = 2, "d.1" = 2>>
  tapestry.sink "C", %C : tensor<6x5xf32>
}
