// RUN: tapestry-opt %s | FileCheck %s
// RUN: tapestry-opt %s | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --mlir-print-op-generic | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | tapestry-opt | FileCheck %s
// RUN: tapestry-opt %s --emit-bytecode | not grep -a "#tapestry"

#pair = #tapestry_index.grid<"d.0" = 2>
#four = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#twelve = #tapestry_index.grid<"d.0" = 2, "d.1" = 2, "d.2" = 3>

// Five rows on two devices (three and two) and on four (two, two, one, none).
#rows = #tapestry_index.layout<[5 by "d.0", 8] on #pair>
#columns = #tapestry_index.layout<[5, 8 by "d.0"] on #pair>
#whole = #tapestry_index.layout<[5, 8] on #pair>
#rows4 = #tapestry_index.layout<[5 by "d.0" "d.1", 8] on #four>
#rows2 = #tapestry_index.layout<[5 by "d.0", 8] on #four>

// CHECK-DAG: #[[$ROWS:.*]] = #tapestry_index.layout<[5 by "d.0", 8] on #grid>
// CHECK-DAG: #[[$COLUMNS:.*]] = #tapestry_index.layout<[5, 8 by "d.0"] on #grid>
// CHECK-DAG: #[[$WHOLE:.*]] = #tapestry_index.layout<[5, 8] on #grid>

// CHECK-LABEL: func @exchanges
// CHECK-SAME: %[[A:.*]]: tensor<?x8xf32>
func.func @exchanges(%a: tensor<?x8xf32>) -> (tensor<5x8xf32>, tensor<5x4xf32>) {
  // CHECK: %{{.*}}, %[[T:.*]] = comm.all_gather "A", %[[A]] from #[[$ROWS]] to #[[$WHOLE]] axes ["d.0"] : tensor<?x8xf32> -> tensor<5x8xf32>
  %g, %t0 = comm.all_gather "A", %a from #rows to #whole axes ["d.0"]
              : tensor<?x8xf32> -> tensor<5x8xf32>
  // CHECK: comm.all_to_all "A", %[[A]] after %[[T]] from #[[$ROWS]] to #[[$COLUMNS]] axes ["d.0"] {note = "kept"} : tensor<?x8xf32> -> tensor<5x4xf32>
  %e, %t1 = comm.all_to_all "A", %a after %t0 from #rows to #columns axes ["d.0"]
              {note = "kept"} : tensor<?x8xf32> -> tensor<5x4xf32>
  return %g, %e : tensor<5x8xf32>, tensor<5x4xf32>
}

// One axis of two leaves the columns: groups of two devices. Seven columns on
// four devices: two, two, two and one.
#columns4 = #tapestry_index.layout<[5, 7 by "d.0" "d.1"] on #four>
#columns2 = #tapestry_index.layout<[5, 7 by "d.0"] on #four>

// CHECK-LABEL: func @gather_of_four
func.func @gather_of_four(%a: tensor<5x?xi1>) -> tensor<5x?xi1> {
  // CHECK: comm.all_gather "A", %{{.*}} axes ["d.1"] : tensor<5x?xi1> -> tensor<5x?xi1>
  %g, %t = comm.all_gather "A", %a from #columns4 to #columns2 axes ["d.1"]
             : tensor<5x?xi1> -> tensor<5x?xi1>
  return %g : tensor<5x?xi1>
}

// Five rows on four devices in two, two, one and none do not lie within those of
// two devices in three and two: no gather.
// CHECK-LABEL: func @uneven_exchange
func.func @uneven_exchange(%a: tensor<?x8xi8>) -> tensor<?x8xi8> {
  // CHECK: comm.all_to_all "A", %{{.*}} axes ["d.0", "d.1"] : tensor<?x8xi8> -> tensor<?x8xi8>
  %g, %t = comm.all_to_all "A", %a from #rows4 to #rows2
             axes ["d.0", "d.1"] : tensor<?x8xi8> -> tensor<?x8xi8>
  return %g : tensor<?x8xi8>
}

// Halos: each device fetches the row above its first from its neighbour.
#plain = #tapestry_index.layout<[34 by "d.0"] on #pair>
#halo = #tapestry_index.layout<[34 = 2 * [17 by "d.0"] + [3] - 1] on #pair>

#starts = #tapestry_index.layout<[34 = 2 * [17 by "d.0"]] on #pair>
// CHECK-LABEL: func @halo
func.func @halo(%a: tensor<17xf64>) -> tensor<?xf64> {
  // CHECK: comm.halo_exchange "X", %{{.*}} axes ["d.0"] : tensor<17xf64> -> tensor<?xf64>
  %h, %t = comm.halo_exchange "X", %a from #plain to #halo axes ["d.0"]
             : tensor<17xf64> -> tensor<?xf64>
  // CHECK: comm.slice "X", %{{.*}} from #{{.*}} to #{{.*}} : tensor<?xf64> -> tensor<?xf64>
  %s = comm.slice "X", %h from #halo to #starts
         : tensor<?xf64> -> tensor<?xf64>
  return %s : tensor<?xf64>
}

// Of a window the row above each part alone.
#above = #tapestry_index.layout<[34 = [34 by "d.0"] - 1] on #pair>
#row = #tapestry_index.layout<[34 = 17 * [2 by "d.0"] - 1] on #pair>

// CHECK-LABEL: func @rim
func.func @rim(%a: tensor<17xf64>) -> tensor<?xf64> {
  // CHECK: %[[X:.*]], %[[T:.*]] = comm.fetch_rim "X", %{{.*}} from #{{.*}} to #{{.*}} rim #{{.*}} axes ["d.0"] : tensor<17xf64> -> tensor<?xf64>
  %x, %t = comm.fetch_rim "X", %a from #plain to #above rim #row axes ["d.0"]
             : tensor<17xf64> -> tensor<?xf64>
  // CHECK: comm.fetch_rim "X", %{{.*}} after %[[T]] from
  %y, %u = comm.fetch_rim "X", %a after %t from #plain to #above rim #row
             axes ["d.0"] : tensor<17xf64> -> tensor<?xf64>
  return %y : tensor<?xf64>
}

// The rows above and below.
#around = #tapestry_index.layout<[34 = [34 by "d.0"] - 1 span 3] on #pair>
#next = #tapestry_index.layout<[34 = 17 * [2 by "d.0"] + 17] on #pair>

// CHECK-LABEL: func @rims
func.func @rims(%a: tensor<17xf64>) -> (tensor<?xf64>, tensor<?xf64>) {
  // CHECK: %[[X:.*]]:2, %[[T:.*]] = comm.fetch_rim "X", %{{.*}} from #{{.*}} to #{{.*}} rim [#{{.*}}, #{{.*}}] axes ["d.0"] : tensor<17xf64> -> tensor<?xf64>, tensor<?xf64>
  %x:2, %t = comm.fetch_rim "X", %a from #plain to #around rim [#row, #next]
               axes ["d.0"] : tensor<17xf64> -> tensor<?xf64>, tensor<?xf64>
  return %x#0, %x#1 : tensor<?xf64>, tensor<?xf64>
}

// The axes of the cut change places: devices 1 and 2 exchange their parts.
#ab = #tapestry_index.layout<[8 by "d.0" "d.1"] on #four>
#ba = #tapestry_index.layout<[8 by "d.1" "d.0"] on #four>

// CHECK-LABEL: func @permute
func.func @permute(%a: tensor<2xbf16>) -> tensor<2xbf16> {
  // CHECK: comm.collective_permute "P", %{{.*}} axes ["d.0", "d.1"] : tensor<2xbf16> -> tensor<2xbf16>
  %p, %t = comm.collective_permute "P", %a from #ab to #ba axes ["d.0", "d.1"]
             : tensor<2xbf16> -> tensor<2xbf16>
  return %p : tensor<2xbf16>
}

// Three axes: i over d.0, k over d.1, partial sums over d.2.
#partial = #tapestry_index.layout<[97 by "d.0", 42 by "d.1"] partial ["d.2"] on #twelve>
#summed = #tapestry_index.layout<[97 by "d.0", 42 by "d.1"] on #twelve>
#scattered = #tapestry_index.layout<[97 by "d.0", 42 by "d.1" "d.2"] on #twelve>

// CHECK-LABEL: func @reductions
// CHECK-SAME: %[[P:.*]]: tensor<?x21xi32>
func.func @reductions(%p: tensor<?x21xi32>) -> (tensor<?x21xi32>, tensor<?x7xi32>) {
  // CHECK: %{{.*}}, %[[T:.*]] = comm.all_reduce "C" xor %[[P]] from #{{.*}} to #{{.*}} axes ["d.2"] : tensor<?x21xi32> -> tensor<?x21xi32>
  %c, %t0 = comm.all_reduce "C" xor %p from #partial to #summed axes ["d.2"]
              : tensor<?x21xi32> -> tensor<?x21xi32>
  // CHECK: comm.reduce_scatter "D" custom %[[P]] after %[[T]] from #{{.*}} to #{{.*}} axes ["d.2"] combine {
  // CHECK-NEXT: ^bb0(%[[X:.*]]: i32, %[[Y:.*]]: i32):
  // CHECK-NEXT: %[[M:.*]] = arith.maxui %[[X]], %[[Y]] : i32
  // CHECK-NEXT: comm.yield %[[M]] : i32
  // CHECK-NEXT: } : tensor<?x21xi32> -> tensor<?x7xi32>
  %d, %t1 = comm.reduce_scatter "D" custom %p after %t0 from #partial to #scattered
              axes ["d.2"] combine {
  ^bb0(%x: i32, %y: i32):
    %m = arith.maxui %x, %y : i32
    comm.yield %m : i32
  } : tensor<?x21xi32> -> tensor<?x7xi32>
  return %c, %d : tensor<?x21xi32>, tensor<?x7xi32>
}

// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<5x8xf32>, %p: tensor<97x42xf16>) -> (tensor<?x8xf32>, tensor<?x42xf16>) {
  // CHECK: comm.slice "A", %{{.*}} from #[[$WHOLE]] to #[[$ROWS]] : tensor<5x8xf32> -> tensor<?x8xf32>
  %s = comm.slice "A", %a from #whole to #rows : tensor<5x8xf32> -> tensor<?x8xf32>
  // Partial values are sliced as any others.
  // CHECK: comm.slice "P"
  %q = comm.slice "P", %p
         from <[97, 42] partial ["d.2"] on #twelve>
         to <[97 by "d.0", 42] partial ["d.2"] on #twelve>
         : tensor<97x42xf16> -> tensor<?x42xf16>
  return %s, %q : tensor<?x8xf32>, tensor<?x42xf16>
}

// CHECK-LABEL: func @device
func.func @device() -> index {
  // CHECK: %[[D:.*]] = comm.device
  // CHECK: return %[[D]]
  %d = comm.device
  return %d : index
}
