// RUN: tapestry-opt %s -canonicalize -split-input-file | FileCheck %s
// RUN: tapestry-opt %s -cse -split-input-file | FileCheck %s --check-prefix=CSE

#grid = #tapestry_index.grid<"d.0" = 2, "d.1" = 2>
#rows = #tapestry_index.layout<[5 by "d.0" "d.1", 7] on #grid>
#columns = #tapestry_index.layout<[5, 7 by "d.0"] on #grid>
!rows = !tra.relation<[5, 7] / [4, 1], f32, #rows>
!columns = !tra.relation<[5, 7] / [1, 2], f32, #columns>

// CHECK-LABEL: func @repartition_to_itself
// CHECK-SAME: (%[[R:.*]]: !tra
// CHECK-NEXT: return %[[R]]
func.func @repartition_to_itself(%r: !rows) -> !rows {
  %0 = tra.repartition "A", %r : !rows -> !rows
  return %0 : !rows
}

// There and back is left alone: what the plan priced is what is sent.
// CHECK-LABEL: func @repartition_back
// CHECK-COUNT-2: tra.repartition
func.func @repartition_back(%r: !rows) -> !rows {
  %0 = tra.repartition "A", %r : !rows -> !columns
  %1 = tra.repartition "A", %0 : !columns -> !rows
  return %1 : !rows
}

// CHECK-LABEL: func @tensor_and_back
// CHECK-SAME: (%[[R:.*]]: !tra
// CHECK-NEXT: return %[[R]]
func.func @tensor_and_back(%r: !rows) -> !rows {
  %0 = tra.to_tensor %r : !rows -> tensor<5x7xf32>
  %1 = tra.from_tensor %0 : tensor<5x7xf32> -> !rows
  return %1 : !rows
}

// CHECK-LABEL: func @tensor_in_another_layout
// CHECK: tra.to_tensor
// CHECK: tra.from_tensor
func.func @tensor_in_another_layout(%r: !rows) -> !columns {
  %0 = tra.to_tensor %r : !rows -> tensor<5x7xf32>
  %1 = tra.from_tensor %0 : tensor<5x7xf32> -> !columns
  return %1 : !columns
}

// CHECK-LABEL: func @relation_and_back
// CHECK-SAME: (%[[A:.*]]: tensor
// CHECK-NEXT: return %[[A]]
func.func @relation_and_back(%A: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = tra.from_tensor %A : tensor<5x7xf32> -> !rows
  %1 = tra.to_tensor %0 : !rows -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}

// Equal repartitions are one, unless they are done for different readers.
// CSE-LABEL: func @shared_repartition
// CSE: %[[C:.*]] = tra.repartition "A"
// CSE-NOT: tra.repartition
// CSE: return %[[C]], %[[C]]
func.func @shared_repartition(%r: !rows) -> (!columns, !columns) {
  %0 = tra.repartition "A", %r : !rows -> !columns
  %1 = tra.repartition "A", %r : !rows -> !columns
  return %0, %1 : !columns, !columns
}

// CSE-LABEL: func @own_repartitions
// CSE: %[[C:.*]] = tra.repartition "A" for "D.0"
// CSE: %[[E:.*]] = tra.repartition "A" for "E.0"
// CSE: return %[[C]], %[[E]]
func.func @own_repartitions(%r: !rows) -> (!columns, !columns) {
  %0 = tra.repartition "A" for "D.0", %r : !rows -> !columns
  %1 = tra.repartition "A" for "E.0", %r : !rows -> !columns
  return %0, %1 : !columns, !columns
}

// Unused algebra disappears; constants stay inside the kernel.
// CHECK-LABEL: func @unused
// CHECK-NEXT: return
func.func @unused(%r: !rows) {
  %0 = tra.join "N" [i = 5, j = 7]
         by #tapestry_index.partition<[["d.0", "d.1"], []]> (%r[i, j]) -> [i, j] {
  ^bb0(%x: f32):
    %y = arith.negf %x : f32
    tra.yield %y : f32
  } : (!rows) -> !rows
  %1 = tra.repartition "N", %0 : !rows -> !columns
  return
}

// CHECK-LABEL: func @constant_in_kernel
// CHECK-NEXT: tra.join "N"
// CHECK: arith.constant
func.func @constant_in_kernel(%r: !rows) -> !rows {
  %0 = tra.join "N" [i = 5, j = 7]
         by #tapestry_index.partition<[["d.0", "d.1"], []]> (%r[i, j]) -> [i, j] {
  ^bb0(%x: f32):
    %c = arith.constant 0.75 : f32
    %y = arith.mulf %x, %c : f32
    tra.yield %y : f32
  } : (!rows) -> !rows
  return %0 : !rows
}
