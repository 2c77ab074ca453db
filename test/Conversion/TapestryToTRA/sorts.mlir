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
