// RUN: tapestry-opt %s --allow-unregistered-dialect | tapestry-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tapestry-opt %s --allow-unregistered-dialect --emit-bytecode | tapestry-opt --allow-unregistered-dialect | FileCheck %s
// RUN: tapestry-opt %s --allow-unregistered-dialect --canonicalize | FileCheck %s --check-prefix=FOLD
// RUN: tapestry-opt %s --allow-unregistered-dialect --tapestry-lower-index --canonicalize | FileCheck %s --check-prefix=FOLD

// Projections and layouts that bring what leaves a tensor back into it.
#grid = #tapestry_index.grid<"d.0" = 2>
// CHECK: #[[ARMS:[a-z0-9]+]] = #tapestry_index.layout<[97 = [95 by "d.0"] span 3 arms 1 1, 53 = [50] + 1 span 4 arms 0 2] on
// CHECK: "test.folds"()
// CHECK-SAME: l0 = #[[EDGE:[a-z0-9]+]]
// CHECK-SAME: p0 = #tapestry_index.projection<(d0, d1) -> (d0 - 1, d1, 2 * d0), floordivs = [1, 1, 3], mods = [edge 17, 0, 5]>
// CHECK-SAME: p1 = #tapestry_index.projection<(d0) -> (-d0, d0), mods = [reflect 4, symmetric 5]>
"test.folds"() {
  l0 = #tapestry_index.layout<[8 = [8 by "d.0"] - 1 edge 8, 9 = 2 * [8] + 1 floordiv 2 reflect 9, 5 = -[5] + 6 symmetric 5 span 2] on #grid>,
  p0 = #tapestry_index.projection<(d0, d1) -> (d0 - 1, d1, 2 * d0), floordivs = [1, 1, 3], mods = [edge 17, 0, 5]>,
  p1 = #tapestry_index.projection<(d0) -> (-d0, d0), mods = [reflect 4, symmetric 5]>
} : () -> ()

// What is read of a star's box.
// CHECK: "test.arms"() {l = #[[ARMS]]}
"test.arms"() {l = #tapestry_index.layout<[97 = [95 by "d.0"] span 3 arms 1 1, 53 = [50] + 1 span 4 arms 0 2] on #grid>} : () -> ()

// FOLD-LABEL: func.func @point
func.func @point() -> (index, index, index, index, index, index, index) {
  %c-3 = arith.constant -3 : index
  // Nearest, mirrored at 0 and 4 (3), beside them (2), of one point, and twice
  // around: -13 is 3, then 2.
  // FOLD-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // FOLD-DAG: %[[TWO:.*]] = arith.constant 2 : index
  // FOLD-DAG: %[[THREE:.*]] = arith.constant 3 : index
  // FOLD-DAG: %[[FOUR:.*]] = arith.constant 4 : index
  // FOLD: return %[[ZERO]], %[[THREE]], %[[TWO]], %[[ZERO]], %[[ZERO]], %[[FOUR]], %[[THREE]] :
  %0:7 = tapestry_index.apply #tapestry_index.projection<(d0) -> (d0, d0, d0, d0, d0, d0 + 9, d0 - 10), mods = [edge 5, reflect 5, symmetric 5, reflect 1, symmetric 1, edge 5, reflect 5]>(%c-3)
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6 : index, index, index, index, index, index, index
}

// FOLD-LABEL: func.func @range
func.func @range() -> (index, index, index, index, index, index, index, index) {
  %c-3 = arith.constant -3 : index
  %c2 = arith.constant 2 : index
  // -3 to 1: the nearest are 0 and 1; mirrored 0 to 3, beside 0 to 2; all of 3.
  // FOLD-DAG: %[[ZERO:.*]] = arith.constant 0 : index
  // FOLD-DAG: %[[TWO:.*]] = arith.constant 2 : index
  // FOLD-DAG: %[[THREE:.*]] = arith.constant 3 : index
  // FOLD-DAG: %[[FOUR:.*]] = arith.constant 4 : index
  // FOLD: return %[[ZERO]], %[[TWO]], %[[ZERO]], %[[FOUR]], %[[ZERO]], %[[THREE]], %[[ZERO]], %[[THREE]] :
  %0:8 = tapestry_index.image #tapestry_index.projection<(d0) -> (d0, d0, d0, d0), mods = [edge 5, reflect 5, symmetric 5, reflect 3]> of [%c-3 to %c2]
  return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6, %0#7 : index, index, index, index, index, index, index, index
}
