// RUN: tapestry-opt %s --allow-unregistered-dialect | tapestry-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tapestry-opt %s --allow-unregistered-dialect --emit-bytecode | tapestry-opt --allow-unregistered-dialect | FileCheck %s
// Bytecode holds none of them as text.
// RUN: tapestry-opt %s --allow-unregistered-dialect --emit-bytecode | not grep -a "#tapestry_index"
// A file that version 2 of the dialect wrote.
// RUN: tapestry-opt %S/Inputs/version-2.mlirbc --allow-unregistered-dialect | FileCheck %s

// Every attribute of tapestry_index, in the forms that its text can take.

// CHECK-DAG: #[[GRID:.*]] = #tapestry_index.grid<"d.0" = 2, "d.1" = 3, "d.2" = 2>
#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3, "d.2" = 2>
// CHECK-DAG: #[[ONE:.*]] = #tapestry_index.grid<>
#one = #tapestry_index.grid<>

// CHECK-DAG: #[[L0:.*]] = #tapestry_index.layout<[] on #[[ONE]]>
// CHECK-DAG: #[[L1:.*]] = #tapestry_index.layout<[97 by "d.0" "d.2", 53] on #[[GRID]]>
// CHECK-DAG: #[[L2:.*]] = #tapestry_index.layout<[34 = 2 * [16 by "d.0"] + [3] - 1] partial ["d.1", "d.2"] on #[[GRID]]>
// CHECK-DAG: #[[L3:.*]] = #tapestry_index.layout<[9 = -[7 by "d.1"] + 8, 5 = 3, 6 = -2 span 4] on #[[GRID]]>
// CHECK-DAG: #[[L4:.*]] = #tapestry_index.layout<[4 by "d.0", 4 by "d.0"] on #[[GRID]]>
// CHECK-DAG: #[[L5:.*]] = #tapestry_index.layout<[8 = [4 by "d.0"] - 2 * [5] span 2, 3 = 0] on #[[GRID]]>
// CHECK-DAG: #[[L6:.*]] = #tapestry_index.layout<[8 = 3 * [16 by "d.0" in 2 to 9] + 4 floordiv 2 mod 8] on #[[GRID]]>

"test.grids"() {g0 = #grid, g1 = #one, g2 = #tapestry_index.grid<"a b" = 1>} : () -> ()
// CHECK: "test.grids"() {g0 = #[[GRID]], g1 = #[[ONE]]

// CHECK: "test.layouts"() {l0 = #[[L0]], l1 = #[[L1]], l2 = #[[L2]], l3 = #[[L3]], l4 = #[[L4]], l5 = #[[L5]], l6 = #[[L6]]}
"test.layouts"() {
  l0 = #tapestry_index.layout<[] on #one>,
  l1 = #tapestry_index.layout<[97 by "d.0" "d.2", 53 = [53]] on #grid>,
  l2 = #tapestry_index.layout<[34 = 2 * [16 by "d.0"] + 1 * [3] - 1] partial ["d.1", "d.2"] on #grid>,
  l3 = #tapestry_index.layout<[9 = -[7 by "d.1"] + 8, 5 = 3 span 1, 6 = -2 span 4] on #grid>,
  l4 = #tapestry_index.layout<[4 by "d.0", 4 by "d.0"] on #grid>,
  l5 = #tapestry_index.layout<[8 = [4 by "d.0"] - 2 * [5] span 2, 3 = 0] on #grid>,
  l6 = #tapestry_index.layout<[8 = 3 * [16 by "d.0" in 2 to 9] + 4 floordiv 2 mod 8] on #grid>
} : () -> ()

// CHECK: "test.partitions"()
// CHECK-SAME: p0 = #tapestry_index.partition<{{\[\[}}"d.0"], [], ["d.1", "d.2"]]>
// CHECK-SAME: p1 = #tapestry_index.partition<[]>
"test.partitions"() {
  p0 = #tapestry_index.partition<[["d.0"], [], ["d.1", "d.2"]]>,
  p1 = #tapestry_index.partition<[]>
} : () -> ()

// CHECK: "test.projections"()
// CHECK-SAME: p0 = #tapestry_index.projection<(d0, d1) -> (2 * d0 + d1 - 1, d1), shape = [3, 1], strides = [2, 1]>
// CHECK-SAME: p1 = #tapestry_index.projection<(d0, d1) -> (-d0 - 3 * d1, 0, 7)>
// CHECK-SAME: p2 = #tapestry_index.projection<(d0, d1, d2) -> (d1), strides = [4]>
// CHECK-SAME: p3 = #tapestry_index.projection<(d0, d1) -> (2 * d0 + 4, d1), floordivs = [2, 1], mods = [0, 5]>
"test.projections"() {
  p0 = #tapestry_index.projection<(d0, d1) -> (d1 - 1 + d0 * 2, d1), strides = [2, 1], shape = [3, 1]>,
  p1 = #tapestry_index.projection<(d0, d1) -> (-3 * d1 - d0, d0 - d0, 7), shape = [1, 1, 1]>,
  p2 = #tapestry_index.projection<(d0, d1, d2) -> (d1), shape = [1], strides = [4]>,
  p3 = #tapestry_index.projection<(d0, d1) -> (2 * d0 + 4, d1), mods = [0, 5], floordivs = [2, 1]>
} : () -> ()

// CHECK: "test.ranges"()
// CHECK-SAME: r0 = #tapestry_index.range<0 to 4, -2 to 5>
// CHECK-SAME: r1 = #tapestry_index.range<>
// CHECK-SAME: r2 = #tapestry_index.range<4 to 4>
"test.ranges"() {
  r0 = #tapestry_index.range<0 to 4, -2 to 5>,
  r1 = #tapestry_index.range<>,
  r2 = #tapestry_index.range<4 to 4>
} : () -> ()

// CHECK: "test.monoids"() {m0 = #tapestry_index.monoid<none>, m1 = #tapestry_index.monoid<custom>}
"test.monoids"() {m0 = #tapestry_index.monoid<none>, m1 = #tapestry_index.monoid<custom>} : () -> ()
