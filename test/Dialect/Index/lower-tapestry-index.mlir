// RUN: tapestry-opt %s --tapestry-lower-index | FileCheck %s

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 3, "d.2" = 2>

// Nothing but arith is left, and what the layout says is a constant.
// CHECK-NOT: tapestry_index.{{[a-z_]+}} {{[#[]}}

// CHECK-LABEL: func @uncut
// CHECK-SAME: %[[DEVICE:.*]]: index
// CHECK-DAG: %[[N0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[N53:.*]] = arith.constant 53 : index
// CHECK-NOT: %[[DEVICE]]
// CHECK: return %[[N0]], %[[N53]]
func.func @uncut(%device: index) -> (index, index) {
  %0:2 = tapestry_index.part #tapestry_index.layout<[53] on #grid> at %device
  return %0#0, %0#1 : index, index
}

// An even cut needs neither a minimum nor a test for emptiness.
// CHECK-LABEL: func @even
// CHECK-SAME: %[[DEVICE:.*]]: index
// CHECK: %[[N6:.*]] = arith.constant 6 : index
// CHECK: %[[COORDINATE:.*]] = arith.divui %[[DEVICE]], %[[N6]]
// CHECK: %[[N8:.*]] = arith.constant 8 : index
// CHECK: %[[LO:.*]] = arith.muli %[[COORDINATE]], %[[N8]]
// CHECK: %[[HI:.*]] = arith.addi %[[LO]], %{{.*}}
// CHECK-NOT: arith.{{min|max|cmp|select}}
// CHECK: return %[[LO]], %[[HI]]
func.func @even(%device: index) -> (index, index) {
  %0:2 = tapestry_index.part #tapestry_index.layout<[16 by "d.0"] on #grid> at %device
  return %0#0, %0#1 : index, index
}

// 97 points in 4 blocks of 25: only the end is clipped.
// CHECK-LABEL: func @uneven
// CHECK: %[[MAJOR:.*]] = arith.divui
// CHECK: %[[MINOR:.*]] = arith.remui
// CHECK: %[[SCALED:.*]] = arith.muli %[[MAJOR]]
// CHECK: %[[PART:.*]] = arith.addi %[[SCALED]], %[[MINOR]]
// CHECK: %[[LO:.*]] = arith.muli %[[PART]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[LO]]
// CHECK: %[[HI:.*]] = arith.minsi %[[NEXT]]
// CHECK-NOT: arith.select
// CHECK: return %[[LO]], %[[HI]]
func.func @uneven(%device: index) -> (index, index) {
  %0:2 = tapestry_index.part #tapestry_index.layout<[97 by "d.0" "d.2"] on #grid> at %device
  return %0#0, %0#1 : index, index
}

// 5 points in 6 blocks of 1: a part may be empty.
// CHECK-LABEL: func @maybe_empty
// CHECK: %[[EMPTY:.*]] = arith.cmpi sle
// CHECK: %[[LO:.*]] = arith.select %[[EMPTY]]
// CHECK: %[[HI:.*]] = arith.select %[[EMPTY]]
// CHECK: return %[[LO]], %[[HI]]
func.func @maybe_empty(%device: index) -> (index, index) {
  %0:2 = tapestry_index.part #tapestry_index.layout<[5 by "d.1" "d.0"] on #grid> at %device
  return %0#0, %0#1 : index, index
}

// CHECK-LABEL: func @image
// CHECK-SAME: %[[LO:.*]]: index, %[[HI:.*]]: index
// CHECK: %[[EMPTY:.*]] = arith.cmpi sle, %[[HI]], %[[LO]]
// CHECK: arith.select %[[EMPTY]]
func.func @image(%lo: index, %hi: index) -> (index, index) {
  %0:2 = tapestry_index.image #tapestry_index.projection<(d0) -> (2 * d0 - 1), shape = [3]> of [%lo to %hi]
  return %0#0, %0#1 : index, index
}
