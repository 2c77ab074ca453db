// RUN: tapestry-opt %s | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s

#pair = #tapestry_index.grid<"d.0" = 2>
#part = #tapestry_index.layout<[5 by "d.0"] on #pair>
!part = !tra.relation<[5] / [2], f32, #part>
// What leaves the operand is folded, in the dimensions that all pieces read alike.
#near = #tapestry_index.layout<[5 = [5 by "d.0"] - 1 edge 5] on #pair>
!near = !tra.relation<[5] / [2], f32, #near>
!grid_ahead = !tra.relation<[5, 5] / [2, 2], f32, #tapestry_index.layout<[5 = [5 by "d.0"] + 1, 5 = [5 by "d.0"] - 1 symmetric 5] on #pair>>
!grid_behind = !tra.relation<[5, 5] / [2, 2], f32, #tapestry_index.layout<[5 = [5 by "d.0"] - 4, 5 = [5 by "d.0"] - 1 symmetric 5] on #pair>>
// CHECK-LABEL: func @folds
func.func @folds(%a: !near, %b: !grid_ahead, %c: !grid_behind) -> !part {
  // CHECK: (%{{.*}}[i - 1] edge, %{{.*}}[i + 1, i - 1] else %{{.*}}[i - 4, i - 1] symmetric) -> [i] {
  %v = tra.join "V" [i = 5] by #tapestry_index.partition<[["d.0"]]>
      (%a[i - 1] edge, %b[i + 1, i - 1] else %c[i - 4, i - 1] symmetric) -> [i] {
  ^bb0(%x: f32, %y: f32):
    %m = arith.mulf %x, %y : f32
    tra.yield %m : f32
  } : (!near, !grid_ahead, !grid_behind) -> !part
  return %v : !part
}
