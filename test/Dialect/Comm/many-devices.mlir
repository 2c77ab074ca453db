// Layouts are looked at once, in time linear in the devices: quadratic, these
// four operations take an hour.
// RUN: tapestry-opt %s -canonicalize -cse | FileCheck %s

#grid = #tapestry_index.grid<"a" = 256, "b" = 256>
#whole = #tapestry_index.layout<[196609, 8] on #grid>
#partial = #tapestry_index.layout<[196609, 8] partial ["a", "b"] on #grid>
#parts = #tapestry_index.layout<[196609 by "a" "b", 8] on #grid>

// CHECK-LABEL: func.func @scatter
func.func @scatter(%x: tensor<196609x8xf32>) -> (tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>) {
  // CHECK-COUNT-3: comm.reduce_scatter
  // CHECK: comm.slice
  %a, %t0 = comm.reduce_scatter "A" add %x from #partial to #parts axes ["a", "b"]
              : tensor<196609x8xf32> -> tensor<?x8xf32>
  %b, %t1 = comm.reduce_scatter "B" add %x from #partial to #parts axes ["a", "b"]
              : tensor<196609x8xf32> -> tensor<?x8xf32>
  %c, %t2 = comm.reduce_scatter "C" add %x from #partial to #parts axes ["a", "b"]
              : tensor<196609x8xf32> -> tensor<?x8xf32>
  %d = comm.slice "D", %x from #whole to #parts : tensor<196609x8xf32> -> tensor<?x8xf32>
  return %a, %b, %c, %d : tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>, tensor<?x8xf32>
}
