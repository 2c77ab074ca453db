// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --tapestry-convert-tra-to-comm | FileCheck %s --check-prefix=LOCAL

// A window of three rows and two results, one of them partial: rows are cut over
// 2 devices in parts of 4 and 3.

#grid = #tapestry_index.grid<"d.0" = 2>
!x = !tra.relation<[7, 5] / [2, 1], f32, #tapestry_index.layout<[7 = [7 by "d.0"] - 1 span 3, 5] on #grid>>
!row = !tra.relation<[7] / [2], f32, #tapestry_index.layout<[7 by "d.0"] on #grid>>
!sum = !tra.relation<[] / [], f32, #tapestry_index.layout<[] partial ["d.0"] on #grid>>

// CHECK-LABEL: func.func @window
// CHECK: tra.block "S" ["i", "j"] = [7, 5] by #tapestry_index.partition<{{\[\["d.0"\], \[\]\]}}> reads(%{{.*}} : !tra.relation<
// CHECK-SAME: at [#tapestry_index.projection<(d0, d1) -> (d0 - 1, d1), shape = [3, 1]>] pads [1.000000e+00 : f32]
// CHECK-SAME: writes(!tra.relation<[7] / [2], f32, {{.*}}>, !tra.relation<[] / [], f32, {{.*}}>)
// CHECK-NEXT: ^bb0(%[[W:.*]]: tensor<?x5xf32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index, %{{.*}}: index):
// CHECK: tra.block_yield %{{.*}}, %{{.*}} : tensor<?xf32>, tensor<f32>

// The window is the device's part with its border, the bounds its box.
// LOCAL-LABEL: func.func @window
// LOCAL-SAME: (%[[X:.*]]: tensor<?x5xf32>
// LOCAL: %[[BOUNDS:.*]]:4 = tapestry_index.part {{.*}} at %{{.*}}
// LOCAL: %[[WINDOW:.*]]:4 = tapestry_index.part {{.*}} unclipped
// LOCAL: linalg.fill {tapestry.vertex = "S"} ins(%cst{{.*}} : f32) outs(%{{.*}} : tensor<?x5xf32>)
// LOCAL: %[[PADDED:.*]] = tensor.insert_slice {{.*}} into %{{.*}} : tensor<?x5xf32> into tensor<?x5xf32>
// LOCAL: arith.subi %[[BOUNDS]]#1, %[[BOUNDS]]#0
// LOCAL: linalg.generic {{.*}} ins(%[[PADDED]] : tensor<?x5xf32>) {{.*}} attrs = {tapestry.vertex = "S"}
// LOCAL: comm.all_reduce
func.func @window(%X: tensor<7x5xf32>) -> (tensor<7xf32>, tensor<f32>) {
  %x = tra.from_tensor %X : tensor<7x5xf32> -> !x
  %r, %s = tra.block "S" ["i", "j"] = [7, 5] by #tapestry_index.partition<[["d.0"], []]>
      reads(%x : !x) at [#tapestry_index.projection<(d0, d1) -> (d0 - 1, d1), shape = [3, 1]>]
      pads [1.0 : f32]
      writes(!row, !sum) at [#tapestry_index.projection<(d0, d1) -> (d0)>,
                             #tapestry_index.projection<(d0, d1) -> ()>] {
  ^bb0(%w: tensor<?x5xf32>, %ilo: index, %ihi: index, %jlo: index, %jhi: index):
    %rows = arith.subi %ihi, %ilo : index
    %zero = arith.constant 0.0 : f32
    %row = tensor.empty(%rows) : tensor<?xf32>
    %filled = linalg.fill ins(%zero : f32) outs(%row : tensor<?xf32>) -> tensor<?xf32>
    %none = tensor.empty() : tensor<f32>
    %start = linalg.fill ins(%zero : f32) outs(%none : tensor<f32>) -> tensor<f32>
    %sum = linalg.generic {
        indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> ()>],
        iterator_types = ["reduction", "reduction"]}
        ins(%w : tensor<?x5xf32>) outs(%start : tensor<f32>) {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<f32>
    tra.block_yield %filled, %sum : tensor<?xf32>, tensor<f32>
  }
  %total = tra.aggregate "S" add %s : !sum -> !tra.relation<[] / [], f32, #tapestry_index.layout<[] on #grid>>
  %R = tra.to_tensor %r : !row -> tensor<7xf32>
  %S = tra.to_tensor %total : !tra.relation<[] / [], f32, #tapestry_index.layout<[] on #grid>> -> tensor<f32>
  return %R, %S : tensor<7xf32>, tensor<f32>
}
