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

// Rows behind one another: the first device reads 4 rows of %a alone, the second
// 2 of each. A roll by 2: the second reads all rows of %r.

!a = !tra.relation<[6] / [2], f32, #tapestry_index.layout<[6 = [8 by "d.0" in 0 to 6]] on #grid>>
!b = !tra.relation<[2] / [2], f32, #tapestry_index.layout<[2 = [8 by "d.0" in 6 to 8] - 6] on #grid>>
!r = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 = [8 by "d.0"] + 2 mod 8] on #grid>>
!y = !tra.relation<[8] / [2], f32, #tapestry_index.layout<[8 by "d.0"] on #grid>>

// CHECK-LABEL: func.func @pieces
// CHECK: at [#tapestry_index.projection<(d0) -> (d0)>, #tapestry_index.projection<(d0) -> (d0 - 6)>, #tapestry_index.projection<(d0) -> (d0 + 2), mods = [8]>]
// CHECK-SAME: guards [#tapestry_index.range<0 to 6>, #tapestry_index.range<6 to 8>, unit] pads [unit, unit, unit]
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>, %{{.*}}: tensor<?xf32>,

// LOCAL-LABEL: func.func @pieces
// LOCAL: tensor.insert_slice %arg0 into
// LOCAL: tensor.insert_slice %arg1 into
func.func @pieces(%A: tensor<6xf32>, %B: tensor<2xf32>, %R: tensor<8xf32>) -> tensor<8xf32> {
  %a = tra.from_tensor %A : tensor<6xf32> -> !a
  %b = tra.from_tensor %B : tensor<2xf32> -> !b
  %r = tra.from_tensor %R : tensor<8xf32> -> !r
  %y = tra.block "Y" ["i"] = [8] by #tapestry_index.partition<[["d.0"]]>
      reads(%a, %b, %r : !a, !b, !r) at [#tapestry_index.projection<(d0) -> (d0)>,
                                         #tapestry_index.projection<(d0) -> (d0 - 6)>,
                                         #tapestry_index.projection<(d0) -> (d0 + 2), mods = [8]>]
      guards [#tapestry_index.range<0 to 6>, #tapestry_index.range<6 to 8>, unit]
      pads [unit, unit, unit]
      writes(!y) at [#tapestry_index.projection<(d0) -> (d0)>] {
  ^bb0(%wa: tensor<?xf32>, %wb: tensor<?xf32>, %wr: tensor<?xf32>, %lo: index, %hi: index):
    %zero = arith.constant 0 : index
    %ra = tensor.dim %wa, %zero : tensor<?xf32>
    %rb = tensor.dim %wb, %zero : tensor<?xf32>
    %0 = tensor.empty() : tensor<4xf32>
    %1 = tensor.insert_slice %wa into %0[0] [%ra] [1] : tensor<?xf32> into tensor<4xf32>
    %2 = tensor.insert_slice %wb into %1[%ra] [%rb] [1] : tensor<?xf32> into tensor<4xf32>
    tra.block_yield %2 : tensor<4xf32>
  }
  %Y = tra.to_tensor %y : !y -> tensor<8xf32>
  return %Y : tensor<8xf32>
}
