// A label in a branch of a kernel is read before the branch.
// RUN: tapestry-opt %s -tapestry-convert-tra-to-comm | FileCheck %s

#pair = #tapestry_index.grid<"d.0" = 2>
#rows = #tapestry_index.layout<[4 by "d.0"] on #pair>
!rows = !tra.relation<[4] / [2], f32, #rows>

// CHECK-LABEL: func.func @branch
// CHECK:         linalg.generic
// CHECK:           %[[I:.*]] = linalg.index 0
// CHECK:           %[[LABEL:.*]] = arith.addi %[[I]],
// CHECK:           scf.if
// CHECK-NEXT:        arith.index_cast %[[LABEL]]
func.func @branch(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = tra.from_tensor %x : tensor<4xf32> -> !rows
  %s = tra.join "a" [i = 4] by #tapestry_index.partition<[["d.0"]]> (%a[i]) -> [i] {
  ^bb0(%v: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ogt, %v, %zero : f32
    %r = scf.if %c -> f32 {
      %l = tra.label "i"
      %n = arith.index_cast %l : index to i32
      %f = arith.sitofp %n : i32 to f32
      scf.yield %f : f32
    } else {
      scf.yield %v : f32
    }
    tra.yield %r : f32
  } : (!rows) -> !rows
  %b = tra.to_tensor %s : !rows -> tensor<4xf32>
  return %b : tensor<4xf32>
}
